"""Sources from what tools returned: a registry of name patterns, the first that fits decides; one function for each kind of tool."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from attribution import lenient_json
from attribution.codec import read_json
from attribution.documents.sources import CitableSource, SourceKind, content_of, site_of
from attribution.errors import InputError

MOST_PARSED = 4_000_000
"""Longer texts are not read as JSON: so many characters are no search result."""


LONGEST_NAME = 200
"""The most characters of a call's id and name that are kept: each of its results repeats them."""


_FEWEST_WORDS = 4
_MOST_LOOKED_AT = 1_000


class ToolCall(NamedTuple):
    """A call of a tool: its name, arguments and output, which is any JSON value, or a text that may be JSON itself."""

    id: str
    name: str
    parameters: lenient_json.Object
    output: Any


def read_call(place: int, value: Any) -> ToolCall:
    """The call that stands at ``place`` in a turn, counted from 1; a call without an id is named after its place."""
    found = lenient_json.mapping(value)
    function = lenient_json.mapping(found.get("function"))
    name = lenient_json.text(found, "name", "tool_name", "tool") or lenient_json.text(function, "name")
    identity = lenient_json.text(found, "id", "tool_call_id", "request_id", "call_id")
    if not identity or len(identity) > LONGEST_NAME:
        identity = f"call-{place}"
    parameters = lenient_json.first(found, "parameters", "arguments", "args", "input") or function.get("arguments")
    output = lenient_json.first(found, "output", "result", "content")
    return ToolCall(identity, name[:LONGEST_NAME], lenient_json.mapping(parsed(parameters)), parsed(output))


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


def objects(value: Any, *names: str) -> list[lenient_json.Object]:
    """The objects of a list, which stands alone or under one of these names, or under one within one."""
    for step in range(2):
        if isinstance(value, list):
            return [found for each in value[:MOST_SOURCES] if (found := lenient_json.mapping(each))]
        found = lenient_json.mapping(value)
        value = next((inner for name in names if isinstance(inner := lenient_json.first(found, name), list | dict)), None)
        if step and isinstance(value, dict):
            return [value]
    return objects_of_list(value)


def objects_of_list(value: Any) -> list[lenient_json.Object]:
    """The objects of a list."""
    return [found for each in lenient_json.items(value)[:MOST_SOURCES] if (found := lenient_json.mapping(each))]


_RESULTS = ("results", "organic_results", "items", "web", "value", "data", "hits")
_CHUNKS = ("chunks", "results", "documents", "matches", "nodes", "data")
_LONGEST_WRITTEN = 200_000


def web_search(call: ToolCall) -> list[CitableSource]:
    """Results with a title, a link and a snippet."""
    results = [
        Found(
            title=lenient_json.text(each, "title", "name"),
            uri=lenient_json.text(each, "link", "url", "href", "uri"),
            content=lenient_json.text(each, "content", "raw_content", "text"),
            snippet=lenient_json.text(each, "snippet", "description", "summary"),
            published_at=lenient_json.text(each, "published_at", "published_date", "date"),
            score=lenient_json.number(each, "score"),
        )
        for each in objects(call.output, *_RESULTS)
    ]
    return sources_of(call, SourceKind.WEB, results)


def web_scrape(call: ToolCall) -> list[CitableSource]:
    """One page; its address may be in the call only."""
    pages = objects(call.output, "page", "pages", "data") or [lenient_json.mapping(call.output)]
    results = [
        Found(
            title=lenient_json.text(each, "title"),
            uri=lenient_json.text(each, "url", "link", "source_url") or _address(call),
            content=lenient_json.text(each, "content", "text", "markdown", "body", "html"),
            published_at=lenient_json.text(each, "published_at", "date"),
        )
        for each in pages
    ]
    if isinstance(call.output, str):
        results = [Found(uri=_address(call), content=call.output)] if call.output.strip() else []
    return sources_of(call, SourceKind.WEB, [each for each in results if each.content or each.title])


def query_rag_project(call: ToolCall) -> list[CitableSource]:
    """Chunks of files, with their pages."""
    return sources_of(call, SourceKind.FILE, [_chunk(each) for each in objects(call.output, *_CHUNKS)])


def _chunk(each: lenient_json.Object) -> Found:
    nested = lenient_json.mapping(each.get("metadata"))
    found = {**nested, **each}
    pages = lenient_json.items(lenient_json.first(found, "pages", "page_numbers"))
    page = lenient_json.whole(found, "page", "page_number")
    return Found(
        title=lenient_json.text(found, "title", "document_title", "filename", "file_name", "document_name", "name"),
        uri=lenient_json.text(found, "url", "uri"),
        content=content_of(found),
        page=page if page is not None else next((each for each in pages if isinstance(each, int)), None),
        source_id=lenient_json.text(found, "document_id", "doc_id", "source_id", "file_id"),
        chunk_id=lenient_json.text(found, "chunk_id", "id"),
        namespace=lenient_json.text(found, "namespace", "project", "project_id"),
        published_at=lenient_json.text(found, "published_at", "date"),
        score=lenient_json.number(found, "score", "similarity", "relevance_score"),
        path=lenient_json.text(found, "path", "file_path"),
    )


