"""What people have decided, row by row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from reviewers.review.citations import CitationKey
from reviewers.review.decision_models import Decision
from reviewers.review.given_labels import FieldKey
from reviewers.review.standing import Standing

RowKey = FieldKey | CitationKey
"""What a row is named by: a field by section and path, a citation by what was asked of the reviewer."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a person has decided of a row, between the labels of these identifiers."""

    id: UUID
    verdict: str
    reason: str
    name: str
    decided_at: datetime
    labels: frozenset[UUID]


def made_of(standings: Mapping[UUID, Standing]) -> dict[UUID, dict[RowKey, Made]]:
    """The newest decision that a person made of each row in the present round, by item."""
    table: dict[UUID, dict[RowKey, Made]] = {}
    for row in Decision.objects.filter(snapshot__in=standings).select_related("decided_by").order_by("id"):
        if row.round == standings[row.snapshot_id].round:
            labels = frozenset(UUID(each) for each in row.labels)
            made = Made(row.id, row.verdict, row.reason, row.decided_by.name, row.decided_at, labels)
            table.setdefault(row.snapshot_id, {})[_key_of(row)] = made
    return table


def _key_of(row: Decision) -> RowKey:
    if row.is_citation:
        return CitationKey(row.source, bool(row.is_own), row.start, row.end, row.repeat)
    return row.section, row.path
