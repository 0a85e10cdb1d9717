"""Labels as they are stored: of one reviewer, of all submitted reviews of an item, and their counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import UUID

from django.db import connection

from attribution import Span
from reviewers.review.models import CitationLabel, CitationVerdict, ClaimVerdict, Label, Truth, UnsupportedClaim, Verdict
from reviewers.review.review_status import ReviewStatus, SubmittedReview
from reviewers.review.visibility import Viewer, sees_labels
from reviewers.snapshots.citations import CitationKey


def truth_of_verdict(verdict: Verdict, *, claims_used: bool) -> Truth:
    """Return the truth about the field that follows from a verdict on its row.

    A row claims that its field is used, or, if it was not found, that it is not. "Wrong" says the opposite.
    """
    if verdict is Verdict.CORRECT:
        return Truth.USED if claims_used else Truth.NOT_USED
    if verdict is Verdict.WRONG:
        return Truth.NOT_USED if claims_used else Truth.USED
    return {Verdict.MISSTATED: Truth.USED, Verdict.CANNOT_JUDGE: Truth.UNKNOWN}.get(verdict, Truth.NONE)


FieldKey = tuple[str, str]
"""Section and path, as the database holds them."""


class ClaimKey(NamedTuple):
    """The words of an answer that a label is on, by their place in its text without citations and traces of markers."""

    start: int
    end: int


Given = TypeVar("Given")

_MOST_TOGETHER = 200
"""The most places of one answer that are compared with each other."""


def are_same(one: Span, other: Span) -> bool:
    """True if two spans are of the same claim: what they share is at least half of the longer one, and so of each.

    Half of the shorter one would not do: a word would then be the same claim as every paragraph around it, and who marked a paragraph would
    agree with anybody who marked a word of it. With the longer one, the spans mean roughly the same words whichever comes first.
    """
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return 2 * shared >= max(one[1] - one[0], other[1] - other[0])


def together(labels: Iterable[tuple[ClaimKey, Given]]) -> list[tuple[ClaimKey, list[Given]]]:
    """Return what was given to spans by claim, in the order of the answer. The span of a claim is that of all labels on it."""
    by_span: dict[ClaimKey, list[Given]] = {}
    for key, given in labels:
        by_span.setdefault(key, []).append(given)
    claims = []
    for spans in group(by_span):
        whole = ClaimKey(min(span.start for span in spans), max(span.end for span in spans))
        claims.append((whole, [given for span in spans for given in by_span[span]]))
    return claims


def group(spans: Iterable[ClaimKey]) -> list[list[ClaimKey]]:
    """Return spans in groups of the same claim, in the order of the answer. A span belongs to the first group whose first span is alike.

    Spans are taken from the first to the last, so who marked what first in time makes no difference.
    """
    groups: list[list[ClaimKey]] = []
    for span in sorted(set(spans)):
        found = next((each for each in groups[-_MOST_TOGETHER:] if are_same(each[0], span)), None)
        if found is None:
            groups.append([span])
        else:
            found.append(span)
    return groups


Key = TypeVar("Key")
Said = TypeVar("Said", Verdict, CitationVerdict, ClaimVerdict)


@dataclass(frozen=True, slots=True)
class StoredLabel(Generic[Key, Said]):
    """A label of a field, of a citation or of words. The last one under a key counts."""

    id: UUID
    key: Key
    verdict: Said
    note: str
    reason: str
    created_at: datetime
    action_id: UUID
    undoes: UUID | None
    replaces: UUID | None

    @property
    def is_verdict(self) -> bool:
        """True if it has a verdict, rather than taking a label back or holding only a note."""
        return self.verdict.value != "none"

    @property
    def says_anything(self) -> bool:
        """True if it has a verdict or a note."""
        return self.is_verdict or bool(self.note)


StoredFieldLabel = StoredLabel[FieldKey, Verdict]
StoredCitationLabel = StoredLabel[CitationKey, CitationVerdict]
StoredClaimLabel = StoredLabel[ClaimKey, ClaimVerdict]
AnyLabel = StoredFieldLabel | StoredCitationLabel | StoredClaimLabel


_LABELS = """ARRAY(
    SELECT jsonb_build_object(
        'id', label.id, 'verdict', label.verdict, 'note', label.note, 'reason', label.reason, 'created_at', label.created_at,
        'action_id', label.action_id, 'undoes', label.undoes, 'replaces_id', label.replaces_id, {key}
    )
    FROM (VALUES ({asked})) AS asked (snapshot_id, round, submitter_id, reviewer_id), {table} AS label
    WHERE label.snapshot_id = asked.snapshot_id AND label.reviewer_id = CASE WHEN asked.submitter_id IS NULL OR EXISTS (
        SELECT FROM review_submission AS own
        WHERE (own.snapshot_id, own.round, own.reviewer_id) = (asked.snapshot_id, asked.round, asked.reviewer_id)
    ) THEN asked.reviewer_id ELSE asked.submitter_id END
    ORDER BY label.id
)"""
"""The labels of the reviewer; if the reviewer has not submitted and another has, those of the last who did."""
_COLUMNS = ("id", "verdict", "note", "reason", "created_at", "action_id", "undoes", "replaces_id")


@dataclass(frozen=True, slots=True)
class LabelKind(Generic[Key, Said]):
    """A kind of label: its name in `ReviewLabels`, its model, the columns that its key is made of, and its verdicts."""

    name: str
    model: type[Label | CitationLabel | UnsupportedClaim]
    columns: Sequence[str]
    key: Callable[..., Key]
    verdict: type[Said]

    def sql(self, *asked: str) -> str:
        """Return SQL for the labels that a reviewer works with, given an item's identifier, round and submitter, and the reviewer."""
        key = ", ".join(f"'{name}', label.\"{name}\"" for name in self.columns)
        return _LABELS.format(asked=", ".join(asked), table=self.model._meta.db_table, key=key)

    def read(self, row: Mapping[str, Any]) -> StoredLabel[Key, Said]:
        """Return a label from ``sql``, in which identifiers and moments are text, or from its columns."""
        moment, ids = row["created_at"], {name: _identifier(row[name]) for name in ("id", "action_id", "undoes")}
        return StoredLabel(
            key=self.key(*(row[name] for name in self.columns)),
            verdict=self.verdict(row["verdict"]),
            note=row["note"],
            reason=row["reason"],
            created_at=datetime.fromisoformat(moment) if isinstance(moment, str) else moment,
            replaces=_identifier(row["replaces_id"]),
            **ids,
        )


