"""``python -m attribution``: turns as JSON on standard input, one or one a line; results on standard output, one a line."""

from __future__ import annotations

import json
import sys
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
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
    for place, text in _turns(source):
        try:
            results.write(_result(read_json(text)) + b"\n")
        except AttributionError as error:
            print(f"{place}: {error}", file=messages)
            status = BAD_INPUT
    results.flush()
    return status


def _turns(source: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """Each line, as it comes; the whole where the first line is only the beginning of a document."""
    is_first = True
    lines = _without_mark(source)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if is_first and _goes_on(line):
            yield "input", b"\n" * (number - 1) + line + b"".join(lines)
            return
        is_first = False
        yield f"line {number}", line.rstrip()


def _without_mark(source: Iterable[bytes]) -> Iterator[bytes]:
    """The lines without the byte order mark that some editors put before the first."""
    for number, line in enumerate(source):
        yield line if number else line.removeprefix(BOM_UTF8)


def _goes_on(line: bytes) -> bool:
    """Whether a line is the beginning of a JSON document that is spread over several: the line ends where more is expected."""
    text = line.decode("utf-8", "replace").strip()
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.pos >= len(text)
    except (ValueError, RecursionError):
        return False
    return False


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
            hidden_sections=_section_names(turn),
            documents=_documents(turn),
            answered_on=_day(turn),
        )
    )
    return canonical_bytes({"id": turn.get("id"), "digest": digest(canonical_bytes(encoded)), **encoded})


def _optional_text(turn: Mapping[str, Any], key: str) -> str | None:
    value = turn.get(key)
    if value is not None and not isinstance(value, str):
        raise InputError(key, "must be text")
    return value


def _section_names(turn: Mapping[str, Any]) -> list[str]:
    names = turn.get("hidden_sections") or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError("hidden_sections", "must be a list of section names")
    return names


def _documents(turn: Mapping[str, Any]) -> list[Any]:
    documents = turn.get("documents") or []
    if not isinstance(documents, list):
        raise InputError("documents", "must be a list")
    return documents


def _day(turn: Mapping[str, Any]) -> date | None:
    value = _optional_text(turn, "answered_at")
    if value is None:
        return None
    try:
        return date.fromisoformat(value[:10])
    except ValueError as error:
        raise InputError("answered_at", "must be an ISO 8601 date or date and time") from error


if __name__ == "__main__":
    sys.exit(main(sys.stdin.buffer, sys.stdout.buffer, sys.stderr))
