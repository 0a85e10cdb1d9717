"""The page of thresholds: what each cut-off costs and brings, which one labels choose, and one of them looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from attribution.calibration import Choice, Observation
from reviewers.calibration import words
from reviewers.calibration.cutting import Swept, by_confidence, by_score, by_share, choose_cutoff
from reviewers.calibration.gathering import gather
from reviewers.calibration.holding import hold_out, learned_by
from reviewers.calibration.models import CalibrationProfile, SeenCombination
from reviewers.calibration.policies import FEWEST
from reviewers.calibration.promise_words import cutoff_of, promise_in_words
from reviewers.calibration.queries import find_open
from reviewers.calibration.shadowing import record_of
from reviewers.calibration.sweep_chart import Chart, draw
from reviewers.calibration.sweep_lines import Line, line_at

WAYS: Mapping[str, tuple[str, Callable[[Iterable[Observation]], Swept]]] = {
    "confidence": ("Confidence", by_confidence),
    "score": ("Raw score", by_score),
    "share": ("Share of a long text", by_share),
}
"""What can be cut off by, as the address names it: a title and how rows are compared."""


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
    way: str
    title: str
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
    promises: Sequence[Promised]


def build_sweep(seen: SeenCombination, way: str = "", asked: str = "") -> SweepPage:
    """``way`` is what is cut off by, ``asked`` one cut-off as somebody typed it."""
    way = way if way in WAYS else "confidence"
    title, compared = WAYS[way]
    gathered = hold_out(gather(seen), learned_by(seen.active))
    swept = compared(gathered.observations)
    lines = [line_at(swept.forecasts, each) for each in swept.cutoffs] if swept.forecasts else []
    choice, at = choose_cutoff(swept), read_cutoff(asked)
    looked_at = line_at(swept.forecasts, at) if at is not None and swept.forecasts else None
    return SweepPage(
        id=seen.pk,
        name=words.combination_in_words(seen.model, seen.prompt_version),
        way=way,
        title=title,
        ways=[(key, name) for key, (name, _) in WAYS.items()],
        labels=len(swept.forecasts),
        conversations=len({each.conversation for each in swept.forecasts}),
        held=len(gathered.held),
        lines=lines,
        charts=draw(lines, choice.threshold, at),
        choice=choice_in_words(choice, swept.present, len(swept.forecasts)),
        chosen=choice.threshold,
        asked=asked,
        looked_at=looked_at,
        is_wrong=bool(asked) and at is None,
        promises=_promises(seen),
    )


def read_cutoff(asked: str) -> float | None:
    """A number from 0 to 1 as it was typed; nothing of anything else."""
    try:
        number = float(asked.replace(",", "."))
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None


def choice_in_words(choice: Choice, present: float, labels: int) -> str:
    """Which cut-off labels choose, and why."""
    if choice.gain is None or choice.error is None or labels < FEWEST:
        return f"Nobody can tell yet whether another cut-off than {present:.2f} is better: {labels} labels are too few."
    if not choice.is_changed:
        return (
            f"{present:.2f} stays: no other cut-off has an F1 that is better by more than one standard error, on five parts of the labels."
        )
    return (
        f"{choice.threshold:.2f} rather than {present:.2f}: its F1 is better by {choice.gain:.3f}, with a standard error of "
        f"{choice.error:.3f}, on five parts of the labels. Within one standard error of the best it is the nearest to {present:.2f}."
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
