"""Walks a context into typed fields, in its own order."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from attribution.budget import MOST_FIELDS, MOST_NAMES, cost_of_name
from attribution.errors import InputError
from attribution.figures.written import WRITTEN_DATE, WRITTEN_TIME
from attribution.lexicon.words import CREDENTIALS, MEASURES
from attribution.model import Field, FieldType, new
from attribution.remembering import remembered
from attribution.schema.registry import Registry
from attribution.schema.truth import told_by

WHOLE_SECTION = "value"
"""The path of a section that is not an object: the section is its own only field."""

DEEPEST = 64
"""How many levels are descended; what stands deeper is one field without a value that could match."""

LONGEST_PATH = 2_000
"""The longest path below which fields are read one by one; all below a longer one is one field."""

LONGEST_NAMED = 300
"""No name, code, amount or enumerated value is longer. These are looked for in several ways, which takes more than linear time."""

LARGEST = 10**64
"""Numbers from here on are in no text; nor do NaN and infinity, which are not below it."""

_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?", re.ASCII)
_TIME = re.compile(r"(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?(?:\s?[ap]\.?m\.?)?", re.ASCII | re.IGNORECASE)
_MONEY = re.compile(r"[^\d\n]{0,12}[$€£]\s?\d[\d,.]*.{0,40}", re.ASCII)
_NUMBER = re.compile(r"-?(?!0\d)(?:\d{1,3}(?:,\d{3})+|\d{1,18})(?:\.\d{1,12})?", re.ASCII)
_DURATION = re.compile(r"[a-z0-9 .-]{1,24}[ -](?:minute|min|hour|hr|day|week|month|year)s?", re.IGNORECASE)
_QUANTITY = re.compile(rf"\d{{1,18}}(?:\.\d{{1,12}})?[ -](?:{'|'.join(MEASURES)})", re.ASCII | re.IGNORECASE)
_PHONE = re.compile(r"\+?[\d\s().-]{7,24}(?:\s?(?:ext|x)\.?\s?\d{1,6})?", re.ASCII | re.IGNORECASE)
_TITLED = re.compile(r"(?:Dr|Mr|Mrs|Ms|Miss|Prof)\.? [A-Z]\S{0,40}(?: \S{1,40}){0,4}")
_CREDENTIALED = re.compile(
    rf"(?:[A-Z]\S{{0,40}} ){{1,3}}[A-Z][^\s,]{{1,40}}, (?:{'|'.join(sorted(CREDENTIALS - {'ma'}))})\b.{{0,20}}", re.IGNORECASE
)
_DIGIT = re.compile(r"[0-9]")
_LONG = (FieldType.SUMMARY, FieldType.QUESTION)
_ESCAPED = re.compile(r"[.\\]")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_KEY = re.compile(r"((?:[^.\\]|\\.)*+)(?:\.|\Z)", re.DOTALL)


class Walked(NamedTuple):
    """The fields of a context; those of a very large one are not the whole of it."""

    fields: list[Field]
    is_whole: bool


def walk(context: Mapping[str, Any], registry: Registry, hidden: Collection[str], summary_length: int) -> Walked:
    """The fields of a context, so many of them. Lists of scalars are one field; objects and lists of objects are descended.

    Raises ``InputError`` where the context is not an object of sections or holds what is no JSON value.
    """
    if not isinstance(context, Mapping):
        raise InputError("context", "must be an object of sections")
    make, names = new, MOST_NAMES
    fields: list[Field] = []
    try:
        for section, content in context.items():
            is_hidden = section in hidden
            for path, leaf, value in _leaves(content):
                names -= cost_of_name(leaf) + len(path) + len(section)
                if names < 0 or len(fields) >= MOST_FIELDS:
                    return Walked(fields, is_whole=False)
                kind = _type_of(registry, leaf, value, summary_length)
                fields.append(make(Field, (section, path, leaf, kind, value, is_hidden)))
    except NotJSONError as error:
        raise InputError(_place_of(error.value, context), str(error)) from None
    return Walked(fields, is_whole=True)


class NotJSONError(Exception):
    """A value of a type that JSON does not have. Where it stands is for the caller to say: typing a value does not know."""

    def __init__(self, value: object) -> None:
        super().__init__(f"must be a JSON value, not {type(value).__name__}")
        self.value = value


def _place_of(wanted: object, context: Mapping[str, Any]) -> str:
    return next(
        section if value is content else f"{section}.{path}"
        for section, content in context.items()
        for path, _, value in _leaves(content)
        if value is wanted
    )


def context_values(context: Mapping[str, Any], *, only_read: bool = False) -> dict[tuple[str, str], Any]:
    """Return the value of each field by section and path; ``only_read`` leaves out what is beyond the fields that are ever read."""
    values: dict[tuple[str, str], Any] = {}
    for section, content in context.items():
        if only_read and len(values) >= MOST_FIELDS:
            break
        values.update(((section, path), value) for path, _, value in _leaves(content))
    return values


def context_value(context: Mapping[str, Any], section: str, path: str) -> Any:
    """Return the value of one field, or None if there is no such field. It is for callers that need a few."""
    value = context.get(section)
    if type(value) is dict or _is_list_of_objects(value):
        for key in _keys(path):
            value = _child(value, key)
    return value


def _child(value: Any, key: str) -> Any:
    if type(value) is dict:
        return value.get(key)
    return value[int(key)] if type(value) is list and key.isdecimal() and int(key) < len(value) else None


@remembered
def _keys(path: str) -> list[str]:
    """The keys that a path was made of."""
    if "\\" not in path:
        return path.split(".")
    return [_ESCAPE.sub(r"\1", key) for key in _KEY.findall(path + ".")[:-1]]


Leaf = tuple[str, str, Any]
"""Path, last key and value."""


def _leaves(content: Any) -> list[Leaf]:
    leaves: list[Leaf] = []
    if type(content) is dict:
        _descend("", content.items(), leaves, DEEPEST)
    elif _is_list_of_objects(content):
        _descend("", enumerate(content), leaves, DEEPEST)
    elif content != []:
        leaves.append((WHOLE_SECTION, WHOLE_SECTION, content))
    return leaves


def _descend(prefix: str, children: Iterable[tuple[Any, Any]], leaves: list[Leaf], levels_left: int) -> None:
    """Collect the leaves under an object. What stands under a longer path than ``LONGEST_PATH`` is one leaf: it would be repeated in each.

    Two different leaves never share a path: a dot in a key is escaped.
    """
    for key, value in children:
        if len(leaves) > MOST_FIELDS:
            return
        leaf = str(key)
        path = prefix + _escaped(leaf)
        is_descended = levels_left > 0 and len(path) <= LONGEST_PATH
        if type(value) is dict and value and is_descended:
            _descend(path + ".", value.items(), leaves, levels_left - 1)
        elif type(value) is list and is_descended and _is_list_of_objects(value):
            _descend(path + ".", enumerate(value), leaves, levels_left - 1)
        else:
            leaves.append((path, leaf, value))


@remembered
def _escaped(key: str) -> str:
    return _ESCAPED.sub(r"\\\g<0>", key)


def _is_list_of_objects(value: Any) -> bool:
    return type(value) is list and bool(value) and type(value[0]) is dict and all(type(element) is dict for element in value)


def _type_of(registry: Registry, leaf: str, value: Any, summary_length: int) -> FieldType:
    """By the leaf's name first, by the value's shape second; a name never overrules a shape that cannot hold it.

    A text can be what its name says if it is more than white space, and short unless it may be long; money needs a digit.
    """
    name, kind = registry.leaf_name(leaf), type(value)
    if kind is str:
        named = name.text_type
        if named is None and told_by(leaf, value) is not None:
            return FieldType.BOOLEAN
        return named if named and _can_be(named, value) else _type_of_text(value, summary_length)
    if kind is int or kind is float:
        return name.number_type if -LARGEST < value < LARGEST else FieldType.EMPTY
    if kind is bool:
        return FieldType.BOOLEAN
    if kind is list:
        return name.list_type if value else FieldType.EMPTY
    if value is None or kind is dict:
        return FieldType.EMPTY
    raise NotJSONError(value)


def _can_be(named: FieldType, text: str) -> bool:
    """Return True if a text can be of the type that its field's name tells."""
    if not text or text.isspace() or (len(text) > LONGEST_NAMED and named not in _LONG):
        return False
    return named is not FieldType.MONEY or bool(_DIGIT.search(text))


