"""Grounding: retrieves for a question, shows the hits to the model, and checks the finished answer against exactly those hits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attribution.documents.pipeline import attribute_documents
from attribution.documents.policy import CitationPolicy, QuotePolicy
from attribution.documents.prompting import document_instruction, key_of, render
from attribution.documents.references import Grammar
from attribution.documents.result import DocumentAttribution
from attribution.documents.sources import CitableSource, read_documents
from attribution.errors import InputError
from attribution.model import Word

Retriever = Callable[[str], Sequence[Any]]
"""Finds documents for a query, best first."""


class Injection(Word):
    """How the model gets at sources: in its context, by tools, or both."""

    CONTEXT = "context"
    TOOL = "tool"
    BOTH = "both"


class Grounding:
    """One answer's sources. Every hit that the model has seen is recorded, in the order of its number; nothing else can be cited."""

    def __init__(
        self,
        retriever: Retriever,
        query: str,
        *,
        required: bool = False,
        quotes: QuotePolicy | str = QuotePolicy.OPTIONAL,
        inject: Injection | str = Injection.CONTEXT,
        grammar: Grammar = Grammar.NUMBERED,
    ) -> None:
        self._retriever = retriever
        self._query = query
        self._inject = Injection(inject)
        self._grammar = grammar
        self._policy = CitationPolicy(is_required=required, quotes=QuotePolicy(quotes), numbers_are_places=True)
        self._places: dict[tuple[str, ...], int] = {}
        self.documents: list[Any] = []
        self._sources: list[CitableSource] = []
        if self._inject is not Injection.TOOL:
            self._record(retriever(query))

    def context(self, *, title: str = "Sources", max_chars: int | None = None) -> str:
        """Return what goes into the prompt: the instruction to cite, and the sources unless the model has to search for them."""
        instruction = document_instruction(self._grammar, quotes=self._policy.quotes, is_blocking=self._policy.is_required)
        if self._inject is Injection.TOOL:
            return instruction
        return f"{instruction}\n\n{render(self._sources, title=title, max_chars=max_chars, grammar=self._grammar)}"

    @property
    def tools(self) -> dict[str, Callable[[str], Any]]:
        """The tools to offer the model, by name; none where everything is in its context."""
        return {} if self._inject is Injection.CONTEXT else {"search": self.search, "get_source": self.get_source}

    def search(self, query: str = "") -> list[dict[str, Any]]:
        """Return what is found for a query, each with the mark to cite it by. Every hit is recorded."""
        return [self._shown(place) for place in self._record(self._retriever(query or self._query))]

    def get_source(self, mark: str) -> dict[str, Any]:
        """The whole text of a source that was shown before. Raises ``InputError`` for any other."""
        wanted = mark.strip().strip("[]").removeprefix("citation:")
        for place, source in enumerate(self._sources, start=1):
            if wanted in (str(place), key_of(source)):
                return {**self._shown(place), "content": source.content}
        raise InputError("get_source", f"no source ‘{wanted[:80]}’ was found before")

    def validate(self, response: str = "", *, citations: Any = None, native: Any = None) -> DocumentAttribution:
        """The finished answer, looked up in exactly the hits that were recorded. ``get_source`` shows nothing new."""
        return attribute_documents(response=response, documents=self.documents, citations=citations, native=native, policy=self._policy)

    def _record(self, found: Sequence[Any]) -> list[int]:
        """The numbers of hits, new ones appended."""
        places: list[int] = []
        for document, source in zip(found, read_documents(found), strict=True):
            identity = (source.namespace, source.source_id, source.chunk_id, "" if source.source_id else source.uri + source.content)
            if identity not in self._places:
                self.documents.append(document)
                self._sources.append(source)
                self._places[identity] = len(self.documents)
            places.append(self._places[identity])
        return places

    def _shown(self, place: int) -> dict[str, Any]:
        source = self._sources[place - 1]
        mark = f"[citation:{key_of(source)}]" if self._grammar is Grammar.KEYED else f"[{place}]"
        shown = {"mark": mark, "title": source.title, "url": source.uri, "published_at": source.published_at}
        snippet = source.snippet or source.content[:300]
        return {key: value for key, value in {**shown, "snippet": snippet}.items() if value}
