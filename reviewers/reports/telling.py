"""What reviewers said, in the words of the sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from attribution import FieldAttribution
from reviewers.reports.naming import name_of
from reviewers.reports.reviews import Review, Said
from reviewers.review.items import field_key
from reviewers.review.models import Verdict

_MOST_REMARKS = 200


@dataclass(frozen=True, slots=True)
class Remark:
    """What a reviewer said of one value."""

    name: str
    words: str
    note: str


@dataclass(frozen=True, slots=True)
class ReviewTold:
    """A finished review: who, when, how many of which, and what was remarked."""

    reviewer: str
    submitted_at: datetime
    counts: Sequence[tuple[int, str]]
    remarks: Sequence[Remark]


def tell(review: Review, rows: Iterable[FieldAttribution]) -> ReviewTold:
    """A review with its counts, and with what was remarked or found wrong."""
    counts = review.counts
    words = (
        (Verdict.CORRECT, "right"),
        (Verdict.WRONG, "wrong"),
        (Verdict.MISSTATED, "with another value"),
        (Verdict.CANNOT_JUDGE, "not clear"),
    )
    remarks = [
        Remark(name_of(row.field), _verdict_in_words(said, is_used=row.is_used), said.note)
        for row in rows
        if (said := review.said.get(field_key(row))) and (said.note or said.verdict in (Verdict.WRONG, Verdict.MISSTATED))
    ]
    told = [(counts[verdict], spoken) for verdict, spoken in words if counts[verdict]]
    return ReviewTold(review.reviewer, review.submitted_at, told, remarks[:_MOST_REMARKS])


def checked(said: Iterable[Said]) -> list[str]:
    """The verdicts on a value that the sheet says is used: each in words, once, with how many gave it."""
    counts = Counter(_verdict_in_words(each, is_used=True) for each in said if each.verdict is not Verdict.NONE)
    return [f"{'A reviewer says' if count == 1 else f'{count} reviewers say'}: {words}" for words, count in counts.items()]


def _verdict_in_words(said: Said, *, is_used: bool) -> str:
    """A verdict is on what the program says of a value: that the answer uses it, or that it does not."""
    words = {
        Verdict.CORRECT: "the answer uses it" if is_used else "the answer does not use it",
        Verdict.WRONG: "the answer does not use it" if is_used else "the answer uses it too",
        Verdict.MISSTATED: "the answer gives another value",
        Verdict.CANNOT_JUDGE: "cannot tell",
    }
    return words.get(said.verdict, "")
