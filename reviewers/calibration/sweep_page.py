"""The page of thresholds: what each cut-off costs and brings, which one labels choose, and one of them looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from attribution.calibration import Choice
from reviewers.calibration import words
from reviewers.calibration.capping import Cap, list_caps
from reviewers.calibration.cutting import choose_cutoff
from reviewers.calibration.gathering import gather
from reviewers.calibration.holding import hold_out, learned_by
from reviewers.calibration.models import CalibrationProfile, SeenCombination
from reviewers.calibration.policies import FEWEST
from reviewers.calibration.promise_words import cutoff_of, promise_in_words
from reviewers.calibration.queries import find_open
from reviewers.calibration.shadowing import record_of
from reviewers.calibration.sweep_chart import Chart, draw
from reviewers.calibration.sweep_lines import Line, line_at
from reviewers.calibration.sweep_ways import WAYS, Way


@dataclass(frozen=True, slots=True)
class Promised:
    """A profile with its own cut-off, and what it says it can promise."""

    profile: CalibrationProfile
    is_active: bool
    cutoff: float | None
    promise: str


@dataclass(frozen=True, slots=True)
class SweepPage:
    """All that the page shows. ``held`` labels have no part in it: a promise rests on them."""

    id: UUID
    name: str
    key: str
    way: Way
    ways: Sequence[tuple[str, str]]
    labels: int
    conversations: int
    held: int
    lines: Sequence[Line]
    charts: Sequence[Chart]
    choice: str
    chosen: float
    asked: str
    looked_at: Line | None
    is_wrong: bool
    caps: Sequence[Cap]
    promises: Sequence[Promised]


def build_sweep(seen: SeenCombination, way: str = "", asked: str = "") -> SweepPage:
    """``way`` is what is cut off by, ``asked`` one cut-off as somebody typed it."""
    key = way if way in WAYS else "confidence"
    by, gathered = WAYS[key], hold_out(gather(seen), learned_by(seen.active))
    swept = by.compared(gathered.observations)
    lines = [line_at(swept.forecasts, each, by.written(each)) for each in swept.cutoffs] if swept.forecasts else []
    choice, at = choose_cutoff(swept), by.read(asked)
    looked_at = line_at(swept.forecasts, at, by.written(at)) if at is not None and swept.forecasts else None
    return SweepPage(
        id=seen.pk,
        name=words.combination_in_words(seen.model, seen.prompt_version),
        key=key,
        way=by,
        ways=[(key, each.title) for key, each in WAYS.items()],
        labels=len(swept.forecasts),
        conversations=len({each.conversation for each in swept.forecasts}),
        held=len(gathered.held),
        lines=lines,
        charts=draw(lines, choice.threshold, at),
        choice=choice_in_words(choice, swept.present, len(swept.forecasts), by.written),
        chosen=choice.threshold,
        asked=asked,
        looked_at=looked_at,
        is_wrong=bool(asked) and at is None,
        caps=list_caps(gathered.observations),
        promises=_promises(seen),
    )


def choice_in_words(choice: Choice, present: float, labels: int, written: Callable[[float], str]) -> str:
    """Which cut-off labels choose, and why."""
    chosen, now = written(choice.threshold), written(present)
    if choice.gain is None or choice.error is None or labels < FEWEST:
        return f"Nobody can tell yet whether another cut-off than {now} is better: {labels} labels are too few."
    if not choice.is_changed:
        return f"{now} stays: no other cut-off has an F1 that is better by more than one standard error, on five parts of the labels."
    return (
        f"{chosen} rather than {now}: its F1 is better by {choice.gain:.3f}, with a standard error of "
        f"{choice.error:.3f}, on five parts of the labels. Within one standard error of the best it is the nearest to {now}."
    )


def _promises(seen: SeenCombination) -> list[Promised]:
    """Of the active profile, and of the one that is proposed."""
    known = [(seen.active, True), (find_open(seen, with_record=True), False)]
    return [
        Promised(each, is_active, cutoff_of(record), promise_in_words(record))
        for each, is_active in known
        if each is not None
        for record in [record_of(each)]
    ]
