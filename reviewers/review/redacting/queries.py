"""Proposals and what became of them, as their pages show them. What is to be redacted is named, never shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from reviewers.ledger.redacted import name_of
from reviewers.ledger.redaction_models import Basis, Outcome, Redaction
from reviewers.review.redacting.names import in_words
from reviewers.snapshots.models import Snapshot

MOST = 200


@dataclass(frozen=True, slots=True)
class RedactionRow:
    """A proposal. ``outcome`` is empty while nobody has decided it."""

    id: UUID
    item_id: UUID
    title: str
    turn: str
    parts: Sequence[str]
    basis: str
    basis_code: str
    reason: str
    proposed_by: UUID
    proposer: str
    proposed_at: datetime
    outcome: str
    decider: str
    decided_at: datetime | None

    @property
    def outcome_words(self) -> str:
        """What became of it, in a word."""
        return Outcome(self.outcome).label if self.outcome else "Waits"


def list_rows(organisation_id: UUID) -> list[RedactionRow]:
    """The newest proposals of an organisation, those that wait first."""
    rows = _rows(organisation_id).order_by("-id")[:MOST]
    return sorted((_read(row) for row in rows), key=lambda row: bool(row.outcome))


def find_row(organisation_id: UUID, redaction_id: UUID, known: Mapping[str, str] | None = None) -> RedactionRow:
    """One of them; ``known`` are words for parts that whoever looks may know more of."""
    return _read(_rows(organisation_id).get(pk=redaction_id), known)


def _rows(organisation_id: UUID) -> QuerySet[Redaction]:
    snapshots = Snapshot.objects.filter(pk=OuterRef("object_id"))
    return (
        Redaction.objects.filter(organisation_id=organisation_id)
        .select_related("decision")
        .annotate(
            proposer=name_of("proposed_by"),
            decider=name_of("decision__decided_by"),
            conversation=Subquery(snapshots.values("conversation_id")),
            external_id=Subquery(snapshots.values("external_id")),
            turn=Subquery(snapshots.values("turn_index")),
        )
    )


def _read(row: Any, known: Mapping[str, str] | None = None) -> RedactionRow:
    decision = getattr(row, "decision", None)
    return RedactionRow(
        id=row.id,
        item_id=row.object_id,
        title=row.conversation or row.external_id,
        turn=f"turn {row.turn}" if row.turn is not None else "",
        parts=[known[name] for name in row.parts if name in known] + in_words(name for name in row.parts if name not in known)
        if known
        else in_words(row.parts),
        basis=Basis(row.basis).label,
        basis_code=row.basis,
        reason=row.reason,
        proposed_by=row.proposed_by,
        proposer=row.proposer or "somebody",
        proposed_at=row.proposed_at,
        outcome=decision.outcome if decision else "",
        decider=row.decider or "",
        decided_at=decision.decided_at if decision else None,
    )
