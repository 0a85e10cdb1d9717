"""The API's schemas: of a record that is sent, and of responses, with the values that fill them."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from ninja import Field, Query, Schema
from pydantic import WithJsonSchema

from attribution import SearchUnit
from reviewers.ledger.queries import list_redacted_of
from reviewers.snapshots.ingest.records import (
    CONTENTS,
    LONGEST_REASON,
    MOST_DOCUMENTS,
    MOST_NAMED_SECTIONS,
    MOST_TOOL_CALLS,
    TEXTS,
    RecordError,
)
from reviewers.snapshots.models import SnapshotAttribution, SnapshotDocuments
from reviewers.snapshots.queries import SearchState, named
from reviewers.snapshots.redactable_parts import is_of_record
from reviewers.web.models import unpack

Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
Cursor = Annotated[UUID | None, WithJsonSchema({"type": "string", "format": "uuid"})]
"""A parameter that may be left out: a document of OpenAPI does not say null of it."""

_NAME = {"type": ["string", "integer"], "maxLength": 200, "pattern": r"^[^\x00-\x1f]*$"}
_TEXT_OR_NUMBER = {"type": ["string", "number", "boolean", "null"]}
_CONTENT = {"type": ["string", "array", "object", "null"]}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}

_DOCUMENT = {
    "type": ["object", "string", "null"],
    "properties": dict.fromkeys(TEXTS, _TEXT_OR_NUMBER) | dict.fromkeys(CONTENTS, _CONTENT),
}

_REQUIRED: dict[str, dict[str, Any]] = {
    "id": _NAME | {"minLength": 1, "description": "Your identifier of this turn. It makes sending the record again harmless."},
    "response": {"type": "string", "description": "The assistant's raw answer, markers included. Empty where `native` holds it."},
    "context": {
        "type": "object",
        "description": "What the model was given: sections, each an object of fields. Kept byte for byte.",
        "additionalProperties": True,
    },
}

_OPTIONAL: dict[str, dict[str, Any]] = {
    "user_text": {"type": "string", "description": "The user's message, as typed. Never read for citations."},
    "conversation_id": _NAME | {"description": "The conversation that the turn belongs to."},
    "turn_index": {
        "type": "integer",
        "minimum": 0,
        "maximum": 2147483647,
        "description": "The place of the turn in its conversation.",
    },
    "client_reference": _NAME | {"description": "Your reference for the client. Answers for a client are found by it."},
    "provider": _NAME
    | {
        "description": "The care provider who was suggested, if anybody was, not the maker of the model. Suggestions are found by it. "
        "If it is left out, the field counts that names the provider by the schema; an empty text says that nobody was suggested."
    },
    "answered_at": {
        "type": "string",
        "format": "date-time",
        "pattern": "^(19|2[0-9])[0-9]{2}-",
        "description": "When the answer was given; now, if left out. Without a zone it is UTC.",
    },
    "model": _NAME | {"description": "The model that answered. Answers are calibrated by model, prompt and schema."},
    "prompt_version": _NAME | {"description": "The version of the prompt."},
    "schema_version": _NAME | {"description": "The version of the schema of the context. An approved one is used."},
    "hidden_sections": {
        "type": "array",
        "items": {"type": "string"},
        "maxItems": MOST_NAMED_SECTIONS,
        "description": "Sections withheld from the prompt.",
    },
    "completeness": {
        "type": "object",
        "maxProperties": MOST_NAMED_SECTIONS,
        "additionalProperties": _SHARE | {"type": ["number", "null"]},
        "description": "How complete each section was. One below the threshold counts as hidden.",
    },
    "completeness_threshold": _SHARE | {"description": "The completeness that a section needs to be shown to the model, from 0 to 1."},
    "citation_instruction": {"type": "boolean", "description": "Whether the prompt asked for citations."},
    "field_citations": {
        "type": "array",
        "description": "What the model cites of the context beside its text, instead of or besides markers in it: objects that name a "
        "field by `tool` (a prefix or section) and `field`, or by `path`, and the words that draw on it by `text`, or by `start` and `end` "
        "in `response`. An entry that cannot be read is a finding.",
    },
    "documents": {
        "type": "array",
        "items": _DOCUMENT,
        "maxItems": MOST_DOCUMENTS,
        "description": "Documents the model was given, in that order: objects with `id`, `chunk_id`, `title`, `url`, `published_at`, "
        "`content`, `score`, or plain texts. Where any are given, citations in the answer are looked up in them.",
    },
    "tool_calls": {
        "type": "array",
        "items": {"type": "object"},
        "maxItems": MOST_TOOL_CALLS,
        "description": "What tools returned: `id`, `name`, `parameters`, `output`. Their results can be cited like documents.",
    },
    "citations": {
        "type": ["array", "object"],
        "items": {"type": "object"},
        "description": "Citations beside the text: a list, or an answer object with `claims`, `citations`, `unanswered_aspects`.",
    },
    "native": {
        "type": "object",
        "description": "The response of Anthropic, OpenAI, Gemini or Cohere as its SDK serialises it, with its own citations.",
    },
    "abstention_reason": {
        "type": "string",
        "maxLength": LONGEST_REASON,
        "description": "Why the assistant withheld its answer, if it did.",
    },
}


def _or_null(described: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an optional field, which may also be null."""
    types = described["type"] if isinstance(described["type"], list) else [described["type"]]
    return described | {"type": [*types, "null"]}


