"""Which function reads the output of which tool."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from attribution.documents.extractors.call import ToolCall, read_call
from attribution.documents.extractors.tools import http_client, mcp, query_rag_project, web_scrape, web_search, wikipedia_search
from attribution.documents.source import CitableSource

Extractor = Callable[[ToolCall], list[CitableSource]]
"""Reads one tool call into sources. It never raises for what a tool returned."""


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
        return [source for place, value in enumerate(calls, start=1) for source in self.extract(read_call(place, value))]


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
