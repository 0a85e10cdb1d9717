"""Versions in use, ready for the engine: the schemas that turns name, and the table of trust that answers are judged under."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from attribution import Schema as EngineSchema
from attribution import TrustRegistry, read_schema, read_trust_table, with_own_table
from attribution import TrustTable as EngineTable
from reviewers.snapshots.models import ProposalOutcome, Schema, SchemaDecision, TrustDecision, TrustTable, visible


@dataclass(frozen=True, slots=True)
class SchemaInUse:
    """A stored schema, ready for the engine."""

    id: UUID
    schema: EngineSchema


def find_approved_schemas(organisation_id: UUID, versions: Collection[str]) -> Mapping[str, SchemaInUse]:
    """Return the approved schemas among versions that turns name, in one query; none for an empty version, or one that nothing can have."""
    named = {version for version in versions if version and visible(version) == version}
    if not named:
        return {}
    approved = SchemaDecision.objects.filter(organisation=organisation_id, schema_version__in=named, outcome=ProposalOutcome.APPROVED)
    return {version: SchemaInUse(key, stored_schema(key)) for version, key in approved.values_list("schema_version", "version_id")}


def find_schema(schema_id: UUID | None) -> SchemaInUse | None:
    """Return the schema that a snapshot uses, or None."""
    return SchemaInUse(schema_id, stored_schema(schema_id)) if schema_id else None


@lru_cache(maxsize=64)
def stored_schema(schema_id: UUID) -> EngineSchema:
    """Return a stored schema. It is cached: a schema never changes under its identifier."""
    document = Schema.objects.values_list("document", flat=True).get(pk=schema_id)
    return read_schema(json.loads(bytes(document)))


# Tables of trust.


@dataclass(frozen=True, slots=True)
class TrustInUse:
    """A stored table, ready for the engine: its registry asks the table first."""

    id: UUID
    registry: TrustRegistry


def find_table_in_use(organisation_id: UUID) -> TrustInUse | None:
    """Return the table that new answers are judged under, in one query, or None if the organisation has none."""
    return find_table(id_of_table_in_use(organisation_id))


def id_of_table_in_use(organisation_id: UUID) -> UUID | None:
    """Return the table that was approved last, or None."""
    approved = TrustDecision.objects.filter(organisation=organisation_id, outcome=ProposalOutcome.APPROVED)
    return approved.order_by("-decided_at", "-id").values_list("version_id", flat=True).first()


def find_table(table_id: UUID | None) -> TrustInUse | None:
    """Return the table that an answer was judged under, or None."""
    return _stored_table(table_id) if table_id else None


@lru_cache(maxsize=64)
def _stored_table(table_id: UUID) -> TrustInUse:
    """Return a stored table. It is cached: a table never changes under its identifier."""
    number = TrustTable.objects.values_list("number", flat=True).get(pk=table_id)
    return TrustInUse(table_id, with_own_table(read_rules(table_id), title_of_table(number)))


def read_rules(table_id: UUID | None) -> EngineTable:
    """Return the rules of a table; none without one."""
    if table_id is None:
        return EngineTable(())
    return read_trust_table(bytes(TrustTable.objects.values_list("document", flat=True).get(pk=table_id)))


def title_of_table(number: int) -> str:
    """Return the title of a table, which attributions keep."""
    return f"version {number}"
