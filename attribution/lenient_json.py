"""Reads JSON objects that come from many hands: snake_case or camelCase, several names for one thing, values of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attribution.remembering import remembered

Object = Mapping[str, Any]
_GREATEST = 10**15
_LARGEST = 10**300
_LONGEST = 15


def mapping(value: Any) -> Object:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else list(value) if isinstance(value, tuple) else []


def first(found: Object, *names: str) -> Any:
    """The first value that is there under one of these names, each in snake_case as given or in camelCase."""
    for name in names:
        value = found.get(name)
        if value is None and "_" in name:
            value = found.get(camel(name))
        if value is not None and value != "":
            return value
    return None


def text(found: Object, *names: str) -> str:
    """The first value under one of these names that is text or a whole number, as text."""
    for name in names:
        value = first(found, name)
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST:
            return str(value)
    return ""


def number(found: Object, *names: str) -> float | None:
    """The first value under one of these names that is a finite number."""
    for name in names:
        value = first(found, name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _LARGEST:
            return float(value)
    return None


def whole(found: Object, *names: str) -> int | None:
    """The first value under one of these names that is a whole number."""
    for name in names:
        value = as_whole(first(found, name))
        if value is not None:
            return value
    return None


def as_whole(value: Any) -> int | None:
    """A whole number, also where a serialiser made 5.0 or "5" of it."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _GREATEST else None
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _LONGEST else None


@remembered
def camel(name: str) -> str:
    """``source_id`` → ``sourceId``."""
    head, *others = name.split("_")
    return head + "".join([other.capitalize() for other in others])
