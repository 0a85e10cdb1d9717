"""From labels to decisions: what the reviews of an item come to by the rule of its plan, and what leads have decided.

What labels alone decide is computed and stored nowhere, so it cannot disagree with them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from django.db.models import QuerySet

from reviewers.review import wording
from reviewers.review.labels.queries import AnyLabel, ClaimKey, FieldKey, ReviewLabels, StoredClaimLabel, load_review_labels, together
from reviewers.review.models import CitationVerdict, ClaimOutcome, DecidedKind, Decision, QueueItem, Rule, Verdict
from reviewers.review.review_status import TERMS, ReviewStatus, read_review_status, reviews_of
from reviewers.snapshots.citations import CitationKey

if TYPE_CHECKING:
    from reviewers.review.items import ReviewItem


RowKey = FieldKey | CitationKey | ClaimKey
"""The key of a row: section and path of a field, the key of a citation, or the span of all labels on an unsupported claim."""


@dataclass(frozen=True, slots=True)
class StoredDecision:
    """A lead's decision on a row, between the labels with these identifiers."""

    id: UUID
    verdict: str
    reason: str
    name: str
    decided_at: datetime
    labels: frozenset[UUID]


def stored_decisions_of(statuses: Mapping[UUID, ReviewStatus]) -> dict[UUID, dict[RowKey, StoredDecision]]:
    """Return the newest decision of a lead on each row in the present round, by item."""
    table: dict[UUID, dict[RowKey, StoredDecision]] = {}
    for row in Decision.objects.filter(snapshot__in=statuses).select_related("decided_by").order_by("id"):
        if row.round == statuses[row.snapshot_id].round:
            labels = frozenset(UUID(each) for each in row.labels)
            made = StoredDecision(row.id, row.verdict, row.reason, row.decided_by.name, row.decided_at, labels)
            table.setdefault(row.snapshot_id, {})[_key_of(row)] = made
    return table


def _key_of(row: Decision) -> RowKey:
    if row.kind == DecidedKind.CITATION:
        return CitationKey(row.source, bool(row.is_own), row.start, row.end, row.repeat)
    if row.start is not None and row.end is not None:
        return ClaimKey(row.start, row.end)
    return row.section, row.path


def kind_of(key: RowKey) -> DecidedKind:
    """Return the kind of row that a key is of."""
    if isinstance(key, CitationKey):
        return DecidedKind.CITATION
    return DecidedKind.CLAIM if isinstance(key, ClaimKey) else DecidedKind.FIELD


# Rules: pure functions from labels to outcomes.


NOTHING, CANNOT_JUDGE = "none", "cannot_judge"


class RowOutcome(StrEnum):
    """The outcome of a row: it is decided, its labels conflict, or all agree that it cannot be judged."""

    DECIDED = "decided"
    CONFLICT = "conflict"
    UNDECIDABLE = "undecidable"


@dataclass(frozen=True, slots=True)
class LabelledRow:
    """A row that somebody has labelled.

    ``verdict`` is the decided one, empty in a conflict. ``labels`` are those that count, of a claim all that are on it. ``made`` is the
    decision of a lead, if one holds.
    """

    key: RowKey
    outcome: RowOutcome
    verdict: str
    labels: Sequence[AnyLabel]
    made: StoredDecision | None = None


def decide(verdicts: Sequence[str], rule: Rule) -> tuple[RowOutcome, str]:
    """Return the outcome and verdict of all reviews of a row by a rule; a review without a label counts as ``none``.

    A single review decides alone. Under the rule ``lead``, agreement between several reviewers does not decide.
    """
    verdict, most = Counter(verdicts).most_common(1)[0]
    is_settled = most == len(verdicts) or (rule is Rule.MAJORITY and 2 * most > len(verdicts))
    if not is_settled or (rule is Rule.LEAD and len(verdicts) > 1 and verdict != NOTHING):
        return RowOutcome.CONFLICT, ""
    return (RowOutcome.UNDECIDABLE if verdict in (NOTHING, CANNOT_JUDGE) else RowOutcome.DECIDED), verdict


def rows_of(reviews: Sequence[ReviewLabels], rule: Rule, made: Mapping[RowKey, StoredDecision]) -> list[LabelledRow]:
    """Return every row that any of the reviews labels: fields, then citations, then unsupported claims.

    A lead's decision holds while the labels that it was made between count.
    """
    fields = sorted({key for review in reviews for key in review.fields})
    citations = sorted({key for review in reviews for key in review.citations}, key=_in_the_answer)
    keys: list[FieldKey | CitationKey] = [*fields, *citations]
    rows = [_row(key, reviews, rule, made.get(key)) for key in keys]
    given = [(key, label) for review in reviews for key, label in review.claims.items() if label.is_verdict]
    return rows + [_claim(key, labels, reviews, rule, made.get(key)) for key, labels in together(given)]