RECORD_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": list(_REQUIRED),
    "properties": _REQUIRED | {name: _or_null(described) for name, described in _OPTIONAL.items()},
    "additionalProperties": True,
}

EXAMPLE: dict[str, Any] = {
    "id": "turn-0001",
    "provider": "Dr. Ada Quill",
    "model": "caremate-4",
    "prompt_version": "match v18",
    "user_text": "is there someone for evenings? my risk form said elevated",
    "response": "Your risk is elevated [[SF:risk_level]], so I looked for evenings: Dr. Ada Quill can see you at 6 pm.",
    "context": {
        "safety": {"risk_level": "elevated"},
        "provider_genome": {"provider_name": "Dr. Ada Quill", "next_opening": "18:00", "accepting_new": True},
    },
}

RECORD_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "application/json": {"schema": RECORD_SCHEMA, "example": EXAMPLE},
        "application/x-ndjson": {"schema": {"type": "string", "pattern": r"\S", "description": "One record a line, one at least."}},
    },
}

RESULT_LINES: dict[str, Any] = {
    "content": {
        "application/x-ndjson": {
            "schema": {
                "type": "string",
                "description": (
                    "One result a line, in the order of the records: `line`, the `status` the record would have had alone, and either "
                    "what it would have been answered with or, in `error`, its `place` and `reason`. Status 503: this record was not "
                    "taken, because those before it took as long as a request may; send it again."
                ),
            }
        }
    }
}


# Responses.


class AttributionSummary(Schema):
    """The engine's findings, in short."""

    profile: str
    engine: str
    source: str
    fields: int
    found: int
    cited: int
    guardrails: dict[str, int]
    digest: str


class WithheldAttribution(Schema):
    """An attribution that is withheld for now, as during a blind review, and the reason."""

    profile: str
    engine: str
    withheld: str


class DocumentsSummary(Schema):
    """The engine's findings about citations of documents, in short: numbers of sources and of cited ones, issues by code."""

    sources: int
    cited: int
    issues: dict[str, int]
    validity: str
    trust: str
    digest: str


class SnapshotSummary(Schema):
    """A frozen record. ``documents`` is null if the record neither has nor cites any, and while it is withheld."""

    id: UUID
    external_id: str
    url: str
    frozen_at: Annotated[str, Field(json_schema_extra={"format": "date-time"})]
    digest: str
    attribution: AttributionSummary | WithheldAttribution
    documents: DocumentsSummary | None


class Problem(Schema):
    """The reason why a record was refused, and its place in the record, as a path."""

    place: str
    reason: str


InstructedGrammar = Annotated[
    Literal["fields", "field_citations", "numbered", "keyed", "structured", "claims"],
    Query(description="How to cite: fields of the context in markers or beside the text, or documents in one of these grammars."),
]
SchemaVersion = Annotated[
    str, Query(description="The version of the schema whose sections can be cited, where `grammar` is `fields` or `field_citations`.")
]
IsBlocking = Annotated[bool, Query(description="Say also that answers without citations of documents are rejected.")]


