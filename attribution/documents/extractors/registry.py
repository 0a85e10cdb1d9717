"""Which function reads the output of which tool."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from attribution.documents.extractors.call import ToolCall, read_call, says_something
from attribution.documents.extractors.tools import http_client, mcp, query_rag_project, web_scrape, web_search, wikipedia_search
from attribution.documents.source import CitableSource

Extractor = Callable[[ToolCall], list[CitableSource]]
"""Reads one tool call into sources. It never raises for what a tool returned."""


_MOST_UNREAD = 20


class Extractors:
    """Name patterns, in which ``*`` stands for any characters, and their functions: the first that fits decides."""

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

    def extract_all(self, calls: Sequence[Any]) -> list[CitableSource]:
        """The sources of all tool calls of a turn, in their order."""
        return self.read_all(calls)[0]

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
