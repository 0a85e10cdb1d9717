"""Schemas as a kind of versions: an organisation's registry of fields.

A version is approved once, and turns that name it are attributed under it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from attribution import InputError, OwnField, OwnSection, SchemaError, read_json, read_schema
from attribution import Schema as EngineSchema
from reviewers.accounts.permissions import Permission
from reviewers.accounts.policies import Refused
from reviewers.accounts.sign_in.reauthentication import Purpose
from reviewers.ledger.events import Action
from reviewers.snapshots.models import Schema, SchemaDecision, SchemaProposal
from reviewers.snapshots.versions.in_use import stored_schema
from reviewers.snapshots.versions.kinds import ADDED, CHANGED, REMOVED, VersionChange, VersionEvents, VersionKind, VersionNames, VersionText


class Schemas(VersionKind):
    """Schemas."""

    name, plural, folder, key = "schema", "schemas", "schemas", "schema_id"
    noun, text, verb, written, in_use = "schema", "schema", "upload", "uploaded", "approved"
    content_type = "application/json"
    largest = 512 * 1024
    permission, purpose, error = Permission.MANAGE_SCHEMAS, Purpose.SCHEMA, SchemaError
    events = VersionEvents(Action.SCHEMA_UPLOADED, Action.SCHEMA_PROPOSED, Action.SCHEMA_APPROVED, Action.SCHEMA_DECLINED)
    versions, proposals, decisions = Schema, SchemaProposal, SchemaDecision

    def read(self, content: bytes) -> VersionText:
        """Return a schema as it is stored, with its keys in their order."""
        if len(content) > self.largest:
            raise SchemaError([("", f"is larger than {self.largest // 1024} KB")])
        try:
            schema = read_schema(read_json(content.removeprefix(b"\xef\xbb\xbf")))
        except InputError as error:
            raise SchemaError([(error.place, error.reason)]) from error
        document = json.dumps(schema.data, ensure_ascii=False, separators=(",", ":")).encode()
        counts = {"section_count": len(schema.sections), "field_count": len(schema.fields)}
        return VersionText(document, {"name": schema.id}, {"version": schema.version, **counts})

    def names(self, version: Schema) -> VersionNames:
        """Return the version that a schema names, and its file."""
        return VersionNames(
            version.version, f"schema-{version.name}.json", {"sections": version.section_count, "fields": version.field_count}
        )

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
        schema = stored_schema(version)
        return {"schema": schema, "changes": compare_schemas(stored_schema(base), schema) if base else []}


SCHEMAS = Schemas()


# The difference between two schemas, in words.


_MOST_NAMED = 12


@dataclass(frozen=True, slots=True)
class SectionChanges:
    """The changes in a section, or in the schema itself if ``section`` is empty."""

    section: str
    prefix: str
    changes: Sequence[VersionChange]


def compare_schemas(old: EngineSchema, new: EngineSchema) -> list[SectionChanges]:
    """Return what is different in ``new``, by section in its order, and what is gone at the end."""
    before, after = ({each.name: each for each in schema.sections} for schema in (old, new))
    found = [SectionChanges("", "", list(_of_schema(old, new)))]
    found += [_of_section(before.get(each.name), each) for each in new.sections]
    found += [_removed(each) for each in old.sections if each.name not in after]
    return [each for each in found if each.changes]


def _of_schema(old: EngineSchema, new: EngineSchema) -> Iterator[VersionChange]:
    if old.required_completeness != new.required_completeness:
        yield VersionChange(
            CHANGED,
            "",
            [f"required completeness: {_share(old.required_completeness)} → {_share(new.required_completeness)}"],
        )


def _share(share: float | None) -> str:
    return "the profile’s" if share is None else f"{100 * share:g}%"


def _of_section(old: OwnSection | None, new: OwnSection) -> SectionChanges:
    if old is None:
        return SectionChanges(new.name, new.prefix, [VersionChange(ADDED, "", [_count(new)])])
    return SectionChanges(new.name, new.prefix, [*_of_itself(old, new), *_of_fields(old, new)])


def _removed(old: OwnSection) -> SectionChanges:
    return SectionChanges(old.name, old.prefix, [VersionChange(REMOVED, "", [_count(old)])])


def _count(section: OwnSection) -> str:
    names = [field.name for field in section.fields]
    more = ", …" if len(names) > _MOST_NAMED else ""
    return f"{len(names)} field{'s' * (len(names) != 1)}: {', '.join(names[:_MOST_NAMED])}{more}"


def _of_itself(old: OwnSection, new: OwnSection) -> Iterator[VersionChange]:
    words = [
        *_one("prefix", old.prefix, new.prefix),
        *_one("title", old.title, new.title),
        *_several("headings", old.headings, new.headings),
        *_one("name of the provider", old.provider_name, new.provider_name),
    ]
    if words:
        yield VersionChange(CHANGED, "", words)


def _of_fields(old: OwnSection, new: OwnSection) -> Iterator[VersionChange]:
    before, after = ({each.name: each for each in section.fields} for section in (old, new))
    for name, field in after.items():
        if name not in before:
            yield VersionChange(ADDED, name, [describe(field)])
        elif words := list(_of_field(before[name], field)):
            yield VersionChange(CHANGED, name, words)
    for name, field in before.items():
        if name not in after:
            yield VersionChange(REMOVED, name, [describe(field)])


def _of_field(old: OwnField, new: OwnField) -> Iterator[str]:
    yield from _one("type", type_in_words(old), type_in_words(new))
    yield from _one("label", old.label, new.label)
    yield from _several("synonyms", old.synonyms, new.synonyms)
    yield from _one("unit", old.unit, new.unit)
    yield from _of_values(old, new)


def _of_values(old: OwnField, new: OwnField) -> Iterator[str]:
    before, after = ({each.value: each.phrases for each in field.values} for field in (old, new))
    yield from _several("values", list(before), list(after))
    yield from _phrases(before, after)
    kept = [value for value in before if value in after]
    if kept != [value for value in after if value in before]:
        yield f"order of values: {', '.join(after)}"
    if old.is_ordered != new.is_ordered and new.values:
        yield "the values are in order now" if new.is_ordered else "the values are in no order any more"


def _phrases(before: Mapping[str, Sequence[str]], after: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for value in after:
        if value in before:
            yield from _several(f"phrases for {value}", before[value], after[value])


def _one(what: str, old: str, new: str) -> Iterator[str]:
    if old != new:
        yield f"{what}: {old or 'none'} → {new or 'none'}"


def _several(what: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    added, gone = [each for each in new if each not in old], [each for each in old if each not in new]
    told = [f"{words} {', '.join(those)}" for words, those in (("added", added), ("removed", gone)) if those]
    if told:
        yield f"{what}: {'; '.join(told)}"


def type_in_words(field: OwnField) -> str:
    """Return a field's type in words."""
    return field.type.replace("_", " ") or "any type"


def describe(field: OwnField) -> str:
    """Return a field's type and label in a line."""
    return f"{type_in_words(field)}{f', “{field.label}”' if field.label else ''}"
