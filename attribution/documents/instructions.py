"""The instruction to cite, for each grammar: plain, or blocking where an answer without citations will not be shown."""

from __future__ import annotations

from attribution.documents.citation import Grammar
from attribution.documents.policy import QuotePolicy

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
