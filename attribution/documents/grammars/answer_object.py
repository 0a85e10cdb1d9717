"""The answer object: claims with citation ids and stated confidence, the citations, and what was not answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from attribution.budget import MOST_CHECKED, Budget
from attribution.documents import keys
from attribution.documents.citation import Grammar, Pointer, WrittenCitation
from attribution.documents.grammars.structured import MOST_READ, cost_of_place, find_claim, pointer_of, span_of
from attribution.errors import InputError
from attribution.model import Span
from attribution.strict_json import read_json

_FENCE = "```"


class StatedClaim(NamedTuple):
    """A claim as the model made it: its words, where they stand in the text, and the citations it names, by their place here."""

    text: str
    span: Span | None
    citations: tuple[int, ...]
    confidence: str


class AnswerObject(NamedTuple):
    """What an answer object holds, and what of it was not read."""

    text: str
    claims: tuple[StatedClaim, ...]
    citations: tuple[WrittenCitation, ...]
    unanswered_aspects: tuple[str, ...]
    abstention_reason: str
    unread: str = ""


def object_in(response: str) -> keys.Object | None:
    """The answer object that an answer consists of, plain or as a block of code; nothing if it is prose."""
    text = response.strip()
    if text.startswith(_FENCE) and text.endswith(_FENCE):
        text = text[len(_FENCE) : -len(_FENCE)].strip().removeprefix("json").strip()
    if not text.startswith("{") or '"claims"' not in text:
        return None
    try:
        value = read_json(text.encode("utf-8", "surrogatepass"))
    except InputError:
        return None
    return value if is_answer_object(value) else None


def is_answer_object(value: Any) -> bool:
    """Whether a value is an answer object and not only a list of citations."""
    return isinstance(value, dict) and isinstance(value.get("claims"), list)


def answer_text(value: keys.Object) -> str:
    """The text of an answer object; one that has none is the sentences of its claims."""
    written = keys.text(value, "answer", "text", "response", "summary")
    return written or " ".join([keys.text(keys.mapping(claim), "text", "claim") for claim in keys.items(value.get("claims"))])


def read_answer_object(value: keys.Object, text: str, known: Mapping[str, object]) -> AnswerObject:
    """The claims and citations of ``value`` for an answer whose raw text is ``text``; ``known`` are the ids that sources have."""
    listed = [keys.mapping(entry) for entry in keys.items(keys.first(value, "citations", "sources"))[:MOST_READ]]
    by_id = {name: entry for entry in reversed(listed) if (name := keys.text(entry, "id", "citation_id"))}
    citations: list[WrittenCitation] = []
    claims: list[StatedClaim] = []
    named = 0
    budget = Budget(MOST_CHECKED)
    for claim in [keys.mapping(entry) for entry in keys.items(value.get("claims"))[:MOST_READ]]:
        words = keys.text(claim, "text", "claim")
        span = find_claim(words, text) if budget.take(cost_of_place(text)) else None
        names = [_name(entry) for entry in keys.items(keys.first(claim, "citations", "citation_ids", "sources"))]
        confidence = keys.text(claim, "confidence")
        first = len(citations)
        named += len(names)
        citations += [_citation(name, by_id.get(name, {}), span, confidence, known) for name in names[: MOST_READ - first]]
        claims.append(StatedClaim(words, span, tuple(range(first, len(citations))), confidence))
    used = {citation.text for citation in citations}
    citations += [_citation(name, entry, None, "", known) for name, entry in reversed(by_id.items()) if name not in used]
    unanswered = [part for part in keys.items(keys.first(value, "unanswered_aspects", "unanswered")) if isinstance(part, str)]
    reason = keys.text(value, "abstention_reason")
    unread = f"the claims name {named:,} citations, of which the first {MOST_READ:,} are read" if named > MOST_READ else ""
    return AnswerObject(text, tuple(claims), tuple(citations), tuple(unanswered), reason, unread)


def _name(entry: Any) -> str:
    """The id by which a claim names a citation."""
    return str(entry) if isinstance(entry, (str, int)) else keys.text(keys.mapping(entry), "id", "citation_id")


def _citation(name: str, entry: keys.Object, claim: Span | None, confidence: str, known: Mapping[str, object]) -> WrittenCitation:
    return WrittenCitation(
        grammar=Grammar.CLAIMS,
        text=name,
        pointers=(_pointer(name, entry, known),),
        claim=claim,
        quote=keys.text(entry, "relevant_quote", "quote"),
        quote_span=span_of(entry.get("span")),
        confidence=confidence,
    )


def _pointer(name: str, entry: keys.Object, known: Mapping[str, object]) -> Pointer:
    """What a citation means: the source it names, else the one that its own id or place names."""
    plain = {key: value for key, value in entry.items() if key != "id"}
    source = keys.text(entry, "source_id", "source", "document_id", "doc_id")
    pointer = pointer_of({**plain, "source_id": source}) if plain else None
    if pointer is None or (source not in known and name in known):
        return Pointer(name, int(name)) if name.isascii() and name.isdigit() and name not in known else Pointer(name, source=name)
    return pointer._replace(written=name)
