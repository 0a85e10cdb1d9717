"""Labels in, a decision out: pure functions. What labels alone decide is stored nowhere, so it cannot disagree with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from reviewers.review.citations import CitationKey
from reviewers.review.deciding.made import Made, RowKey
from reviewers.review.given_labels import GivenCitationLabel, GivenLabel
from reviewers.review.plan_models import Rule
from reviewers.review.plans.labels import Reviewed

NOTHING, CANNOT_JUDGE = "none", "cannot_judge"


class Outcome(StrEnum):
    """What becomes of a row: it is decided, its labels conflict, or those who judged it agree that nobody can."""

    DECIDED = "decided"
    CONFLICT = "conflict"
    UNDECIDABLE = "undecidable"


@dataclass(frozen=True, slots=True)
class Row:
    """A row that anybody has labelled. ``verdict`` is what was decided, empty in a conflict; ``labels`` are those that count.

    ``made`` is the decision of a person, where one holds.
    """

    key: RowKey
    outcome: Outcome
    verdict: str
    labels: Sequence[GivenLabel | GivenCitationLabel]
    made: Made | None = None


def decide(verdicts: Sequence[str], rule: Rule) -> tuple[Outcome, str]:
    """What the verdicts of all reviews of a row come to by a rule; ``none`` stands for a review that says nothing of it.

    One review decides alone. What a lead decides no reviewers do, however they agree.
    """
    verdict, most = Counter(verdicts).most_common(1)[0]
    is_settled = most == len(verdicts) or (rule is Rule.MAJORITY and 2 * most > len(verdicts))
    if not is_settled or (rule is Rule.LEAD and len(verdicts) > 1 and verdict != NOTHING):
        return Outcome.CONFLICT, ""
    return (Outcome.UNDECIDABLE if verdict in (NOTHING, CANNOT_JUDGE) else Outcome.DECIDED), verdict


def rows_of(reviews: Sequence[Reviewed], rule: Rule, made: Mapping[RowKey, Made]) -> list[Row]:
    """Every row that any of the reviews labels, fields first. A decision of a person holds while the labels it was made between count."""
    fields = sorted({key for review in reviews for key in review.fields})
    citations = sorted({key for review in reviews for key in review.citations}, key=_in_the_answer)
    keys: list[RowKey] = [*fields, *citations]
    return [_row(key, reviews, rule, made.get(key)) for key in keys]


def conflicts_of(rows: Iterable[Row]) -> list[Row]:
    """Those that a lead has to decide yet."""
    return [row for row in rows if row.outcome is Outcome.CONFLICT]


def made_on(rows: Iterable[Row]) -> dict[RowKey, Made]:
    """What people have decided and that holds, by row."""
    return {row.key: row.made for row in rows if row.made is not None}


def label_of(review: Reviewed, key: RowKey) -> GivenLabel | GivenCitationLabel | None:
    """What a review says of a row."""
    return review.citations.get(key) if isinstance(key, CitationKey) else review.fields.get(key)


def _row(key: RowKey, reviews: Sequence[Reviewed], rule: Rule, made: Made | None) -> Row:
    given = [label_of(review, key) for review in reviews]
    labels = [label for label in given if label is not None]
    if made is not None and made.labels == {label.id for label in labels}:
        outcome = Outcome.UNDECIDABLE if made.verdict == CANNOT_JUDGE else Outcome.DECIDED
        return Row(key, outcome, made.verdict, labels, made)
    outcome, verdict = decide([label.verdict.value if label else NOTHING for label in given], rule)
    return Row(key, outcome, verdict, labels)


def _in_the_answer(key: CitationKey) -> tuple[int, str, bool, int]:
    return (-1 if key.start is None else key.start), key.source, key.is_own, key.repeat
