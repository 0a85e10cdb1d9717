"""Reads the bytes of a row as events commit to them: each column with its name, its type and its length."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except RecursionError as error:
        raise ValueError("It is nested deeper than anything that was written.") from error


_READ: Mapping[bytes, Callable[[bytes], Any]] = {
    b"-": lambda _: None,
    b"s": lambda content: content.decode("utf-8", "surrogatepass"),
    b"b": lambda content: content == b"1",
    b"n": _json,
    b"u": lambda content: str(UUID(bytes=content)),
    b"t": lambda content: content.decode("ascii").replace("+00:00", "Z"),
    b"d": lambda content: content.decode("ascii"),
    b"x": bytes,
    b"j": _json,
}


def read_columns(content: bytes) -> dict[str, Any]:
    """The columns of a row by name. Raises ``ValueError`` for other bytes."""
    columns: dict[str, Any] = {}
    while content:
        name, separator, rest = content.partition(b"\0")
        length, second, rest = rest[1:].partition(b"\0") if separator else (b"", b"", b"")
        kind = content[len(name) + 1 : len(name) + 2]
        if not second or kind not in _READ or not length.isdigit() or len(rest) < int(length):
            raise ValueError("These are not the bytes of a row.")
        columns[name.decode()] = _READ[kind](rest[: int(length)])
        content = rest[int(length) :]
    return columns
