"""Which fields of a record say of whom it is: by their type, and by the words of their names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from attribution import context_values


class Kind(StrEnum):
    """What a field identifies by."""

    PERSON = "person"
    PLACE = "place"
    DATE = "date"
    AGE = "age"
    NUMBER = "number"


_READ: Mapping[str, list[str]] = json.loads(Path(__file__).with_name("identifying.json").read_bytes())
_WORDS: Mapping[Kind, frozenset[str]] = {kind: frozenset(_READ[kind]) for kind in Kind}
_NOT = frozenset(_READ["not"])
"""A name with one of these tells of something about the thing, not which thing it is."""
_COMMON = frozenset(_READ["common"])
"""Words that are not taken out by themselves where a name, or a field for one, holds them."""

_SPLIT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_TITLE = re.compile(r"(?:(?:dr|mr|mrs|ms|miss|prof)\.?\s+)+", re.IGNORECASE)
_SHORTEST_PART = 3
_SHORTEST_KNOWN = 2
_LONGEST_KNOWN = 200
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_TITLED = re.compile(r"(?:Dr|Mr|Mrs|Ms|Miss|Prof)\.? [A-Z]\S{0,40}(?: \S{1,40}){0,4}")


def kind_of(path: str, value: Any) -> Kind | None:
    """What a field identifies by; nothing where it does not."""
    named = _kind_by_name(path)
    if named is None and isinstance(value, str):
        if _ISO.match(value):
            return Kind.DATE
        if _TITLED.fullmatch(value):
            return Kind.PERSON
    return named


def _kind_by_name(path: str) -> Kind | None:
    for key in reversed(path.split(".")):
        words = {word.lower() for word in _SPLIT.findall(key)}
        if words & _NOT:
            return None
        kind = next((kind for kind, names in _WORDS.items() if words & names), None)
        if kind or words:
            return kind or _kind_above(path)
    return None


def _kind_above(path: str) -> Kind | None:
    """What stands in an address, or with a contact, is a part of it whatever it is called itself."""
    above = {word.lower() for key in path.split(".")[:-1] for word in _SPLIT.findall(key)}
    return next((kind for kind in (Kind.PLACE, Kind.PERSON) if above & _WORDS[kind]), None)


def known_of(record: Mapping[str, Any]) -> Iterator[tuple[Kind, str]]:
    """The texts of a record that say of whom it is: of a name also its parts, which answers use alone."""
    for (_, path), value in context_values(record["context"]).items():
        kind = kind_of(path, value)
        if kind in (Kind.PERSON, Kind.PLACE, Kind.NUMBER):
            for text in texts_of(value):
                yield from forms_of(kind, text)


def forms_of(kind: Kind, text: str) -> Iterator[tuple[Kind, str]]:
    """A text as it may stand in others."""
    text = text.strip()
    if not _SHORTEST_KNOWN <= len(text) <= _LONGEST_KNOWN or text.casefold() in _COMMON:
        return
    yield kind, text
    if kind is not Kind.PERSON:
        return
    plain = _TITLE.sub("", text)
    for part in (plain, *re.split(r"[\s,]+", plain)):
        if len(part) >= _SHORTEST_PART and part.casefold() not in _COMMON:
            yield kind, part


def texts_of(value: Any) -> Iterator[str]:
    """All texts, and numbers as texts, in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool):
        return
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from texts_of(each)
    elif isinstance(value, Sequence):
        for each in value:
            yield from texts_of(each)