def conflicts_of(rows: Iterable[LabelledRow]) -> list[LabelledRow]:
    """Return the rows that a lead still has to decide."""
    return [row for row in rows if row.outcome is RowOutcome.CONFLICT]


def stored_decisions_on(rows: Iterable[LabelledRow]) -> dict[RowKey, StoredDecision]:
    """Return the decisions of leads that hold, by row."""
    return {row.key: row.made for row in rows if row.made is not None}


def _row(key: FieldKey | CitationKey, reviews: Sequence[ReviewLabels], rule: Rule, made: StoredDecision | None) -> LabelledRow:
    given = [review.label_on(key) for review in reviews]
    labels = [label for label in given if label is not None]
    return _decided(key, labels, made) or LabelledRow(
        key, *decide([label.verdict.value if label else NOTHING for label in given], rule), labels
    )


def _claim(
    key: ClaimKey, labels: Sequence[StoredClaimLabel], reviews: Sequence[ReviewLabels], rule: Rule, made: StoredDecision | None
) -> LabelledRow:
    """Return an unsupported claim as a row. Reviewers who have marked no such words have found them in the record."""
    verdicts = [ClaimOutcome.UNSUPPORTED if review.claims_among(labels) else ClaimOutcome.SUPPORTED for review in reviews]
    return _decided(key, labels, made) or LabelledRow(key, *decide([each.value for each in verdicts], rule), labels)


def _decided(key: RowKey, labels: Sequence[AnyLabel], made: StoredDecision | None) -> LabelledRow | None:
    """Return the row as a lead has decided it, or None without a decision between exactly these labels."""
    if made is None or made.labels != {label.id for label in labels}:
        return None
    outcome = RowOutcome.UNDECIDABLE if made.verdict == CANNOT_JUDGE else RowOutcome.DECIDED
    return LabelledRow(key, outcome, made.verdict, labels, made)


def _in_the_answer(key: CitationKey) -> tuple[int, str, bool, int]:
    return (-1 if key.start is None else key.start), key.source, key.is_own, key.repeat


class ShownDecision(NamedTuple):
    """A decision in words."""

    verdict: str
    tone: str
    name: str
    reason: str


VERDICTS = {verdict.value: str(verdict.label) for verdict in (*Verdict, *CitationVerdict, *ClaimOutcome)}
"""The words of all verdicts."""


def verdicts_on(key: RowKey) -> Sequence[Verdict | CitationVerdict | ClaimOutcome]:
    """Return the verdicts that a lead can decide a row by."""
    if isinstance(key, ClaimKey):
        return list(ClaimOutcome)
    if isinstance(key, CitationKey):
        return [verdict for verdict in CitationVerdict if verdict is not CitationVerdict.NONE]
    return [verdict for verdict in Verdict if verdict is not Verdict.NONE]


def decision_in_words(made: StoredDecision | None) -> ShownDecision | None:
    """Return the decision on a row in words, or None."""
    if made is None:
        return None
    return ShownDecision(VERDICTS[made.verdict], wording.VERDICT_TONES[made.verdict], made.name, made.reason)


# Items with their reviews and decisions.


@dataclass(frozen=True)
class ItemReviews:
    """An item with the reviews and decisions of its present round. Use it for deciding, not for showing."""

    item_id: UUID
    rule: Rule
    review_status: ReviewStatus
    reviews: Sequence[ReviewLabels]
    made: Mapping[RowKey, StoredDecision]

    @cached_property
    def rows(self) -> list[LabelledRow]:
        """Return every row that somebody labelled, with its outcome."""
        return rows_of(self.reviews, self.rule, self.made)

    @cached_property
    def conflicts(self) -> list[LabelledRow]:
        """Return the rows that a lead still has to decide."""
        return conflicts_of(self.rows)


def load_item_reviews(item: ReviewItem) -> ItemReviews:
    """Return the reviews and decisions of one item, as its labels are now."""
    rule = Rule(item.row.plan.rule) if item.row.plan else Rule.UNANIMOUS
    return _load({item.id: item.review_status}, {item.id: rule})[0]


def load_reviews_of_items(items: QuerySet[QueueItem]) -> list[ItemReviews]:
    """Return the reviews and decisions of some items, in their order, in four queries."""
    rows = items.annotate(reviewed=reviews_of()).values("pk", "plan__rule", *TERMS, "reviewed")
    statuses = {row["pk"]: read_review_status(row, (), row["reviewed"]) for row in rows}
    rules = {row["pk"]: Rule(row["plan__rule"] or Rule.UNANIMOUS) for row in rows}
    return _load(statuses, rules)


def _load(statuses: Mapping[UUID, ReviewStatus], rules: Mapping[UUID, Rule]) -> list[ItemReviews]:
    reviews, made = load_review_labels(statuses), stored_decisions_of(statuses)
    return [ItemReviews(pk, rules[pk], status, reviews[pk], made.get(pk, {})) for pk, status in statuses.items()]
