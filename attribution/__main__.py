"""``python -m attribution``: turns as JSON on standard input, one or one a line; results on standard output, one a line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, BinaryIO, TextIO

from attribution.codec import canonical_bytes, digest, encode
from attribution.engine import attribute
from attribution.errors import AttributionError, InputError
from attribution.strict_json import read_json

BAD_INPUT = 2


def main(source: BinaryIO, results: BinaryIO, messages: TextIO) -> int:
    """Attribute every turn; a bad one is reported and the others go on. Returns the exit status."""
    status = 0
    for place, text in _turns(source.read()):
        try:
            results.write(_result(read_json(text)) + b"\n")
        except AttributionError as error:
            print(f"{place}: {error}", file=messages)
            status = BAD_INPUT
    results.flush()
    return status


def _turns(data: bytes) -> Iterator[tuple[str, bytes]]:
    """A whole document if it is one, else its lines."""
    lines = [(number, line) for number, line in enumerate(data.split(b"\n"), start=1) if line.strip()]
    if len(lines) > 1 and _is_one_document(data, lines[0][1]):
        yield "input", data
        return
    for number, line in lines:
        yield f"line {number}", line


def _is_one_document(data: bytes, first_line: bytes) -> bool:
    """A turn that is spread over several lines: its first line alone is no JSON, the whole is."""
    try:
        json.loads(first_line)
    except ValueError:
        pass
    else:
        return False
    try:
        json.loads(data)
    except ValueError:
        return False
    return True


def _result(turn: Any) -> bytes:
    if not isinstance(turn, Mapping):
        raise InputError("", "a turn must be a JSON object")
    for key in ("response", "context"):
        if key not in turn:
            raise InputError(key, "is missing")
    encoded = encode(
        attribute(
            response=turn["response"],
            context=turn["context"],
            user_text=_optional_text(turn, "user_text"),
            hidden_sections=_names(turn),
            documents=turn.get("documents") or (),
            answered_on=_day(turn),
        )
    )
    return canonical_bytes({"id": turn.get("id"), "digest": digest(canonical_bytes(encoded)), **encoded})


def _optional_text(turn: Mapping[str, Any], key: str) -> str | None:
    value = turn.get(key)
    if value is not None and not isinstance(value, str):
        raise InputError(key, "must be text")
    return value


def _names(turn: Mapping[str, Any]) -> list[str]:
    names = turn.get("hidden_sections") or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError("hidden_sections", "must be a list of section names")
    return names


def _day(turn: Mapping[str, Any]) -> date | None:
    value = turn.get("answered_at")
    if value is None:
        return None
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError as error:
        raise InputError("answered_at", "must be an ISO 8601 date or date and time") from error


if __name__ == "__main__":
    sys.exit(main(sys.stdin.buffer, sys.stdout.buffer, sys.stderr))
