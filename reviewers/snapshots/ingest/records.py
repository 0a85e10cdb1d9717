"""Records: a turn as a client sends it, read strictly, and refused with the place and the reason.

Values about citations are only refused here if nothing could be read from them; the engine reads the rest as far as possible.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeGuard

from django.conf import settings
from django.utils.dateparse import parse_datetime

from attribution import InputError, canonical_bytes, read_json


class RecordError(Exception):
    """A record that is refused. ``status`` is its HTTP status: 400 for invalid JSON, 422 for invalid content."""

    def __init__(self, place: str, reason: str, status: int = 422) -> None:
        super().__init__(f"{place}: {reason}" if place else reason)
        self.place = place
        self.reason = reason
        self.status = status


def kind_of(value: Any) -> str:
    """Return the kind of a JSON value in words."""
    names = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return names.get(type(value), "null")


MOST_DOCUMENTS = 1_000
MOST_TOOL_CALLS = 1_000
MOST_NAMED_SECTIONS = 1_000
"""Sections that were withheld, and sections of which it is told how complete they were: the page of an answer lists them."""
LONGEST_REASON = 2_000
TEXTS = ("title", "url", "uri", "published_at")
CONTENTS = ("content", "text")


def _documents(data: Mapping[str, Any]) -> tuple[Any, ...]:
    documents = _bounded_list(data, "documents", MOST_DOCUMENTS)
    for index, document in enumerate(documents):
        _check_document(f"documents.{index}", document)
    return tuple(documents)


def _bounded_list(data: Mapping[str, Any], key: str, most: int) -> list[Any]:
    value = _list(data, key)
    if len(value) > most:
        raise RecordError(key, f"has {len(value):,} entries, more than {most:,}")
    return value


def _list(data: Mapping[str, Any], key: str) -> list[Any]:
    value = data.get(key)
    if value is not None and not isinstance(value, list):
        raise RecordError(key, f"must be a list, not {kind_of(value)}")
    return value or []


def _objects(place: str, values: list[Any]) -> list[Any]:
    for index, value in enumerate(values):
        if not isinstance(value, dict):
            raise RecordError(f"{place}.{index}", f"must be an object, not {kind_of(value)}")
    return values


def _object(place: str, value: Any) -> Any:
    if value is not None and not isinstance(value, dict):
        raise RecordError(place, f"must be an object, not {kind_of(value)}")
    return value


def _check_document(place: str, document: Any) -> None:
    """Check that a document is an object or a text. Null keeps the place of a document that could not be given."""
    if document is None or isinstance(document, str):
        return
    if not isinstance(document, dict):
        raise RecordError(place, f"must be an object or text, not {kind_of(document)}")
    for key in TEXTS:
        if not isinstance(document.get(key), (str, int, float, type(None))):
            raise RecordError(f"{place}.{key}", f"must be text, not {kind_of(document[key])}")
    for key in CONTENTS:
        if isinstance(document.get(key), (bool, int, float)):
            raise RecordError(f"{place}.{key}", f"must be text, not {kind_of(document[key])}")


def _citations(value: Any) -> Any:
    """Return a list of citations, or an answer object that contains them with its claims."""
    if value is None or isinstance(value, dict):
        return value
    if not isinstance(value, list):
        raise RecordError("citations", f"must be a list or an object, not {kind_of(value)}")
    return _objects("citations", value)


def _reason(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise RecordError("abstention_reason", f"must be text, not {kind_of(value)}")
    if len(value) > LONGEST_REASON:
        raise RecordError("abstention_reason", f"is longer than {LONGEST_REASON:,} characters")
    return value


_LONGEST_NAME = 200
_LARGEST_TURN_INDEX = 2**31 - 1
_LARGEST_EXACT = 2**53
_FIRST_YEAR, _LAST_YEAR = 1900, 2999
_NAMES = ("conversation_id", "client_reference", "provider", "model", "prompt_version", "schema_version")


@dataclass(frozen=True, slots=True)
class Record:
    """A record that can be frozen: its bytes as they came, and its values.

    ``suggests_nobody`` is true if it says so by an empty ``provider``: one that it lacks may be named by its context.
    """

    raw: bytes
    digest: bytes
    content_digest: bytes
    external_id: str
    response: str
    user_text: str
    context: Mapping[str, Any]
    field_citations: tuple[Any, ...]
    documents: tuple[Any, ...]
    tool_calls: tuple[Any, ...]
    citations: Any
    native: Any
    abstention_reason: str
    names: Mapping[str, str]
    suggests_nobody: bool
    turn_index: int | None
    answered_at: datetime | None
    hidden_sections: frozenset[str]
    completeness: Mapping[str, float]
    completeness_threshold: float | None
    instruction: bool | None

    @property
    def has_sources(self) -> bool:
        """True if there is anything that citations of documents could be read from or looked up in."""
        return bool(self.documents or self.tool_calls or self.citations or self.native or self.abstention_reason)


def read_record(raw: bytes) -> Record:
    """Read one record as it is sent; raise ``RecordError`` for an invalid one."""
    if len(raw) > settings.LARGEST_RECORD:
        raise RecordError("", f"larger than {settings.LARGEST_RECORD // (1024 * 1024)} MB", status=400)
    return read_stored_record(raw)


def read_stored_record(raw: bytes) -> Record:
    """Read a record that was accepted before. With bars in it, it may be larger than any that is sent."""
    try:
        data = read_json(raw)
    except InputError as error:
        raise RecordError(error.place, error.reason, status=400) from error
    if not isinstance(data, dict):
        raise RecordError("", "must be a JSON object")
    return _read_fields(raw, data)


def _read_fields(raw: bytes, data: Mapping[str, Any]) -> Record:
    response = _text(data, "response", is_required=True)
    return Record(
        raw=raw,
        digest=hashlib.sha256(raw).digest(),
        content_digest=hashlib.sha256(canonical_bytes(data)).digest(),
        external_id=_name(data, "id", is_required=True),
        response=response,
        user_text=_text(data, "user_text"),
        context=_context(data),
        field_citations=tuple(_list(data, "field_citations")),
        documents=_documents(data),
        tool_calls=tuple(_objects("tool_calls", _bounded_list(data, "tool_calls", MOST_TOOL_CALLS))),
        citations=_citations(data.get("citations")),
        native=_object("native", data.get("native")),
        abstention_reason=_reason(data.get("abstention_reason")),
        names={key: _name(data, key) for key in _NAMES},
        suggests_nobody=data.get("provider") == "",
        turn_index=_turn_index(data),
        answered_at=_time(data, "answered_at"),
        hidden_sections=frozenset(_names(data, "hidden_sections")),
        completeness=_completeness(data),
        completeness_threshold=_share(data.get("completeness_threshold"), "completeness_threshold"),
        instruction=_bool(data, "citation_instruction"),
    )


def _text(data: Mapping[str, Any], key: str, *, is_required: bool = False) -> str:
    value = data.get(key)
    if value is None and not is_required:
        return ""
    if value is None:
        raise RecordError(key, "is missing")
    if not isinstance(value, str):
        raise RecordError(key, f"must be text, not {kind_of(value)}")
    return value


def _name(data: Mapping[str, Any], key: str, *, is_required: bool = False) -> str:
    """Return a name or identifier: short, without control characters or surrogates, so that it can be stored, found and shown."""
    value = _whole(data.get(key))
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else _text(data, key, is_required=is_required)
    if is_required and not text:
        raise RecordError(key, "is empty")
    if len(text) > _LONGEST_NAME:
        raise RecordError(key, f"is longer than {_LONGEST_NAME} characters")
    if _has_controls(text):
        raise RecordError(key, "has control characters or lone surrogates")
    return text


def _has_controls(text: str) -> bool:
    return any(character < " " or "\ud800" <= character <= "\udfff" for character in text)


def is_name(value: Any) -> TypeGuard[str]:
    """Return True for a text that can be stored, found and shown as a name."""
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_NAME and not _has_controls(value)


def _whole(value: Any) -> Any:
    """Return whole floats such as 3.0 as integers, as JSON does not tell them apart; a number too large to be exact stays a float."""
    return int(value) if isinstance(value, float) and abs(value) < _LARGEST_EXACT and value.is_integer() else value


def _context(data: Mapping[str, Any]) -> Mapping[str, Any]:
    context = data.get("context")
    if context is None:
        raise RecordError("context", "is missing")
    if not isinstance(context, dict):
        raise RecordError("context", f"must be an object of sections, not {kind_of(context)}")
    return context


def _names(data: Mapping[str, Any], key: str) -> list[str]:
    names = _bounded_list(data, key, MOST_NAMED_SECTIONS)
    for index, name in enumerate(names):
        if not isinstance(name, str):
            raise RecordError(f"{key}.{index}", f"must be text, not {kind_of(name)}")
    return names


def _turn_index(data: Mapping[str, Any]) -> int | None:
    value = _whole(data.get("turn_index"))
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _LARGEST_TURN_INDEX:
        raise RecordError("turn_index", f"must be a whole number from 0 to {_LARGEST_TURN_INDEX}")
    return value


def _time(data: Mapping[str, Any], key: str) -> datetime | None:
    value = data.get(key)
    if value is None:
        return None
    try:
        moment = parse_datetime(value) if isinstance(value, str) else None
    except ValueError:
        moment = None
    if moment is None:
        raise RecordError(key, "must be an ISO 8601 date and time, such as 2026-03-03T19:42:08-06:00")
    if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        raise RecordError(key, f"must lie between the years {_FIRST_YEAR} and {_LAST_YEAR}")
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _completeness(data: Mapping[str, Any]) -> dict[str, float]:
    value = data.get("completeness")
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise RecordError("completeness", f"must be an object of shares by section, not {kind_of(value)}")
    if len(value) > MOST_NAMED_SECTIONS:
        raise RecordError("completeness", f"has {len(value):,} entries, more than {MOST_NAMED_SECTIONS:,}")
    shares = {section: _share(share, f"completeness.{section}") for section, share in value.items()}
    return {section: share for section, share in shares.items() if share is not None}


def _share(value: Any, place: str) -> float | None:
    if value is None:
        return None
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= 1:
        raise RecordError(place, "must be a number from 0 to 1")
    return float(value)


def _bool(data: Mapping[str, Any], key: str) -> bool | None:
    value = data.get(key)
    if value is not None and not isinstance(value, bool):
        raise RecordError(key, f"must be true or false, not {kind_of(value)}")
    return value
