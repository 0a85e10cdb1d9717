"""A tool call of a turn, and its output as JSON where it is that."""

from __future__ import annotations

from typing import Any, NamedTuple

from attribution.documents import keys
from attribution.errors import InputError
from attribution.strict_json import read_json

MOST_PARSED = 4_000_000
"""Longer texts are not read as JSON: so many characters are no search result."""


LONGEST_NAME = 200
"""So many characters of a call's id and name are kept: each of its results repeats them."""


_FEWEST_WORDS = 4
_MOST_LOOKED_AT = 1_000


class ToolCall(NamedTuple):
    """What was called, with what, and what came back: any JSON value, or a text that may be JSON itself."""

    id: str
    name: str
    parameters: keys.Object
    output: Any


def read_call(place: int, value: Any) -> ToolCall:
    """The call that stands at ``place`` in a turn, counted from 1; a call without an id is named after its place."""
    found = keys.mapping(value)
    function = keys.mapping(found.get("function"))
    name = keys.text(found, "name", "tool_name", "tool") or keys.text(function, "name")
    identity = keys.text(found, "id", "tool_call_id", "request_id", "call_id")
    if not identity or len(identity) > LONGEST_NAME:
        identity = f"call-{place}"
    parameters = keys.first(found, "parameters", "arguments", "args", "input") or function.get("arguments")
    output = keys.first(found, "output", "result", "content")
    return ToolCall(identity, name[:LONGEST_NAME], keys.mapping(parsed(parameters)), parsed(output))


def parsed(value: Any) -> Any:
    """The value of a text that is JSON, the text itself where it is not; other values as they are."""
    if not isinstance(value, str) or len(value) > MOST_PARSED or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return read_json(value.encode("utf-8", "surrogatepass"))
    except InputError:
        return value


def says_something(output: Any) -> bool:
    """Return True if an output has a text of some words anywhere; what says only that nothing was found has none."""
    left = [output]
    for _ in range(_MOST_LOOKED_AT):
        if not left:
            return False
        value = left.pop()
        if isinstance(value, str) and len(value.split(None, _FEWEST_WORDS)) >= _FEWEST_WORDS:
            return True
        if isinstance(value, dict):
            left += value.values()
        elif isinstance(value, (list, tuple)):
            left += value
    return True
