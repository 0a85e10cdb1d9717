"""``python -m attribution``: turns as JSON on standard input, one or one a line; results on standard output, one a line."""

from __future__ import annotations

import json
import signal
import sys
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from itertools import chain, islice
from typing import Any, BinaryIO, TextIO

from attribution.codec import canonical_bytes, digest, encode, read_json
from attribution.documents.codec import encode_documents
from attribution.documents.pipeline import attribute_documents
from attribution.documents.validity import DocumentAttribution
from attribution.engine import attribute
from attribution.errors import AttributionError, InputError

BAD_INPUT = 2
_CITING = ("documents", "tool_calls", "citations", "native")
"""Keys of a turn whose answer cites documents."""

Line = tuple[int, bytes]
"""A line and its number."""


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
    lines = enumerate(_without_mark(source), start=1)
    held = list(islice((line for line in lines if line[1].strip()), 1))
    if held and _goes_on(held[0][1]) and _is_spread(held, lines):
        yield "input", b"\n" * (held[0][0] - 1) + _joined(held)
        return
    for number, line in chain(held, lines):
        if line.strip():
            yield f"line {number}", line.rstrip()


def _is_spread(held: list[Line], lines: Iterator[Line]) -> bool:
    """Return True if ``held`` and the other lines are one document; lines that had to be read for that are added to ``held``.

    A line that is a turn by itself makes it doubtful: then what has been read is looked at, each time it has doubled, so that a
    stream whose first line is cut is not held in memory as a whole.
    """
    size = looked_at = 0
    has_turn = False
    for line in lines:
        held.append(line)
        size += len(line[1])
        if _is_turn(line[1]):
            has_turn = True
            if size >= 2 * looked_at:
                looked_at = size
                if not _goes_on(_joined(held)):
                    return False
    return not has_turn or _is_json(_joined(held))


def _joined(lines: Iterable[Line]) -> bytes:
    return b"".join([text for _, text in lines])


def _is_turn(line: bytes) -> bool:
    """Return True if a line is a whole turn."""
    if b'"response"' not in line:
        return False
    try:
        turn = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(turn, dict) and "response" in turn


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _without_mark(source: Iterable[bytes]) -> Iterator[bytes]:
    """The lines without the byte order mark that some editors put before the first."""
    for number, line in enumerate(source):
        yield line if number else line.removeprefix(BOM_UTF8)


def _goes_on(line: bytes) -> bool:
    """Return True if a line is the beginning of a JSON document that is spread over several: the line ends where more is expected."""
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
    cites = any(turn.get(key) is not None for key in _CITING)
    for key in () if cites else ("response", "context"):
        if key not in turn:
            raise InputError(key, "is missing")
    documents = _list(turn, "documents")
    cited = _cited(turn, documents) if cites else None
    encoded = encode(
        attribute(
            response=cited.raw_text if cited and not turn.get("response") else turn["response"],
            context=turn.get("context", {}),
            user_text=_optional_text(turn, "user_text"),
            hidden_sections=_section_names(turn),
            documents=documents,
            field_citations=_list(turn, "field_citations"),
            answered_on=_day(turn),
        )
    )
    result = {"id": turn.get("id"), "digest": digest(canonical_bytes(encoded)), **encoded}
    if cited is not None:
        found = encode_documents(cited)
        result["documents"] = {"digest": digest(canonical_bytes(found)), **found}
    return canonical_bytes(result)


def _cited(turn: Mapping[str, Any], documents: list[Any]) -> DocumentAttribution:
    """Return what the answer cites of documents and tool results."""
    return attribute_documents(
        response=_optional_text(turn, "response") or "",
        documents=documents,
        tool_calls=_list(turn, "tool_calls"),
        citations=turn.get("citations"),
        native=turn.get("native"),
        abstention_reason=_optional_text(turn, "abstention_reason") or "",
        question=_optional_text(turn, "user_text") or "",
        answered_on=_day(turn),
    )


def _optional_text(turn: Mapping[str, Any], key: str) -> str | None:
    value = turn.get(key)
    if value is not None and not isinstance(value, str):
        raise InputError(key, "must be text")
    return value


def _section_names(turn: Mapping[str, Any]) -> list[str]:
    names = turn.get("hidden_sections")
    if names is None:
        return []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError("hidden_sections", "must be a list of section names")
    return names


def _list(turn: Mapping[str, Any], key: str) -> list[Any]:
    values = turn.get(key)
    if values is None:
        return []
    if not isinstance(values, list):
        raise InputError(key, "must be a list")
    return values


def _day(turn: Mapping[str, Any]) -> date | None:
    value = _optional_text(turn, "answered_at")
    if value is None:
        return None
    try:
        return datetime.fromisoformat(value).date()
    except ValueError as error:
        raise InputError("answered_at", "must be an ISO 8601 date or date and time") from error


if __name__ == "__main__":
    if sys.platform != "win32":
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader that has seen enough, such as head, ends the program quietly
    sys.exit(main(sys.stdin.buffer, sys.stdout.buffer, sys.stderr))
