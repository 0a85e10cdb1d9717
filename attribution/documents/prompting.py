"""The parts of a prompt that concern sources: the sources, numbered or keyed, and the instruction to cite them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attribution.documents.policy import QuotePolicy
from attribution.documents.references import Grammar
from attribution.documents.sources import CitableSource, own_numbers, read_documents

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
