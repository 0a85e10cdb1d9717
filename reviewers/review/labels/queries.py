"""From a verdict on a row to the truth about its field."""

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
    """What a verdict says of the field: a row claims that its field is used, or, unfound, that it is not; wrong says the opposite."""
    if verdict is Verdict.CORRECT:
        return Truth.USED if claims_used else Truth.NOT_USED
    if verdict is Verdict.WRONG:
        return Truth.NOT_USED if claims_used else Truth.USED
    return {Verdict.MISSTATED: Truth.USED, Verdict.CANNOT_JUDGE: Truth.UNKNOWN}.get(verdict, Truth.NONE)


# Labels as they were given, read in the statement that reads their item.


FieldKey = tuple[str, str]
"""Section and path, as the database holds them."""

Key = TypeVar("Key")
Said = TypeVar("Said", Verdict, CitationVerdict)


@dataclass(frozen=True, slots=True)
class StoredLabel(Generic[Key, Said]):
    """A label as it was given; the last one under a key counts."""

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
        """Whether it says anything, rather than taking a label back or holding only a note."""
        return self.verdict.value != "none"


StoredFieldLabel = StoredLabel[FieldKey, Verdict]
StoredCitationLabel = StoredLabel[CitationKey, CitationVerdict]


class _LabelsOf(Func):
    """The labels of an item: the reviewer's own; where the reviewer has not submitted and another has, those of the last who did."""

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
    """Return the labels of each item, as an annotation."""
    return _LabelsOf(reviewer_id, "review_label", ("section", "path"))


def citation_labels_of(reviewer_id: UUID) -> Func:
    """Return the labels of each item's citations, as an annotation."""
    return _LabelsOf(reviewer_id, "review_citationlabel", CitationKey._fields)


def read_label(row: Mapping[str, Any]) -> StoredFieldLabel:
    """A label of a field."""
    return StoredLabel(key=(row["section"], row["path"]), verdict=Verdict(row["verdict"]), **_common(row))


def read_citation_label(row: Mapping[str, Any]) -> StoredCitationLabel:
    """A label of a citation."""
    return StoredLabel(
        key=CitationKey(*(row[name] for name in CitationKey._fields)), verdict=CitationVerdict(row["verdict"]), **_common(row)
    )


def stored_label(label: Label) -> StoredFieldLabel:
    """One that was just written."""
    return StoredLabel(key=(label.section, label.path), verdict=Verdict(label.verdict), **_written(label))


STORED_LABEL_COLUMNS = ("section", "path", "verdict", "id", "note", "reason", "created_at", "action_id", "undoes", "replaces_id")
"""The columns of a label that ``given_of`` reads: in bulk they cost a third of the label itself."""


def stored_label_from_columns(columns: Sequence[Any]) -> StoredFieldLabel:
    """One out of these columns."""
    section, path, verdict, *written = columns
    return StoredLabel(written[0], (section, path), Verdict(verdict), *written[1:])


def stored_citation_label(label: CitationLabel) -> StoredCitationLabel:
    """One of a citation that was just written."""
    key = CitationKey(label.source, label.is_own, label.start, label.end, label.repeat)
    return StoredLabel(key=key, verdict=CitationVerdict(label.verdict), **_written(label))


def changes_of(
    labels: Sequence[StoredLabel[Key, Said]], submitted_at: datetime | None
) -> dict[Key, list[tuple[StoredLabel[Key, Said], str]]]:
    """The labels that were replaced after submission with the reasons, oldest first; the ones before it were only drafts."""
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


# The labels of all reviews of an item, and those of them that somebody may see.


@dataclass(frozen=True, slots=True)
class ReviewLabels:
    """One submitted review: the labels that count in it, also those that take a verdict back, by what they are about."""

    reviewer_id: UUID
    name: str
    submitted_at: datetime
    fields: Mapping[FieldKey, StoredFieldLabel]
    citations: Mapping[CitationKey, StoredCitationLabel]

    def verdict_on(self, key: FieldKey) -> Verdict:
        """What was said of a field's row."""
        label = self.fields.get(key)
        return label.verdict if label else Verdict.NONE

    def verdict_on_citation(self, key: CitationKey) -> CitationVerdict:
        """What was said of a citation."""
        label = self.citations.get(key)
        return label.verdict if label else CitationVerdict.NONE


def review_labels_of(item_id: UUID, standing: ReviewStatus) -> list[ReviewLabels]:
    """All submitted reviews of an item, whoever may see them, in the order of their slots: for deciding, never for showing."""
    return review_labels_of_items({item_id: standing})[item_id]


def review_labels_of_items(standings: Mapping[UUID, ReviewStatus]) -> dict[UUID, list[ReviewLabels]]:
    """The same of several items, in two statements."""
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
    """The submitted reviews of an item that somebody may see."""
    if not any(sees_labels(viewer, standing, review.reviewer_id) for review in standing.reviews):
        return ()
    return [reviewed for reviewed in review_labels_of(item_id, standing) if sees_labels(viewer, standing, reviewed.reviewer_id)]


# How many labels items of a list have, in one statement.


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
    """Found fields, and citations of documents, that have a verdict."""

    rows: int = 0
    citations: int = 0


def count_labels(snapshot_ids: Sequence[UUID]) -> dict[tuple[UUID, UUID], LabelCounts]:
    """The verdicts of each item by each reviewer: of each row and each citation the newest label counts."""
    with connection.cursor() as cursor:
        cursor.execute(_LATEST, {"snapshots": list(snapshot_ids)})
        return {(snapshot_id, reviewer_id): LabelCounts(rows, citations) for snapshot_id, reviewer_id, rows, citations in cursor.fetchall()}
