"""Reads of the table of trust that answers are judged under."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from attribution import TrustRegistry, read_trust_table, with_own_table
from attribution import TrustTable as EngineTable
from reviewers.snapshots.models import ProposalOutcome, TrustDecision, TrustTable


@dataclass(frozen=True, slots=True)
class TrustInUse:
    """A stored table, ready for the engine: its registry asks the table first."""

    id: UUID
    registry: TrustRegistry


def find_in_use(organisation_id: UUID) -> TrustInUse | None:
    """Return the table that new answers are judged under, in one query, or None if the organisation has none."""
    return find_used(id_in_use(organisation_id))


def id_in_use(organisation_id: UUID) -> UUID | None:
    """Return the table that was approved last, or None."""
    approved = TrustDecision.objects.filter(organisation=organisation_id, outcome=ProposalOutcome.APPROVED)
    return approved.order_by("-decided_at", "-id").values_list("version_id", flat=True).first()


def find_used(table_id: UUID | None) -> TrustInUse | None:
    """Return the table that an answer was judged under, or None."""
    return _read_stored(table_id) if table_id else None


@lru_cache(maxsize=64)
def _read_stored(table_id: UUID) -> TrustInUse:
    """Return a stored table. It is cached: a table never changes under its identifier."""
    number = TrustTable.objects.values_list("number", flat=True).get(pk=table_id)
    return TrustInUse(table_id, with_own_table(read_rules(table_id), title_of(number)))


def read_rules(table_id: UUID | None) -> EngineTable:
    """Return the rules of a table; none without one."""
    if table_id is None:
        return EngineTable(())
    return read_trust_table(bytes(TrustTable.objects.values_list("document", flat=True).get(pk=table_id)))


def title_of(number: int) -> str:
    """Return the title of a table, which attributions keep."""
    return f"version {number}"
