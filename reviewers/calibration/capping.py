"""Caps: the most that a score may be where a rule is not trusted further, beside what labels say of the rows at it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from attribution import DEFAULT_PROFILE
from attribution.calibration import Interval, Observation, judged, wilson
from reviewers.calibration.cutting import is_long_text
from reviewers.calibration.method_rows import FEWEST


@dataclass(frozen=True, slots=True)
class Cap:
    """A cap as it is, and the labels on rows that it holds back: how many are right, with Wilson's 90% interval."""

    name: str
    present: float
    labels: int
    right: int
    interval: Interval

    @property
    def is_enough(self) -> bool:
        """Whether its labels tell anything."""
        return self.labels >= FEWEST

    @property
    def share(self) -> float | None:
        """The share that is right; nothing without labels."""
        return self.right / self.labels if self.labels else None


def list_caps(observations: Iterable[Observation]) -> Sequence[Cap]:
    """Both caps of the engine."""
    thresholds, known = DEFAULT_PROFILE.thresholds, judged(observations)
    texts = [each for each in known if is_long_text(each) and not each.is_cited and each.score >= thresholds.summary_cap]
    common = [each for each in known if each.claims and each.is_ambiguous]
    return [
        _cap("Long texts of which the answer has many words", thresholds.summary_cap, texts),
        _cap("Common words, with nothing near them that tells which field is meant", thresholds.common_word_cap, common),
    ]


def _cap(name: str, present: float, its: Sequence[Observation]) -> Cap:
    right = sum(bool(each.is_used) for each in its)
    return Cap(name, present, len(its), right, wilson(right, len(its)))
