"""The page of thresholds: the costs and benefits of each cut-off, the one that labels choose, and one to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from attribution import Thresholds
from attribution.calibration import Choice, Interval, Observation, judged, wilson
from reviewers.calibration import wording
from reviewers.calibration.charts import Chart, CutoffLine, draw_cutoff_charts, line_at
from reviewers.calibration.combinations import ENGINE
from reviewers.calibration.cutoffs import SHIPPED, Swept, by_confidence, by_density, by_score, by_share, choose_cutoff, is_long_text
from reviewers.calibration.fitting import FEWEST
from reviewers.calibration.labels.dataset import build_dataset, hold_out, learned_by
from reviewers.calibration.labels.thresholds import CHOSEN, reading_profile, thresholds_of
from reviewers.calibration.models import CalibrationProfile, SeenCombination
from reviewers.calibration.pages.combination import FEWEST_TO_TELL
from reviewers.calibration.queries import find_open
from reviewers.calibration.shadow import record_of

_VIEW = "This is a view only, and goes into no profile"
_CHOSEN = "A profile can be proposed with it below; nothing is chosen by itself"


@dataclass(frozen=True, slots=True)
class CutoffBasis:
    """A number to cut off by. ``note`` says what it is and whether a profile uses it, ``empty`` what is missing if no row has one.

    Cut-offs go up to ``most`` and are written with so many ``decimals``; ``example`` is shown beside the input.
    """

    title: str
    compared: Callable[[Iterable[Observation], Thresholds], Swept]
    note: str
    empty: str
    decimals: int = 2
    most: float = 1.0
    example: str = "0.80"
    threshold: str = ""

    def written(self, cutoff: float) -> str:
        """Return a cut-off as the page writes it."""
        return f"{cutoff:.{self.decimals}f}"

    def read(self, asked: str) -> float | None:
        """Return a typed cut-off, or None for anything else."""
        try:
            number = float(asked.replace(",", "."))
        except ValueError:
            return None
        return number if 0 <= number <= self.most else None


_NO_REVIEW = "No review with labels on answers of this combination has been submitted."

CUTOFF_BASES: Mapping[str, CutoffBasis] = {
    "confidence": CutoffBasis(
        "Confidence",
        by_confidence,
        "Each confidence is of a fit that has not seen the label it is compared with. A profile proposed now takes the one that is chosen.",
        _NO_REVIEW,
    ),
    "score": CutoffBasis(
        "Raw score",
        by_score,
        f"The score that a rule gives. {_VIEW}.",
        _NO_REVIEW,
    ),
    "share": CutoffBasis(
        "Share of a long text",
        by_share,
        "Long texts by the share of their words that the answer has. Those below the present threshold are not stored as found, so nothing "
        f"lower can be told. {_CHOSEN}: with another threshold other rows are found, and the comparison of the profile tells which.",
        "No label is on a long text that was found by a share of its words.",
        threshold="summary_share",
    ),
    "density": CutoffBasis(
        "Words to a marker",
        by_density,
        "Rows that rest on a marker alone, by how many words of the answer there are to each marker; one marker alone is always sparse "
        f"enough. Below the present number an answer is said to be over-cited. {_CHOSEN}.",
        "No label is on a row that rests on a marker alone.",
        decimals=0,
        most=1_000,
        example="30",
        threshold="tokens_per_marker",
    ),
}
"""By the name in the address."""


# Caps: upper limits of scores for rules that are not trusted further.


@dataclass(frozen=True, slots=True)
class Cap:
    """A cap, and the labels on rows that it limits: how many are right, with Wilson's 90% interval."""

    name: str
    present: float
    labels: int
    right: int
    interval: Interval

    @property
    def is_enough(self) -> bool:
        """True if there are enough labels to tell anything."""
        return self.labels >= FEWEST_TO_TELL

    @property
    def share(self) -> float | None:
        """The share that is right, or None without labels."""
        return self.right / self.labels if self.labels else None


def list_caps(observations: Iterable[Observation], thresholds: Thresholds = SHIPPED) -> Sequence[Cap]:
    """Return both caps of the engine."""
    known = judged(observations)
    texts = [each for each in known if is_long_text(each) and not each.is_cited and each.score >= thresholds.summary_cap]
    common = [each for each in known if each.claims and each.is_ambiguous]
    return [
        _cap("Long texts of which the answer has many words", thresholds.summary_cap, texts),
        _cap("Common words, with nothing near them that tells which field is meant", thresholds.common_word_cap, common),
    ]


