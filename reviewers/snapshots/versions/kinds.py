"""Kinds of versions. A kind says how its texts are read, what brings them into use, and how its pages show them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet

from reviewers.accounts.permissions import Permission
from reviewers.accounts.sign_in.reauthentication import Purpose
from reviewers.ledger.events import Action
from reviewers.snapshots.models import ProposalOutcome


@dataclass(frozen=True, slots=True)
class VersionText:
    """A text as it is stored: the same ``identity``, which is some of its columns, is the same text. ``columns`` are its others."""

    document: bytes
    identity: Mapping[str, Any]
    columns: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class VersionEvents:
    """The audit events of a kind. A withdrawn proposal is declined as well."""

    written: Action
    proposed: Action
    approved: Action
    declined: Action


@dataclass(frozen=True, slots=True)
class VersionNames:
    """The names of a version: the label that people see and that of its file; and the numbers of its parts."""

    label: str
    file: str
    counts: Mapping[str, int]


ADDED, REMOVED, CHANGED = "added", "removed", "changed"


@dataclass(frozen=True, slots=True)
class VersionChange:
    """A change from one version to another: ``kind`` is added, removed or changed, ``subject`` is its part, empty for the whole."""

    kind: str
    subject: str
    words: Sequence[str] = ()


class VersionKind(ABC):
    """A kind of versions.

    ``name`` is that of its audit objects and of the route of a version, ``plural`` of the route of the list; ``folder`` is its part of
    addresses, and ``key`` how they name a version's identifier. ``noun`` is how messages call a version, and ``text`` what it holds;
    ``verb``, ``written`` and ``in_use`` are its words for storing one, for one that nobody has proposed, and for one that answers use.
    """

    name: ClassVar[str]
    plural: ClassVar[str]
    folder: ClassVar[str]
    key: ClassVar[str]
    noun: ClassVar[str]
    text: ClassVar[str]
    verb: ClassVar[str]
    written: ClassVar[str]
    in_use: ClassVar[str]
    content_type: ClassVar[str]
    largest: ClassVar[int]
    permission: ClassVar[Permission]
    purpose: ClassVar[Purpose]
    events: ClassVar[VersionEvents]
    error: ClassVar[type[Any]]
    versions: ClassVar[type[Any]]
    proposals: ClassVar[type[Any]]
    decisions: ClassVar[type[Any]]
    begins_with_version_in_use: ClassVar[bool] = False

    @abstractmethod
    def read(self, content: bytes) -> VersionText:
        """Return a text as it is stored, or raise ``error`` with everything that is wrong with it."""

    @abstractmethod
    def names(self, version: Any) -> VersionNames:
        """Return the names of a version."""

    @abstractmethod
    def event_details(self, version: Any) -> Mapping[str, Any]:
        """Return the details that every audit event of a version has."""

    @abstractmethod
    def ids_in_use(self, organisation_id: UUID) -> Collection[UUID]:
        """Return the versions in use."""

    @abstractmethod
    def check_can_be_used(self, version: Any, proposal: Any = None) -> None:
        """Refuse to propose or approve a version that is in use, that can never be, or that would change what its proposer did not see."""

    def next_columns(self, _own: QuerySet[Any]) -> Mapping[str, Any]:
        """Return the columns of the next version that follow from the earlier ones."""
        return {}

    def proposal_columns(self, _version: Any) -> Mapping[str, Any]:
        """Return the columns that only proposals of this kind have."""
        return {}

    def decision_columns(self, _version: Any) -> Mapping[str, Any]:
        """Return the columns that only decisions of this kind have."""
        return {}

    def download(self, document: bytes) -> str:
        """Return a stored text as it can be written again."""
        return document.decode()

    @abstractmethod
    def contents(self, version: UUID, base: UUID | None) -> Mapping[str, Any]:
        """Return what the page of a version shows of its text, and of its difference to another one."""

    def form(self) -> Mapping[str, Any]:
        """Return what the page with the form shows of this kind."""
        return {}

    def approved(self, organisation_id: UUID) -> QuerySet[Any]:
        """Return the approvals of an organisation."""
        found: QuerySet[Any] = self.decisions.objects.filter(organisation=organisation_id, outcome=ProposalOutcome.APPROVED)
        return found
