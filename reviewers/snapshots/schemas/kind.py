"""Schemas as a kind of versions: a version is approved once, and turns that name it are attributed under it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from attribution import InputError, SchemaError, read_json, read_schema
from reviewers.accounts.permissions import Permission
from reviewers.accounts.policies import Refused
from reviewers.accounts.sign_in.reauthentication import Purpose
from reviewers.ledger.events import Action
from reviewers.snapshots.models import Schema, SchemaDecision, SchemaProposal
from reviewers.snapshots.schemas.difference import compare_schemas
from reviewers.snapshots.schemas.queries import read_stored
from reviewers.snapshots.versions.kinds import Events, Kind, Names, Text


class Schemas(Kind):
    """Schemas."""

    name, plural, folder, key = "schema", "schemas", "schemas", "schema_id"
    noun, text, verb, written, in_use = "schema", "schema", "upload", "uploaded", "approved"
    content_type = "application/json"
    largest = 512 * 1024
    permission, purpose, error = Permission.MANAGE_SCHEMAS, Purpose.SCHEMA, SchemaError
    events = Events(Action.SCHEMA_UPLOADED, Action.SCHEMA_PROPOSED, Action.SCHEMA_APPROVED, Action.SCHEMA_DECLINED)
    versions, proposals, decisions = Schema, SchemaProposal, SchemaDecision

    def read(self, content: bytes) -> Text:
        """Return a schema as it is stored, with its keys in their order."""
        if len(content) > self.largest:
            raise SchemaError([("", f"is larger than {self.largest // 1024} KB")])
        try:
            schema = read_schema(read_json(content.removeprefix(b"\xef\xbb\xbf")))
        except InputError as error:
            raise SchemaError([(error.place, error.reason)]) from error
        document = json.dumps(schema.data, ensure_ascii=False, separators=(",", ":")).encode()
        counts = {"section_count": len(schema.sections), "field_count": len(schema.fields)}
        return Text(document, {"name": schema.id}, {"version": schema.version, **counts})

    def names(self, version: Schema) -> Names:
        """Return the version that a schema names, and its file."""
        return Names(version.version, f"schema-{version.name}.json", {"sections": version.section_count, "fields": version.field_count})

    def event_details(self, version: Schema) -> Mapping[str, Any]:
        """Return the engine's name of a schema."""
        return {"name": version.name}

    def ids_in_use(self, organisation_id: UUID) -> Collection[UUID]:
        """Return all schemas that were approved."""
        return frozenset(self.approved(organisation_id).values_list("version_id", flat=True))

    def check_can_be_used(self, version: Schema, _proposal: SchemaProposal | None = None) -> None:
        """Refuse a schema whose version is approved."""
        approved = self.approved(version.organisation_id).filter(schema_version=version.version).first()
        if approved and approved.version_id == version.pk:
            raise Refused("This schema has been approved already.")
        if approved:
            raise Refused(
                f"Version {version.version} has been approved with another content. A version never changes: upload this under another one."
            )

    def decision_columns(self, version: Schema) -> Mapping[str, Any]:
        """Return the version that a decision is on."""
        return {"schema_version": version.version}

    def download(self, document: bytes) -> str:
        """Return a schema as indented JSON."""
        return json.dumps(json.loads(document), indent=2, ensure_ascii=False) + "\n"

    def contents(self, version: UUID, base: UUID | None) -> Mapping[str, Any]:
        """Return a schema, and what it changes in another one; nothing without another one."""
        schema = read_stored(version)
        return {"schema": schema, "changes": compare_schemas(read_stored(base), schema) if base else []}


SCHEMAS = Schemas()