def _cap(name: str, present: float, its: Sequence[Observation]) -> Cap:
    right = sum(bool(each.is_used) for each in its)
    return Cap(name, present, len(its), right, wilson(right, len(its)))


@dataclass(frozen=True, slots=True)
class Promised:
    """A profile with its own cut-off, and its guarantee in words."""

    profile: CalibrationProfile
    is_active: bool
    cutoff: float | None
    promise: str


@dataclass(frozen=True, slots=True)
class SweepPage:
    """The page of thresholds. ``held`` labels are not used, since guarantees rest on them."""

    id: UUID
    name: str
    key: str
    way: CutoffBasis
    ways: Sequence[tuple[str, str]]
    labels: int
    conversations: int
    held: int
    lines: Sequence[CutoffLine]
    charts: Sequence[Chart]
    choice: str
    chosen: float
    asked: str
    looked_at: CutoffLine | None
    is_wrong: bool
    caps: Sequence[Cap]
    choices: Sequence[ThresholdChoice]
    can_propose: bool
    promises: Sequence[Promised]


@dataclass(frozen=True, slots=True)
class ThresholdChoice:
    """A threshold that a profile can be proposed with: its value now, and the one that the page suggests."""

    name: str
    words: str
    present: str
    suggested: str


def _choices(present: Thresholds, by: CutoffBasis, wanted: float | None) -> list[ThresholdChoice]:
    """Return the thresholds to choose. That of the page is suggested as it was looked at, or as labels choose it."""
    values = {name: float(getattr(present, name)) for name in CHOSEN}
    suggested = values | ({by.threshold: wanted} if by.threshold and wanted is not None else {})
    written = wording.threshold_written
    return [ThresholdChoice(name, wording.THRESHOLDS[name], written(name, values[name]), written(name, suggested[name])) for name in CHOSEN]


def build_sweep(seen: SeenCombination, way: str = "", asked: str = "") -> SweepPage:
    """Return the page; ``way`` names the number to cut off by, and ``asked`` is one typed cut-off."""
    key = way if way in CUTOFF_BASES else "confidence"
    by, gathered = CUTOFF_BASES[key], hold_out(build_dataset(seen), learned_by(seen.active))
    present = reading_profile(thresholds_of(seen.active)).thresholds
    swept = by.compared(gathered.observations, present)
    lines = [line_at(swept.forecasts, each, by.written(each)) for each in swept.cutoffs] if swept.forecasts else []
    choice, at = choose_cutoff(swept), by.read(asked)
    looked_at = line_at(swept.forecasts, at, by.written(at)) if at is not None and swept.forecasts else None
    return SweepPage(
        id=seen.pk,
        name=wording.combination_in_words(seen.model, seen.prompt_version),
        key=key,
        way=by,
        ways=[(key, each.title) for key, each in CUTOFF_BASES.items()],
        labels=len(swept.forecasts),
        conversations=len({each.conversation for each in swept.forecasts}),
        held=len(gathered.held),
        lines=lines,
        charts=draw_cutoff_charts(lines, choice.threshold, at),
        choice=choice_in_words(choice, swept.present, len(swept.forecasts), by.written),
        chosen=choice.threshold,
        asked=asked,
        looked_at=looked_at,
        is_wrong=bool(asked) and at is None,
        caps=list_caps(gathered.observations, present),
        choices=_choices(present, by, at if at is not None else choice.threshold if choice.is_changed else None),
        can_propose=seen.engine == ENGINE and len(judged(gathered.observations)) >= FEWEST and find_open(seen) is None,
        promises=_promises(seen),
    )


def choice_in_words(choice: Choice, present: float, labels: int, written: Callable[[float], str]) -> str:
    """Return which cut-off labels choose, and why."""
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
    """Return the guarantees of the active and the proposed profile."""
    known = [(seen.active, True), (find_open(seen, with_record=True), False)]
    return [
        Promised(each, is_active, wording.cutoff_of(record), wording.guarantee_in_words(record))
        for each, is_active in known
        if each is not None
        for record in [record_of(each)]
    ]