def wikipedia_search(call: ToolCall) -> list[CitableSource]:
    """Articles with a title and an extract."""
    articles = objects(call.output, "results", "pages", "search", "articles", "query") or [lenient_json.mapping(call.output)]
    results = [
        Found(
            title=lenient_json.text(each, "title"),
            uri=lenient_json.text(each, "url", "fullurl", "link"),
            content=lenient_json.text(each, "extract", "content", "summary", "text"),
            snippet=lenient_json.text(each, "snippet", "description"),
        )
        for each in articles
    ]
    if isinstance(call.output, str) and call.output.strip():
        results = [Found(title=lenient_json.text(call.parameters, "title", "query"), content=call.output)]
    return sources_of(call, SourceKind.WEB, results)


def http_client(call: ToolCall) -> list[CitableSource]:
    """The body of one response."""
    found = lenient_json.mapping(call.output)
    body = lenient_json.first(found, "body", "data", "content", "text") if found else call.output
    uri = lenient_json.text(found, "url", "uri") or _address(call)
    inner = lenient_json.mapping(parsed(body))
    written = _written(body)
    return sources_of(call, SourceKind.API, [Found(lenient_json.text(inner, "title"), uri, written)] if written else [])


def mcp(call: ToolCall) -> list[CitableSource]:
    """Any tool of a Model Context Protocol server: its content blocks, else its results, else its output as one text."""
    blocks = objects(call.output, "content") if not isinstance(call.output, str) else []
    results = [found for block in blocks if "type" in block and (found := _block(block)) is not None]
    if not results:
        results = [_chunk(each) for each in objects(call.output, *_CHUNKS, *_RESULTS)]
    if not any(each.content or each.snippet or each.uri for each in results):
        results = [Found(title=call.name, content=written)] if (written := _written(call.output)) else []
    return sources_of(call, SourceKind.MCP, results)


def _block(block: lenient_json.Object) -> Found | None:
    resource = lenient_json.mapping(block.get("resource"))
    if resource:
        return Found(lenient_json.text(resource, "title", "name"), lenient_json.text(resource, "uri"), lenient_json.text(resource, "text"))
    if block.get("type") == "resource_link":
        return Found(
            lenient_json.text(block, "title", "name"), lenient_json.text(block, "uri"), snippet=lenient_json.text(block, "description")
        )
    return Found(content=lenient_json.text(block, "text")) if lenient_json.text(block, "text").strip() else None


def _address(call: ToolCall) -> str:
    return lenient_json.text(call.parameters, "url", "uri", "link")


def _written(value: Any) -> str:
    """A value as text; what is no text is written as JSON, up to a bound."""
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)[:_LONGEST_WRITTEN]
    except (RecursionError, ValueError, TypeError):
        return ""


Extractor = Callable[[ToolCall], list[CitableSource]]
"""Reads one tool call into sources. It never raises for what a tool returned."""


_MOST_UNREAD = 20


class Extractors:
    """Name patterns, in which ``*`` matches any characters, and their functions: the first that fits decides."""

    def __init__(self, entries: Sequence[tuple[str, Extractor]]) -> None:
        self._entries = tuple(entries)
        self._patterns = [(re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL), read) for pattern, read in entries]

    def extended(self, pattern: str, extractor: Extractor) -> Extractors:
        """A registry that asks one more, before all others."""
        return Extractors(((pattern, extractor), *self._entries))

    def extract(self, call: ToolCall) -> list[CitableSource]:
        """The sources of a call; a tool that no pattern fits has none."""
        for pattern, read in self._patterns:
            if pattern.fullmatch(call.name):
                return read(call)
        return []

    def read_all(self, calls: Sequence[Any]) -> tuple[list[CitableSource], list[str]]:
        """Return the sources of all tool calls, and of which calls nothing is read although something came back, in words."""
        sources: list[CitableSource] = []
        unread: list[str] = []
        for place, value in enumerate(calls, start=1):
            call = read_call(place, value)
            found = self.extract(call)
            sources += found
            if not found and says_something(call.output) and len(unread) < _MOST_UNREAD:
                unread.append(self._unread(call))
        return sources, unread

    def _unread(self, call: ToolCall) -> str:
        is_known = any(pattern.fullmatch(call.name) for pattern, _ in self._patterns)
        why = "it has no shape that is known of this tool" if is_known else "no extractor reads a tool of this name"
        return f"nothing of what ‘{call.name[:80]}’ returned ({call.id[:80]}) can be cited: {why}"


DEFAULT_EXTRACTORS = Extractors(
    (
        ("web_search", web_search),
        ("web_scrape", web_scrape),
        ("query_rag_project", query_rag_project),
        ("wikipedia_search", wikipedia_search),
        ("http_client", http_client),
        ("mcp.*__*", mcp),
    )
)
