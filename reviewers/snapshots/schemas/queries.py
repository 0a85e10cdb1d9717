"""Reads of the schemas that turns use."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from attribution import Schema as EngineSchema
from attribution import read_schema
from reviewers.snapshots.models import ProposalOutcome, Schema, SchemaDecision, visible


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
    approved = SchemaDecision.objects.filter(organisation=organisation_id, schema_version__in=named, outcome=ProposalOutcome.APPROVED)
    return {version: SchemaInUse(key, read_stored(key)) for version, key in approved.values_list("schema_version", "version_id")}


def find_used(schema_id: UUID | None) -> SchemaInUse | None:
    """Return the schema that a snapshot uses, or None."""
    return SchemaInUse(schema_id, read_stored(schema_id)) if schema_id else None


@lru_cache(maxsize=64)
def read_stored(schema_id: UUID) -> EngineSchema:
    """Return a stored schema. It is cached: a schema never changes under its identifier."""
    document = Schema.objects.values_list("document", flat=True).get(pk=schema_id)
    return read_schema(json.loads(bytes(document)))
