"""Labels as they are stored: of one reviewer, of all submitted reviews of an item, and their counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import connection
from django.db.models import F, Func, JSONField, UUIDField, Value
from django.db.models.functions import Cast

from reviewers.review.citations import CitationKey
from reviewers.review.models import CitationLabel, CitationVerdict, Label, Truth, Verdict
from reviewers.review.plans.visibility import Viewer, sees_labels
from reviewers.review.review_status import ReviewStatus


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

Key = TypeVar("Key")
Said = TypeVar("Said", Verdict, CitationVerdict)


@dataclass(frozen=True, slots=True)
class StoredLabel(Generic[Key, Said]):
    """A label of a field or of a citation. The last one under a key counts."""

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


StoredFieldLabel = StoredLabel[FieldKey, Verdict]
StoredCitationLabel = StoredLabel[CitationKey, CitationVerdict]


class _LabelsOf(Func):
    """The labels of the reviewer; if the reviewer has not submitted and another has, those of the last who did."""

    template = """ARRAY(
        SELECT jsonb_build_object(
            'id', label.id, 'verdict', label.verdict, 'note', label.note, 'reason', label.reason, 'created_at', label.created_at,
            'action_id', label.action_id, 'undoes', label.undoes, 'replaces', label.replaces_id, %(key)s
        )
        FROM (VALUES (%(expressions)s)) AS asked (snapshot_id, round, submitter_id, reviewer_id), %(table)s AS label
        WHERE label.snapshot_id = asked.snapshot_id AND label.reviewer_id = CASE WHEN asked.submitter_id IS NULL OR EXISTS (
            SELECT FROM review_submission AS own
            WHERE (own.snapshot_id, own.round, own.reviewer_id) = (asked.snapshot_id, asked.round, asked.reviewer_id)
        ) THEN asked.reviewer_id ELSE asked.submitter_id END
        ORDER BY label.id
    )"""
    output_field = ArrayField(JSONField())

    def __init__(self, reviewer_id: UUID, table: str, key: Sequence[str]) -> None:
        asked = (F("pk"), F("round"), F("submitted_by"), Cast(Value(reviewer_id), UUIDField()))
        super().__init__(*asked, table=table, key=", ".join(f"'{name}', label.\"{name}\"" for name in key))


def labels_of(reviewer_id: UUID) -> Func:
    """Return the labels of each item's fields that the reviewer works with, as an annotation."""
    return _LabelsOf(reviewer_id, "review_label", ("section", "path"))


def citation_labels_of(reviewer_id: UUID) -> Func:
    """Return the labels of each item's citations that the reviewer works with, as an annotation."""
    return _LabelsOf(reviewer_id, "review_citationlabel", CitationKey._fields)


def read_label(row: Mapping[str, Any]) -> StoredFieldLabel:
    """Return a label of a field from the annotation ``labels_of``."""
    return StoredLabel(key=(row["section"], row["path"]), verdict=Verdict(row["verdict"]), **_common(row))


def read_citation_label(row: Mapping[str, Any]) -> StoredCitationLabel:
    """Return a label of a citation from the annotation ``citation_labels_of``."""
    return StoredLabel(
        key=CitationKey(*(row[name] for name in CitationKey._fields)), verdict=CitationVerdict(row["verdict"]), **_common(row)
    )


def stored_label(label: Label) -> StoredFieldLabel:
    """Return a saved label of a field."""
    return StoredLabel(key=(label.section, label.path), verdict=Verdict(label.verdict), **_written(label))


STORED_LABEL_COLUMNS = ("section", "path", "verdict", "id", "note", "reason", "created_at", "action_id", "undoes", "replaces_id")
"""The columns that ``stored_label_from_columns`` reads. In bulk they cost a third of loading ``Label`` objects."""


def stored_label_from_columns(columns: Sequence[Any]) -> StoredFieldLabel:
    """Return a label of a field from the values of ``STORED_LABEL_COLUMNS``."""
    section, path, verdict, *written = columns
    return StoredLabel(written[0], (section, path), Verdict(verdict), *written[1:])


def stored_citation_label(label: CitationLabel) -> StoredCitationLabel:
    """Return a saved label of a citation."""
    key = CitationKey(label.source, label.is_own, label.start, label.end, label.repeat)
    return StoredLabel(key=key, verdict=CitationVerdict(label.verdict), **_written(label))


