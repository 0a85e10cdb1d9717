"""Tool calls of a turn, and the sources that are made of what they found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from attribution.documents import keys
from attribution.documents.sources import CitableSource, SourceKind, site_of
from attribution.errors import InputError
from attribution.strict_json import read_json

MOST_PARSED = 4_000_000
"""Longer texts are not read as JSON: so many characters are no search result."""


LONGEST_NAME = 200
"""So many characters of a call's id and name are kept: each of its results repeats them."""


_FEWEST_WORDS = 4
_MOST_LOOKED_AT = 1_000


class ToolCall(NamedTuple):
    """A call of a tool: its name, arguments and output, which is any JSON value, or a text that may be JSON itself."""

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


MOST_SOURCES = 1_000
SNIPPET = 300


class Found(NamedTuple):
    """One result before it has an id."""

    title: str = ""
    uri: str = ""
    content: str = ""
    snippet: str = ""
    page: int | None = None
    source_id: str = ""
    chunk_id: str = ""
    namespace: str = ""
    published_at: str = ""
    score: float | None = None
    path: str = ""


def sources_of(call: ToolCall, kind: SourceKind, results: Iterable[Found]) -> list[CitableSource]:
    """The sources of a call; results that say nothing are none."""
    kept = [result for result in results if result.title or result.uri or result.content or result.snippet][:MOST_SOURCES]
    return [_source(call, kind, f"{call.id}-{place}", result) for place, result in enumerate(kept, start=1)]


def _source(call: ToolCall, kind: SourceKind, name: str, result: Found) -> CitableSource:
    return CitableSource(
        id=name,
        kind=kind,
        source_id=result.source_id,
        chunk_id=result.chunk_id,
        namespace=result.namespace,
        title=result.title,
        uri=result.uri,
        path=result.path,
        domain=site_of(result.uri),
        published_at=result.published_at,
        snippet=result.snippet or shortened(result.content),
        content=result.content or result.snippet,
        page=result.page,
        score=result.score,
        tool=call.name,
        request=call.id,
    )


def shortened(text: str) -> str:
    """The beginning of a text, cut between two words."""
    if len(text) <= SNIPPET:
        return text
    return text[:SNIPPET].rpartition(" ")[0] or text[:SNIPPET]


def objects(value: Any, *names: str) -> list[keys.Object]:
    """The objects of a list, which stands alone or under one of these names, or under one within one."""
    for step in range(2):
        if isinstance(value, list):
            return [found for each in value[:MOST_SOURCES] if (found := keys.mapping(each))]
        found = keys.mapping(value)
        value = next((inner for name in names if isinstance(inner := keys.first(found, name), list | dict)), None)
        if step and isinstance(value, dict):
            return [value]
    return objects_of_list(value)


def objects_of_list(value: Any) -> list[keys.Object]:
    """The objects of a list."""
    return [found for each in keys.items(value)[:MOST_SOURCES] if (found := keys.mapping(each))]
