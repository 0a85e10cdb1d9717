"""Grounding: show sources to a model, tell it to cite them, and check the finished answer against exactly those."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attribution.documents.pipeline import attribute_documents
from attribution.documents.references import CitationPolicy, Grammar, QuotePolicy
from attribution.documents.sources import CitableSource, own_numbers, read_documents
from attribution.documents.validity import DocumentAttribution
from attribution.errors import InputError
from attribution.model import Word

_FEWEST_CHARS = 80
_LONGEST_NAME = 200
_CUT = " …"


def render_sources(
    documents: Sequence[Any], *, title: str = "Sources", max_chars: int | None = None, grammar: Grammar = Grammar.NUMBERED
) -> str:
    """The documents as a part of a prompt, in their order, under ``title``.

    Where ``max_chars`` code points are too few for all, every document keeps its heading and the texts share what is left: short ones
    stay whole, long ones are cut between words. The headings alone may be longer than ``max_chars``.
    """
    sources = read_documents(documents)
    return render(sources, list(own_numbers(sources)) or None, title=title, max_chars=max_chars, grammar=grammar)


def render(
    sources: Sequence[CitableSource], numbers: Sequence[int] | None = None, *, title: str, max_chars: int | None, grammar: Grammar
) -> str:
    """Like ``render_sources``, for sources that have been read, under these ``numbers`` or, without any, their places."""
    named = zip(numbers or range(1, len(sources) + 1), sources, strict=True)
    heads = [_heading(number, source, grammar) for number, source in named]
    texts = [_indented(source.content or source.snippet) for source in sources]
    if max_chars is not None:
        room = max_chars - len(title) - sum([len(head) + 3 for head in heads])
        texts = [_cut(text, share) for text, share in zip(texts, shares([len(text) for text in texts], room), strict=True)]
    shown = [f"{head}\n{text}" if text else head for head, text in zip(heads, texts, strict=True)]
    return "\n\n".join([title, *shown]) if shown else f"{title}\n\nNone."


def key_of(source: CitableSource) -> str:
    """Return how a keyed citation names a source: document and chunk, the colon only between the two."""
    name = (source.source_id or source.id).replace(":", "_")
    return f"{name}:{source.chunk_id}" if source.chunk_id else name


def _heading(place: int, source: CitableSource, grammar: Grammar) -> str:
    mark = f"[citation:{key_of(source)}]" if grammar is Grammar.KEYED else f"[{place}]"
    ids = [f"source id {source.source_id}", f"chunk id {source.chunk_id}"] if grammar in (Grammar.STRUCTURED, Grammar.CLAIMS) else []
    shown = [part for part in (source.title or source.path, source.origin, source.published_at, source.uri) if part]
    named = [part for part in ids if not part.endswith("id ")]
    return " ".join(f"{mark} {' · '.join([*shown, *named])}".split())[:_LONGEST_NAME].rstrip()


def _indented(text: str) -> str:
    return "\n".join(["    " + line for line in text.splitlines()]) if text.strip() else ""


def shares(lengths: Sequence[int], room: int) -> list[int]:
    """Return how much of each text fits: the shortest are served first, so that what they leave goes to the longer ones."""
    given = [0] * len(lengths)
    left = max(0, room)
    for served, place in enumerate(sorted(range(len(lengths)), key=lambda place: lengths[place])):
        given[place] = min(lengths[place], left // (len(lengths) - served))
        left -= given[place]
    return given


def _cut(text: str, share: int) -> str:
    if len(text) <= share:
        return text
    if share < _FEWEST_CHARS:
        return ""
    return text[: share - len(_CUT)].rpartition(" ")[0].rstrip() + _CUT


_PLAIN = {
    Grammar.NUMBERED: (
        "Put the number of the source in square brackets directly after each statement that rests on it: [1]. "
        "For several sources write [1][2]. Use the numbers of the sources you were given and no others."
    ),
    Grammar.KEYED: (
        "Directly after each statement that rests on a source, put its mark exactly as it stands before the source: "
        "[citation:document:chunk]. For several sources write one mark after the other."
    ),
    Grammar.STRUCTURED: (
        "Give the answer as one JSON object: text (the answer as plain text) and citations, a list of objects with sourceId and chunkId as "
        "given{quote}. Add the statement a citation supports as claim, word for word as in your answer."
    ),
    Grammar.CLAIMS: (
        "Give the answer as one JSON object: answer (the text), claims (each with text, word for word as in the answer, citations, a list "
        "of citation ids, and confidence: high, medium or low), citations (each with id, title, source{quote}) and unanswered_aspects "
        "(what the sources leave open)."
    ),
}
_QUOTES = {
    Grammar.STRUCTURED: {QuotePolicy.REQUIRED: ", and quote: the words of the source, unchanged", QuotePolicy.OPTIONAL: ""},
    Grammar.CLAIMS: {QuotePolicy.REQUIRED: " and relevant_quote: the words of the source, unchanged", QuotePolicy.OPTIONAL: ""},
}
_ONLY_USED = " Cite only sources that you really used, never invent one, and say openly what the sources do not answer."
_EXAMPLES = {
    Grammar.NUMBERED: "The first visit takes fifty minutes [2]. Parking is free on Saturdays [1][3].",
    Grammar.KEYED: "The first visit takes fifty minutes [citation:visits:4].",
    Grammar.STRUCTURED: (
        '{"text": "The first visit takes fifty minutes.", "citations": [{"sourceId": "visits", "chunkId": "4", '
        '"quote": "A first visit takes fifty minutes", "claim": "The first visit takes fifty minutes."}]}'
    ),
    Grammar.CLAIMS: (
        '{"answer": "The first visit takes fifty minutes.", "claims": [{"text": "The first visit takes fifty minutes.", '
        '"citations": ["c1"], "confidence": "high"}], "citations": [{"id": "c1", "title": "Your visit", "source": "visits", '
        '"relevant_quote": "A first visit takes fifty minutes"}], "unanswered_aspects": []}'
    ),
}
_FORBIDDEN = {
    Grammar.NUMBERED: "(1), [source 1], [1](link), [^1], footnotes, a list of sources without marks in the text",
    Grammar.KEYED: "[1], [visits:4], (citation:visits:4), links, footnotes",
    Grammar.STRUCTURED: "marks in the text, sources you were not given, quotes in your own words",
    Grammar.CLAIMS: "marks in the text, claims that do not stand in the answer, quotes in your own words",
}


def document_instruction(grammar: Grammar, *, quotes: QuotePolicy = QuotePolicy.OPTIONAL, is_blocking: bool = False) -> str:
    """The paragraph for the system prompt. Grammars that a model does not write itself, such as native ones, have none: empty."""
    if grammar not in _PLAIN:
        return ""
    quote = _QUOTES.get(grammar, {}).get(quotes, "")
    plain = _PLAIN[grammar].replace("{quote}", quote) + _ONLY_USED
    if not is_blocking:
        return plain
    return (
        f"{plain} Answers without citations are rejected and not shown. "
        f"For example: {_EXAMPLES[grammar]} These forms are rejected too: {_FORBIDDEN[grammar]}. "
        "If no source answers the question, say so in one sentence and give the reason."
    )


Retriever = Callable[[str], Sequence[Any]]
"""Finds documents for a query, best first."""


class Injection(Word):
    """How the model gets at sources: in its context, by tools, or both."""

    CONTEXT = "context"
    TOOL = "tool"
    BOTH = "both"


class Grounding:
    """One answer's sources. Every hit that the model has seen is recorded, in the order of its number; only these can be cited."""

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
