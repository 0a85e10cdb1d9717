"""A record: one turn as a client sends it. Read strictly, refused with the place and the reason."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.utils.dateparse import parse_datetime

from attribution import InputError, canonical_bytes, read_json
from reviewers.snapshots.citing import Citing, read_citing
from reviewers.snapshots.refusal import RecordError, kind_of

_LONGEST_NAME = 200
_LARGEST_TURN_INDEX = 2**31 - 1
_LARGEST_EXACT = 2**53
_FIRST_YEAR, _LAST_YEAR = 1900, 2999
_NAMES = ("conversation_id", "client_reference", "provider", "model", "prompt_version", "schema_version")


@dataclass(frozen=True, slots=True)
class Record:
    """A record that can be frozen: its bytes as they came, and what was read out of them."""

    raw: bytes
    digest: bytes
    content_digest: bytes
    external_id: str
    response: str
    user_text: str
    context: Mapping[str, Any]
    citing: Citing
    names: Mapping[str, str]
    turn_index: int | None
    answered_at: datetime | None
    hidden_sections: frozenset[str]
    completeness: Mapping[str, float]
    completeness_threshold: float | None
    instruction: bool | None


def read_record(raw: bytes) -> Record:
    """Read one record. Raises ``RecordError``."""
    if len(raw) > settings.LARGEST_RECORD:
        raise RecordError("", f"larger than {settings.LARGEST_RECORD // (1024 * 1024)} MB", status=400)
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
        citing=read_citing(data),
        names={key: _name(data, key) for key in _NAMES},
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
    """A name or identifier: short, without control characters or surrogates, so that it can be stored, found and shown as it is."""
    value = _whole(data.get(key))
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else _text(data, key, is_required=is_required)
    if is_required and not text:
        raise RecordError(key, "is empty")
    if len(text) > _LONGEST_NAME:
        raise RecordError(key, f"is longer than {_LONGEST_NAME} characters")
    if any(character < " " or "\ud800" <= character <= "\udfff" for character in text):
        raise RecordError(key, "has control characters or lone surrogates")
    return text


def _whole(value: Any) -> Any:
    """In JSON 3.0 is a whole number as well; one too large to be exact stays as it is, and is refused."""
    return int(value) if isinstance(value, float) and abs(value) < _LARGEST_EXACT and value.is_integer() else value


def _context(data: Mapping[str, Any]) -> Mapping[str, Any]:
    context = data.get("context")
    if context is None:
        raise RecordError("context", "is missing")
    if not isinstance(context, dict):
        raise RecordError("context", f"must be an object of sections, not {kind_of(context)}")
    return context


def _list(data: Mapping[str, Any], key: str) -> list[Any]:
    value = data.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise RecordError(key, f"must be a list, not {kind_of(value)}")
    return value


def _names(data: Mapping[str, Any], key: str) -> list[str]:
    names = _list(data, key)
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