def _type_of_text(text: str, summary_length: int) -> FieldType:
    is_long = len(text) > summary_length and len(text.strip()) > summary_length
    return FieldType.SUMMARY if is_long else _type_of_short_text(text)


@remembered
def _type_of_short_text(text: str) -> FieldType:
    stripped = text.strip()
    if not stripped:
        return FieldType.EMPTY
    shapes = _SHAPES if _DIGIT.search(stripped) else _SHAPES_IN_WORDS
    return next((kind for pattern, kind in shapes if pattern.fullmatch(stripped)), FieldType.FIELD_VALUE)


_SHAPES_IN_WORDS = ((_DURATION, FieldType.DURATION), (_TITLED, FieldType.NAME), (_CREDENTIALED, FieldType.NAME))
_SHAPES = (
    (_DATE, FieldType.DATE),
    (_TIME, FieldType.TIME),
    (_NUMBER, FieldType.NUMERIC),
    (_MONEY, FieldType.MONEY),
    *_SHAPES_IN_WORDS,
    (_QUANTITY, FieldType.DURATION),
    (WRITTEN_TIME, FieldType.TIME),
    (WRITTEN_DATE, FieldType.DATE),
    (_PHONE, FieldType.IDENTIFIER),
)


def type_of_element(value: Any, summary_length: int) -> FieldType:
    """The type of a list's element, by its shape alone."""
    kind = type(value)
    if kind is str:
        return _type_of_text(value, summary_length)
    if kind is int or kind is float:
        return FieldType.NUMERIC if -LARGEST < value < LARGEST else FieldType.EMPTY
    if value is None or kind in (bool, dict, list):
        return FieldType.EMPTY
    raise NotJSONError(value)