def _identifier(value: UUID | str | None) -> Any:
    return UUID(value) if isinstance(value, str) else value


OF_FIELDS: LabelKind[FieldKey, Verdict] = LabelKind("fields", Label, ("section", "path"), lambda section, path: (section, path), Verdict)
OF_CITATIONS = LabelKind("citations", CitationLabel, CitationKey._fields, CitationKey, CitationVerdict)
OF_CLAIMS = LabelKind("claims", UnsupportedClaim, ClaimKey._fields, ClaimKey, ClaimVerdict)
KINDS: Sequence[LabelKind[Any, Any]] = (OF_FIELDS, OF_CITATIONS, OF_CLAIMS)


def changes_of(
    labels: Sequence[AnyLabel], submitted_at: datetime | None
) -> dict[FieldKey | CitationKey | ClaimKey, list[tuple[AnyLabel, str]]]:
    """Return the labels that were replaced after submission, each with the reason, by key, oldest first.

    Labels that were replaced before it were only drafts.
    """
    by_id = {label.id: label for label in labels}
    table: dict[FieldKey | CitationKey | ClaimKey, list[tuple[AnyLabel, str]]] = {}
    for label in labels:
        old = by_id.get(label.replaces) if label.replaces else None
        if submitted_at is not None and label.created_at > submitted_at and old is not None:
            table.setdefault(label.key, []).append((old, label.reason))
    return table


# The labels of all submitted reviews of an item.


