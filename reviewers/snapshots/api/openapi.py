"""The OpenAPI description of a record."""

from __future__ import annotations

from typing import Any

from reviewers.snapshots.ingest.records import CONTENTS, LONGEST_REASON, MOST_DOCUMENTS, MOST_NAMED_SECTIONS, MOST_TOOL_CALLS, TEXTS

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
    "conversation_id": _NAME,
    "turn_index": {"type": "integer", "minimum": 0, "maximum": 2147483647},
    "client_reference": _NAME,
    "provider": _NAME
    | {"description": "The care provider who was suggested, if anybody was, not the maker of the model. Suggestions are found by it."},
    "answered_at": {
        "type": "string",
        "format": "date-time",
        "pattern": "^(19|2[0-9])[0-9]{2}-",
        "description": "When the answer was given; now, if left out. Without a zone it is UTC.",
    },
    "model": _NAME,
    "prompt_version": _NAME,
    "schema_version": _NAME,
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
    "completeness_threshold": _SHARE,
    "citation_instruction": {"type": "boolean", "description": "Whether the prompt asked for citations."},
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