class Instruction(Schema):
    """The organisation's switch for citations, and the paragraph for the system prompt while it is on."""

    on: bool
    text: str | None
    digest: str | None
    profile: str


class Refusal(Schema):
    """The reason why a key gives no access here."""

    detail: str


EVERYWHERE = {401: Refusal, 403: Refusal, 429: Refusal, 503: Problem}
"""Responses that any address may give. With 429, ``Retry-After`` says how many seconds to wait."""


def summary_of(found: SnapshotAttribution, documents: SnapshotDocuments | None) -> SnapshotSummary:
    """Return a snapshot in short, with its attribution to fields and to documents."""
    snapshot = found.snapshot
    return SnapshotSummary(
        id=snapshot.pk,
        external_id=snapshot.external_id,
        url=settings.ADDRESS + reverse("item", args=[snapshot.pk]),
        frozen_at=snapshot.frozen_at.isoformat(),
        digest=named(snapshot.digest),
        attribution=AttributionSummary(
            profile=found.profile_id,
            engine=found.engine_version,
            source=found.source,
            fields=found.field_count,
            found=found.found_count,
            cited=found.cited_count,
            guardrails=_as_stored(found.guardrails),
            digest=named(found.digest),
        ),
        documents=_documents(documents) if documents else None,
    )


def withheld_summary(found: SnapshotAttribution, reason: str) -> SnapshotSummary:
    """Return a snapshot in short with only the name of its attribution, none of its findings.

    Its digest is left out too: a client that has the record could compute the few possible attributions, and compare.
    """
    name = WithheldAttribution(profile=found.profile_id, engine=found.engine_version, withheld=reason)
    return summary_of(found, None).model_copy(update={"attribution": name})


def documents_of(found: SnapshotAttribution) -> SnapshotDocuments | None:
    """Return the attribution to documents, or None if the record has none. The database is asked, unless it was read with ``found``."""
    return getattr(found, "documents", None)


def documents_in_full(documents: SnapshotDocuments | None) -> dict[str, Any] | None:
    """Return the stored attribution to documents, if there is one."""
    return _read(documents.document) | {"digest": named(documents.digest)} if documents else None


def attribution_in_full(found: SnapshotAttribution) -> dict[str, Any]:
    """Return the stored attribution to fields."""
    return _read(found.document) | {"digest": named(found.digest)}


def _read(document: bytes | memoryview) -> dict[str, Any]:
    read: dict[str, Any] = unpack(document)
    return read


def search_of(search: SearchState | None) -> dict[str, Any] | None:
    """Return the state of a search for citations, and its result if it has one."""
    if search is None:
        return None
    told = {"state": search.state, "method": search.method, "number": search.number, "asked_at": search.asked_at.isoformat()}
    if search.ended_at:
        told |= {"ended_at": search.ended_at.isoformat(), "attempts": search.attempts, "model": search.model, "reason": search.reason}
    if search.values:
        told |= {name: search.values[name] for name in ("engine", "sources", "references", "refused")} | {"digest": search.digest}
        told["unit"] = search.values.get("unit", SearchUnit.SENTENCE.value)
    return told


def redactions_of(snapshot_id: UUID, *, only_of_record: bool = False) -> list[dict[str, Any]]:
    """Return the redactions of a snapshot, without their people. Parts that people wrote beside the record can be left out."""
    told = (
        {
            "at": each.at.isoformat(),
            "basis": each.basis.value,
            "parts": [name for name in each.parts if not only_of_record or is_of_record(name)],
        }
        for each in list_redacted_of([snapshot_id])
    )
    return [each for each in told if each["parts"]]


def problem_of(error: RecordError) -> dict[str, str]:
    """Return the reason why a record was refused."""
    return {"place": error.place, "reason": error.reason}


def _documents(found: SnapshotDocuments) -> DocumentsSummary:
    return DocumentsSummary(
        sources=found.source_count,
        cited=found.cited_count,
        issues=_as_stored(found.issues),
        validity=found.validity,
        trust=found.trust,
        digest=named(found.digest),
    )


def _as_stored(counts: dict[str, int]) -> dict[str, int]:
    """Return counts in the order in which PostgreSQL keeps keys, the shortest first, also those that were just written."""
    return dict(sorted(counts.items(), key=lambda each: (len(each[0]), each[0])))
