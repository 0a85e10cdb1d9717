"""Reads of tables of trust: the one that new answers are judged under, and versions as their pages show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from uuid import UUID

from django.db.models import Q, QuerySet

from attribution import TrustRegistry, read_trust_table, with_own_table
from attribution import TrustTable as EngineTable
from reviewers.accounts.approval import ProposalRow, read_proposals, with_outcome
from reviewers.accounts.models import Organisation
from reviewers.snapshots.models import ProposalOutcome, TrustDecision, TrustProposal, TrustTable

NEWEST = 50
"""The number of versions listed that nobody has proposed."""


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
    return approved.order_by("-decided_at", "-id").values_list("table_id", flat=True).first()


def find_used(table_id: UUID | None) -> TrustInUse | None:
    """Return the table that an answer was judged under, or None."""
    return _read_stored(table_id) if table_id else None


@lru_cache(maxsize=64)
def _read_stored(table_id: UUID) -> TrustInUse:
    """Return a stored table. It is cached: a table never changes under its identifier."""
    document, number = TrustTable.objects.values_list("document", "number").get(pk=table_id)
    return TrustInUse(table_id, with_own_table(read_trust_table(bytes(document)), title_of(number)))


def title_of(number: int) -> str:
    """Return the title of a table, which attributions keep."""
    return f"version {number}"


@dataclass(frozen=True, slots=True)
class Version:
    """A stored table with its proposals, oldest first. ``bases`` are the tables that each would have replaced."""

    id: UUID
    number: int
    digest: str
    rule_count: int
    writer: str
    written_at: datetime
    proposals: Sequence[ProposalRow]
    bases: Sequence[UUID | None]
    is_in_use: bool

    @property
    def title(self) -> str:
        """Its title: version 3."""
        return title_of(self.number)

    @property
    def waiting(self) -> ProposalRow | None:
        """The proposal that nobody has decided yet, or None."""
        return with_outcome(self.proposals, "")

    @property
    def state(self) -> str:
        """Its state: in use, proposed, used before, declined or written."""
        if self.is_in_use or self.waiting:
            return "in use" if self.is_in_use else "proposed"
        if with_outcome(self.proposals, ProposalOutcome.APPROVED):
            return "used before"
        return "declined" if self.proposals and self.proposals[-1].outcome == ProposalOutcome.DECLINED else "written"

    @property
    def base_id(self) -> UUID | None:
        """The table that its last proposal replaces, of those that were not declined or withdrawn."""
        told = zip(self.proposals, self.bases, strict=True)
        return next((base for each, base in reversed([*told]) if each.outcome in ("", ProposalOutcome.APPROVED)), None)


def list_versions(organisation: Organisation) -> list[Version]:
    """Return the tables that somebody has proposed, and the newest ``NEWEST`` that nobody has: the newest first."""
    unproposed = TrustTable.objects.filter(organisation=organisation, proposals=None).order_by("-number").values("id")[:NEWEST]
    proposed = TrustProposal.objects.filter(organisation=organisation).values("table_id")
    in_use = id_in_use(organisation.pk)
    return [_version(each, in_use) for each in _tables(organisation).filter(Q(id__in=unproposed) | Q(id__in=proposed))]


def find_version(organisation: Organisation, table_id: UUID | None) -> Version | None:
    """Return a table of an organisation, or None."""
    found = _tables(organisation).filter(pk=table_id).first() if table_id else None
    return _version(found, id_in_use(organisation.pk)) if found else None


def find_base(organisation: Organisation, version: Version) -> Version | None:
    """Return the table that a version is compared with: the one that it replaces or replaced, else the one in use."""
    if version.is_in_use or version.state in ("proposed", "used before"):
        return find_version(organisation, version.base_id)
    return find_version(organisation, id_in_use(organisation.pk))


def read_text(version: Version) -> str:
    """Return the text of a table."""
    return bytes(TrustTable.objects.values_list("document", flat=True).get(pk=version.id)).decode()


def read_rules(version: Version | None) -> EngineTable:
    """Return the rules of a table; none without one."""
    return read_trust_table(read_text(version).encode()) if version else EngineTable(())


def _tables(organisation: Organisation) -> QuerySet[TrustTable]:
    own = TrustTable.objects.filter(organisation=organisation).defer("document").select_related("written_by").order_by("-number")
    return own.prefetch_related("proposals__proposed_by", "proposals__decision__decided_by")


def _version(table: TrustTable, in_use: UUID | None) -> Version:
    proposals = sorted(table.proposals.all(), key=lambda each: each.pk)
    return Version(
        id=table.pk,
        number=table.number,
        digest="sha256:" + bytes(table.digest).hex(),
        rule_count=table.rule_count,
        writer=table.written_by.name,
        written_at=table.written_at,
        proposals=read_proposals(proposals),
        bases=[each.base_id for each in proposals],
        is_in_use=table.pk == in_use,
    )
