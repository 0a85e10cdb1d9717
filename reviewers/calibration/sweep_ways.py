"""What can be cut off by: how rows are compared, and what has to be said of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from attribution.calibration import Observation
from reviewers.calibration.cutting import Swept, by_confidence, by_density, by_score, by_share

_VIEW = "This is a view only, and goes into no profile"


@dataclass(frozen=True, slots=True)
class Way:
    """``note`` says what the number is and whether it goes into a profile, ``empty`` what is missing where no row has one.

    Cut-offs go up to ``most``, are written with so many ``decimals``, and somebody types one such as ``example``.
    """

    title: str
    compared: Callable[[Iterable[Observation]], Swept]
    note: str
    empty: str
    decimals: int = 2
    most: float = 1.0
    example: str = "0.80"

    def written(self, cutoff: float) -> str:
        """A cut-off as it stands on the page."""
        return f"{cutoff:.{self.decimals}f}"

    def read(self, asked: str) -> float | None:
        """A cut-off as somebody typed it; nothing of anything else."""
        try:
            number = float(asked.replace(",", "."))
        except ValueError:
            return None
        return number if 0 <= number <= self.most else None


_NO_REVIEW = "No review with labels on answers of this combination has been submitted."

WAYS: Mapping[str, Way] = {
    "confidence": Way(
        "Confidence",
        by_confidence,
        "Each confidence is of a fit that has not seen the label it is compared with. A profile proposed now takes the one that is chosen.",
        _NO_REVIEW,
    ),
    "score": Way(
        "Raw score",
        by_score,
        f"The score that a rule gives. {_VIEW}.",
        _NO_REVIEW,
    ),
    "share": Way(
        "Share of a long text",
        by_share,
        "Long texts by the share of their words that the answer has. Those below the present threshold are not stored as found, so nothing "
        f"lower can be told. {_VIEW}: with another threshold other rows are found, which no comparison tells of yet.",
        "No label is on a long text that was found by a share of its words.",
    ),
    "density": Way(
        "Words to a marker",
        by_density,
        "Rows that rest on a marker alone, by how many words of the answer there are to each marker; one marker alone is always sparse "
        f"enough. Below the present number an answer is said to be over-cited. {_VIEW}: an export of labels does not tell how densely "
        "answers cite, so nobody could fit such a profile again.",
        "No label is on a row that rests on a marker alone.",
        decimals=0,
        most=1_000,
        example="30",
    ),
}
"""As the address names them."""