@dataclass(frozen=True, slots=True)
class ReviewLabels(SubmittedReview):
    """A submitted review with the labels that count in it, by field, citation and words. Labels that take a verdict back are included."""

    fields: dict[FieldKey, StoredFieldLabel] = field(default_factory=dict)
    citations: dict[CitationKey, StoredCitationLabel] = field(default_factory=dict)
    claims: dict[ClaimKey, StoredClaimLabel] = field(default_factory=dict)

    def label_on(self, key: FieldKey | CitationKey) -> AnyLabel | None:
        """Return the label of a field or a citation, or None."""
        return self.citations.get(key) if isinstance(key, CitationKey) else self.fields.get(key)

    def claims_among(self, labels: Sequence[AnyLabel]) -> list[StoredClaimLabel]:
        """Return those of some labels by which this review calls words unsupported."""
        ids = {label.id for label in labels}
        return [label for label in self.claims.values() if label.id in ids]

    @property
    def label_count(self) -> int:
        """Return the number of labels with a verdict."""
        return sum(each.is_verdict for kind in (self.fields, self.citations, self.claims) for each in kind.values())


def load_review_labels(statuses: Mapping[UUID, ReviewStatus]) -> dict[UUID, list[ReviewLabels]]:
    """Return all submitted reviews of some items in the order of their slots, by item, in three queries.

    They include reviews that the viewer may not see: use them for deciding, never for showing.
    """
    reviews = {
        (item_id, each.reviewer_id): ReviewLabels(each.id, each.reviewer_id, each.name, each.submitted_at, each.slot)
        for item_id, status in statuses.items()
        for each in status.reviews
    }
    wanted = {"snapshot__in": {item_id for item_id, _ in reviews}, "reviewer__in": {reviewer_id for _, reviewer_id in reviews}}
    for kind in KINDS:
        labels = kind.model.objects.filter(**wanted).order_by("id")
        for row in labels.values("snapshot_id", "reviewer_id", *kind.columns, *_COLUMNS):
            if review := reviews.get((row["snapshot_id"], row["reviewer_id"])):
                label = kind.read(row)
                getattr(review, kind.name)[label.key] = label
    return {item_id: [reviews[item_id, each.reviewer_id] for each in status.reviews] for item_id, status in statuses.items()}


def visible_review_labels(viewer: Viewer, item_id: UUID, status: ReviewStatus) -> Sequence[ReviewLabels]:
    """Return the submitted reviews of an item that the viewer may see."""
    if not any(sees_labels(viewer, status, review.reviewer_id) for review in status.reviews):
        return ()
    reviews = load_review_labels({item_id: status})[item_id]
    return [review for review in reviews if sees_labels(viewer, status, review.reviewer_id)]


# The counts that lists show.


_LATEST = """
SELECT snapshot_id, reviewer_id, count(*) FILTER (WHERE kind = 'row'), count(*) FILTER (WHERE kind = 'citation') FROM (
    (SELECT DISTINCT ON (snapshot_id, reviewer_id, section, path) 'row' AS kind, snapshot_id, reviewer_id, verdict
    FROM review_label WHERE snapshot_id = ANY(%(snapshots)s) AND shown->>'track' IN ('cited_and_found', 'cited_only', 'found_only')
    ORDER BY snapshot_id, reviewer_id, section, path, id DESC)
    UNION ALL
    (SELECT DISTINCT ON (snapshot_id, reviewer_id, source, is_own, start, "end", repeat) 'citation', snapshot_id, reviewer_id, verdict
    FROM review_citationlabel WHERE snapshot_id = ANY(%(snapshots)s)
    ORDER BY snapshot_id, reviewer_id, source, is_own, start, "end", repeat, id DESC)
) AS latest WHERE verdict <> 'none' GROUP BY snapshot_id, reviewer_id
"""


class LabelCounts(NamedTuple):
    """The number of found fields and of citations that have a verdict."""

    rows: int = 0
    citations: int = 0


def count_labels(snapshot_ids: Sequence[UUID]) -> dict[tuple[UUID, UUID], LabelCounts]:
    """Return the number of verdicts by item and reviewer. The newest label of each field and citation counts."""
    with connection.cursor() as cursor:
        cursor.execute(_LATEST, {"snapshots": list(snapshot_ids)})
        return {(snapshot_id, reviewer_id): LabelCounts(rows, citations) for snapshot_id, reviewer_id, rows, citations in cursor.fetchall()}