def changes_of(
    labels: Sequence[StoredLabel[Key, Said]], submitted_at: datetime | None
) -> dict[Key, list[tuple[StoredLabel[Key, Said], str]]]:
    """Return the labels that were replaced after submission, each with the reason, by key, oldest first.

    Labels that were replaced before it were only drafts.
    """
    if submitted_at is None:
        return {}
    by_id = {label.id: label for label in labels}
    table: dict[Key, list[tuple[StoredLabel[Key, Said], str]]] = {}
    for label in labels:
        old = by_id.get(label.replaces) if label.replaces else None
        if label.created_at > submitted_at and old is not None:
            table.setdefault(label.key, []).append((old, label.reason))
    return table


def _common(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": UUID(row["id"]),
        "note": row["note"],
        "reason": row["reason"],
        "created_at": datetime.fromisoformat(row["created_at"]),
        "action_id": UUID(row["action_id"]),
        "undoes": UUID(row["undoes"]) if row["undoes"] else None,
        "replaces": UUID(row["replaces"]) if row["replaces"] else None,
    }


def _written(label: Label | CitationLabel) -> dict[str, Any]:
    return {
        "id": label.id,
        "note": label.note,
        "reason": label.reason,
        "created_at": label.created_at,
        "action_id": label.action_id,
        "undoes": label.undoes,
        "replaces": label.replaces_id,
    }


# The labels of all submitted reviews of an item.


@dataclass(frozen=True, slots=True)
class ReviewLabels:
    """One submitted review with the labels that count in it, by field and by citation.

    Labels that take a verdict back are included.
    """

    reviewer_id: UUID
    name: str
    submitted_at: datetime
    fields: Mapping[FieldKey, StoredFieldLabel]
    citations: Mapping[CitationKey, StoredCitationLabel]

    def verdict_on(self, key: FieldKey) -> Verdict:
        """Return the verdict on a field."""
        label = self.fields.get(key)
        return label.verdict if label else Verdict.NONE

    def verdict_on_citation(self, key: CitationKey) -> CitationVerdict:
        """Return the verdict on a citation."""
        label = self.citations.get(key)
        return label.verdict if label else CitationVerdict.NONE


def review_labels_of(item_id: UUID, standing: ReviewStatus) -> list[ReviewLabels]:
    """Return all submitted reviews of an item in the order of their slots, visible to the viewer or not.

    Use them for deciding, never for showing.
    """
    return review_labels_of_items({item_id: standing})[item_id]


def review_labels_of_items(standings: Mapping[UUID, ReviewStatus]) -> dict[UUID, list[ReviewLabels]]:
    """Return all submitted reviews of several items, by item, in two queries."""
    fields: dict[tuple[UUID, UUID], dict[FieldKey, StoredFieldLabel]] = {}
    citations: dict[tuple[UUID, UUID], dict[CitationKey, StoredCitationLabel]] = {}
    authors = {review.reviewer_id for standing in standings.values() for review in standing.reviews}
    wanted = {"snapshot__in": list(standings), "reviewer__in": authors}
    for item_id, by, *columns in (
        Label.objects.filter(**wanted).order_by("id").values_list("snapshot_id", "reviewer_id", *STORED_LABEL_COLUMNS)
    ):
        label = stored_label_from_columns(columns)
        fields.setdefault((item_id, by), {})[label.key] = label
    for cited in CitationLabel.objects.filter(**wanted).defer("shown").order_by("id"):
        said = stored_citation_label(cited)
        citations.setdefault((cited.snapshot_id, cited.reviewer_id), {})[said.key] = said
    return {
        item_id: [
            ReviewLabels(each.reviewer_id, each.name, each.submitted_at, fields.get(by, {}), citations.get(by, {}))
            for each in standing.reviews
            for by in [(item_id, each.reviewer_id)]
        ]
        for item_id, standing in standings.items()
    }


def visible_review_labels(viewer: Viewer, item_id: UUID, standing: ReviewStatus) -> Sequence[ReviewLabels]:
    """Return the submitted reviews of an item that the viewer may see."""
    if not any(sees_labels(viewer, standing, review.reviewer_id) for review in standing.reviews):
        return ()
    return [reviewed for reviewed in review_labels_of(item_id, standing) if sees_labels(viewer, standing, reviewed.reviewer_id)]


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
