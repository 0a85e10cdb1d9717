"""Reads of versions, as their pages and the API show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from reviewers.accounts.approval import ProposalRow, read_proposals, with_outcome
from reviewers.accounts.models import Organisation
from reviewers.snapshots.models import ProposalOutcome
from reviewers.snapshots.queries import named
from reviewers.snapshots.versions.kinds import VersionKind

NEWEST = 50
"""The number of versions listed that nobody has proposed: a program can send more than anybody reads."""
PAGE = 50
"""The number of versions on a page of the API's list, which has all of them."""


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version with its proposals, oldest first. ``writer`` is a person or the name of a key."""

    kind: VersionKind
    id: UUID
    label: str
    file: str
    counts: Mapping[str, int]
    digest: str
    writer: str
    is_by_program: bool
    written_at: datetime
    proposals: Sequence[ProposalRow]
    is_in_use: bool

    @property
    def title(self) -> str:
        """Its title: version 3."""
        return f"version {self.label}"

    @property
    def waiting(self) -> ProposalRow | None:
        """The proposal that nobody has decided yet, or None."""
        return with_outcome(self.proposals, "")

    @property
    def approved(self) -> ProposalRow | None:
        """The proposal that was approved last, or None."""
        return with_outcome([*reversed(self.proposals)], ProposalOutcome.APPROVED)

    @property
    def state(self) -> str:
        """Its state: in use, proposed, used before, declined or written, in the words of its kind."""
        if self.is_in_use or self.waiting:
            return self.kind.in_use if self.is_in_use else "proposed"
        if self.approved:
            return "used before"
        return "declined" if self.proposals and self.proposals[-1].outcome == ProposalOutcome.DECLINED else self.kind.written


def list_versions(kind: VersionKind, organisation: Organisation) -> list[VersionRow]:
    """Return the versions that somebody has proposed, and the newest ``NEWEST`` that nobody has: the newest first."""
    unproposed = kind.versions.objects.filter(organisation=organisation, proposals=None).order_by("-id").values("id")[:NEWEST]
    proposed = kind.proposals.objects.filter(organisation=organisation).values("version_id")
    return _rows(kind, organisation, _versions(kind, organisation).filter(Q(id__in=unproposed) | Q(id__in=proposed)))


def page_of_versions(kind: VersionKind, organisation: Organisation, after: UUID | None) -> tuple[list[VersionRow], UUID | None]:
    """Return the versions behind a cursor, or from the newest on, as many as a page has; and the next page's cursor, or None."""
    found = _versions(kind, organisation)
    rows = _rows(kind, organisation, (found.filter(pk__lt=after) if after else found)[: PAGE + 1])
    return rows[:PAGE], rows[PAGE - 1].id if rows[PAGE:] else None


def count_unlisted(kind: VersionKind, organisation: Organisation) -> int:
    """Return the number of older versions that ``list_versions`` leaves out."""
    unproposed: int = kind.versions.objects.filter(organisation=organisation, proposals=None).count()
    return max(unproposed - NEWEST, 0)


def find_version(kind: VersionKind, organisation: Organisation, version_id: UUID | None) -> VersionRow | None:
    """Return a version of an organisation, or None."""
    found = _versions(kind, organisation).filter(pk=version_id) if version_id else ()
    return next(iter(_rows(kind, organisation, found)), None)


def find_base(version: VersionRow, organisation: Organisation) -> VersionRow | None:
    """Return the version that another is compared with: the one approved last before it, or None.

    A version that waits for a decision, or for a proposal, comes after all that were approved.
    """
    others = version.kind.approved(organisation.pk).exclude(version=version.id)
    if version.approved and not version.waiting:
        others = others.filter(decided_at__lt=version.approved.decided_at)
    newest = others.order_by("-decided_at", "-id").values_list("version_id", flat=True).first()
    return find_version(version.kind, organisation, newest)


def read_text(version: VersionRow) -> str:
    """Return the text of a version as it can be written again."""
    return version.kind.download(bytes(version.kind.versions.objects.values_list("document", flat=True).get(pk=version.id)))


def _versions(kind: VersionKind, organisation: Organisation) -> QuerySet[Any]:
    own: QuerySet[Any] = kind.versions.objects.filter(organisation=organisation).defer("document").order_by("-id")
    return own.select_related("written_by", "written_with").prefetch_related("proposals__proposed_by", "proposals__decision__decided_by")


def _rows(kind: VersionKind, organisation: Organisation, found: Any) -> list[VersionRow]:
    versions = [*found]
    in_use = kind.ids_in_use(organisation.pk) if versions else ()
    return [_row(kind, each, is_in_use=each.pk in in_use) for each in versions]


def _row(kind: VersionKind, version: Any, *, is_in_use: bool) -> VersionRow:
    names = kind.names(version)
    return VersionRow(
        kind=kind,
        id=version.pk,
        label=names.label,
        file=names.file,
        counts=names.counts,
        digest=named(version.digest),
        writer=getattr(version.written_by or version.written_with, "name", ""),
        is_by_program=version.written_by is None,
        written_at=version.written_at,
        proposals=read_proposals(version.proposals.all()),
        is_in_use=is_in_use,
    )
