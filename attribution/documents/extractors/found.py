"""Makes sources of what a tool found, numbered after the call: ``<request>-1``, ``<request>-2``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from attribution.documents import keys
from attribution.documents.extractors.call import ToolCall
from attribution.documents.source import CitableSource, SourceKind
from attribution.documents.uri import site_of

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
