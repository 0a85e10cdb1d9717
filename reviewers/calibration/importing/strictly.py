"""Values of a JSON document, taken with their kind: what is not as it must be is refused with its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attribution import InputError

Thing = Mapping[str, Any]


def take_object(data: Any, place: str) -> Thing:
    """An object."""
    if not isinstance(data, dict):
        raise InputError(place, "must be an object")
    return data


def take_text(data: Thing, key: str, place: str, *, longest: int = 2_000, default: str | None = None) -> str:
    """A text of a key; a default stands for a key that is not there."""
    value = data.get(key, default)
    if not isinstance(value, str):
        raise InputError(_at(place, key), "must be text")
    if len(value) > longest:
        raise InputError(_at(place, key), f"longer than {longest:,} characters")
    if "\0" in value or any("\ud800" <= each <= "\udfff" for each in value):
        raise InputError(_at(place, key), "holds characters that no text has")
    return value


def take_share(data: Thing, key: str, place: str) -> float:
    """A number from 0 to 1, which may be written as a whole one."""
    value = data.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InputError(_at(place, key), "must be a number from 0 to 1")
    return float(value)


def take_truth(data: Thing, key: str, place: str) -> bool | None:
    """True, false, or nothing; a key that is not there is refused."""
    value = data.get(key, "")
    if value is not None and not isinstance(value, bool):
        raise InputError(_at(place, key), "must be true, false or null")
    return value


def take_flag(data: Thing, key: str, place: str) -> bool:
    """True or false."""
    value = data.get(key)
    if not isinstance(value, bool):
        raise InputError(_at(place, key), "must be true or false")
    return value


def take_texts(data: Thing, key: str, place: str) -> tuple[str, ...]:
    """A list of texts."""
    value = data.get(key)
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise InputError(_at(place, key), "must be a list of texts")
    return tuple(value)


def _at(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key
