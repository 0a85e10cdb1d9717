"""Labels as they were given, read in the statement that reads their item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db.models import F, Func, JSONField, UUIDField, Value
from django.db.models.functions import Cast

from reviewers.review.citation_models import CitationLabel, CitationVerdict
from reviewers.review.citations import CitationKey
from reviewers.review.models import Label, Verdict

FieldKey = tuple[str, str]
"""Section and path, as the database holds them."""

Key = TypeVar("Key")
Said = TypeVar("Said", Verdict, CitationVerdict)


@dataclass(frozen=True, slots=True)
class Given(Generic[Key, Said]):
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


GivenLabel = Given[FieldKey, Verdict]
GivenCitationLabel = Given[CitationKey, CitationVerdict]


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


def read_label(row: Mapping[str, Any]) -> GivenLabel:
    """A label of a field."""
    return Given(key=(row["section"], row["path"]), verdict=Verdict(row["verdict"]), **_common(row))


def read_citation_label(row: Mapping[str, Any]) -> GivenCitationLabel:
    """A label of a citation."""
    return Given(key=CitationKey(*(row[name] for name in CitationKey._fields)), verdict=CitationVerdict(row["verdict"]), **_common(row))


def given(label: Label) -> GivenLabel:
    """One that was just written."""
    return Given(key=(label.section, label.path), verdict=Verdict(label.verdict), **_written(label))


GIVEN = ("section", "path", "verdict", "id", "note", "reason", "created_at", "action_id", "undoes", "replaces_id")
"""The columns of a label that ``given_of`` reads: in bulk they cost a third of the label itself."""


def given_of(columns: Sequence[Any]) -> GivenLabel:
    """One out of these columns."""
    section, path, verdict, *written = columns
    return Given(written[0], (section, path), Verdict(verdict), *written[1:])


def given_to_citation(label: CitationLabel) -> GivenCitationLabel:
    """One of a citation that was just written."""
    key = CitationKey(label.source, label.is_own, label.start, label.end, label.repeat)
    return Given(key=key, verdict=CitationVerdict(label.verdict), **_written(label))


def changes_of(labels: Sequence[Given[Key, Said]], submitted_at: datetime | None) -> dict[Key, list[tuple[Given[Key, Said], str]]]:
    """The labels that were replaced after submission with the reasons, oldest first; the ones before it were only drafts."""
    if submitted_at is None:
        return {}
    by_id = {label.id: label for label in labels}
    table: dict[Key, list[tuple[Given[Key, Said], str]]] = {}
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
