"""Reads of schemas: those that turns use, and versions as their pages and the API show them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from attribution import Schema as EngineSchema
from attribution import read_schema
from reviewers.accounts.approval import ProposalRow, read_proposals, with_outcome
from reviewers.accounts.models import Organisation
from reviewers.snapshots.models import ProposalOutcome, Schema, SchemaDecision, SchemaProposal, visible
from reviewers.snapshots.schemas.difference import SectionChanges, compare_schemas

NEWEST = 50
"""The number of uploads listed that nobody has proposed: a program can send more than anybody reads."""


@dataclass(frozen=True, slots=True)
class SchemaInUse:
    """A stored schema, ready for the engine."""

    id: UUID
    schema: EngineSchema


def find_approved(organisation_id: UUID, versions: Collection[str]) -> Mapping[str, SchemaInUse]:
    """Return the approved schemas among versions that turns name, in one query; none for an empty version, or one that nothing can have."""
    named = {version for version in versions if version and visible(version) == version}
    if not named:
        return {}
    approved = SchemaDecision.objects.filter(organisation=organisation_id, version__in=named, outcome=ProposalOutcome.APPROVED)
    return {version: SchemaInUse(key, read_stored(key)) for version, key in approved.values_list("version", "schema_id")}


def find_used(schema_id: UUID | None) -> SchemaInUse | None:
    """Return the schema that a snapshot uses, or None."""
    return SchemaInUse(schema_id, read_stored(schema_id)) if schema_id else None


@lru_cache(maxsize=64)
def read_stored(schema_id: UUID) -> EngineSchema:
    """Return a stored schema. It is cached: a schema never changes under its identifier."""
    document = Schema.objects.values_list("document", flat=True).get(pk=schema_id)
    return read_schema(json.loads(bytes(document)))


@dataclass(frozen=True, slots=True)
class Version:
    """A stored schema with its proposals, oldest first. ``uploader`` is a person or the name of a key."""

    id: UUID
    version: str
    name: str
    digest: str
    section_count: int
    field_count: int
    uploader: str
    is_by_program: bool
    uploaded_at: datetime
    proposals: Sequence[ProposalRow]

    @property
    def schema(self) -> EngineSchema:
        """The schema itself."""
        return read_stored(self.id)

    @property
    def waiting(self) -> ProposalRow | None:
        """The proposal that nobody has decided yet, or None."""
        return with_outcome(self.proposals, "")

    @property
    def approved(self) -> ProposalRow | None:
        """The approved proposal, or None."""
        return with_outcome(self.proposals, ProposalOutcome.APPROVED)

    @property
    def state(self) -> str:
        """Its state: approved, proposed, declined or uploaded."""
        if self.approved or self.waiting:
            return "approved" if self.approved else "proposed"
        return "declined" if self.proposals and self.proposals[-1].outcome == ProposalOutcome.DECLINED else "uploaded"


def list_versions(organisation: Organisation) -> list[Version]:
    """Return the schemas that somebody has proposed, and the newest ``NEWEST`` uploads that nobody has: the newest first."""
    uploads = Schema.objects.filter(organisation=organisation, proposals=None).order_by("-id").values("id")[:NEWEST]
    proposed = SchemaProposal.objects.filter(organisation=organisation).values("schema_id")
    return [_version(each) for each in _schemas(organisation).filter(Q(id__in=uploads) | Q(id__in=proposed))]


def count_unlisted(organisation: Organisation) -> int:
    """Return the number of older uploads that ``list_versions`` leaves out."""
    return max(Schema.objects.filter(organisation=organisation, proposals=None).count() - NEWEST, 0)


def find_version(organisation: Organisation, schema_id: UUID) -> Version | None:
    """Return a stored schema of an organisation, or None."""
    found = _schemas(organisation).filter(pk=schema_id).first()
    return _version(found) if found else None


def read_document(version: Version) -> Any:
    """Return the JSON value of a stored schema."""
    return json.loads(bytes(Schema.objects.values_list("document", flat=True).get(pk=version.id)))


def find_base(organisation: Organisation, version: Version) -> Version | None:
    """Return the schema that a version is compared with: the last one approved before it, or None."""
    approved = SchemaDecision.objects.filter(organisation=organisation, outcome=ProposalOutcome.APPROVED).exclude(schema=version.id)
    if version.approved:
        approved = approved.filter(decided_at__lt=version.approved.decided_at)
    newest = approved.order_by("-decided_at", "-id").values_list("schema_id", flat=True).first()
    return find_version(organisation, newest) if newest else None


def differences(base: Version | None, version: Version) -> list[SectionChanges]:
    """Return what a version changes in another one; nothing without another one."""
    return compare_schemas(base.schema, version.schema) if base else []


def _schemas(organisation: Organisation) -> QuerySet[Schema]:
    own = Schema.objects.filter(organisation=organisation).defer("document").select_related("uploaded_by", "uploaded_with").order_by("-id")
    return own.prefetch_related("proposals__proposed_by", "proposals__decision__decided_by")


def _version(schema: Schema) -> Version:
    return Version(
        id=schema.pk,
        version=schema.version,
        name=schema.name,
        digest="sha256:" + bytes(schema.digest).hex(),
        section_count=schema.section_count,
        field_count=schema.field_count,
        uploader=getattr(schema.uploaded_by or schema.uploaded_with, "name", ""),
        is_by_program=schema.uploaded_by is None,
        uploaded_at=schema.uploaded_at,
        proposals=read_proposals(schema.proposals.all()),
    )
