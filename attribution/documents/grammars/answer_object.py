"""The answer object with claims: their citation ids and stated confidence, the citations, and what was not answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from attribution.budget import MOST_CHECKED, Budget
from attribution.documents import keys
from attribution.documents.citation import Grammar, WrittenCitation
from attribution.documents.grammars.inline import Unmarked, find_marks, with_marks
from attribution.documents.grammars.structured import MOST_READ, cost_of_place, fault_of, pointer_of_named, span_of
from attribution.documents.resolution import SourceIndex
from attribution.model import Span

MOST_ASPECTS = 200
"""Aspects of a question that an answer says it leaves open: a page lists them all."""


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


def read_answer_object(value: keys.Object, text: str, index: SourceIndex) -> AnswerObject:
    """The claims and citations of ``value`` for an answer whose raw text is ``text`` and whose sources are in ``index``."""
    known = index.known
    listed = [keys.mapping(entry) for entry in keys.items(keys.first(value, "citations", "sources"))[:MOST_READ]]
    by_id = {name: entry for entry in reversed(listed) if (name := keys.text(entry, "id", "citation_id"))}
    citations: list[WrittenCitation] = []
    claims: list[StatedClaim] = []
    named = 0
    budget = Budget(MOST_CHECKED)
    marks = find_marks(text, by_id)
    unmarked = Unmarked(text, marks, by_id)
    for claim in [keys.mapping(entry) for entry in keys.items(value.get("claims"))[:MOST_READ]]:
        words = keys.text(claim, "text", "claim")
        span = unmarked.find(words) if budget.take(cost_of_place(text)) else None
        names = [_name(entry) for entry in keys.items(keys.first(claim, "citations", "citation_ids", "sources"))]
        confidence = keys.text(claim, "confidence")
        first = len(citations)
        named += len(names)
        citations += [_citation(name, by_id.get(name, {}), span, confidence, known) for name in names[: MOST_READ - first]]
        claims.append(StatedClaim(words, span, tuple(range(first, len(citations))), confidence))
    used = {citation.text for citation in citations}
    claimed = frozenset(range(len(citations)))
    citations += [_citation(name, entry, None, "", known) for name, entry in reversed(by_id.items()) if name not in used]
    citations = with_marks(citations, marks, claimed)
    unanswered, reason = told_besides(value)
    unread = f"the claims name {named:,} citations, of which the first {MOST_READ:,} are read" if named > MOST_READ else ""
    return AnswerObject(text, tuple(claims), tuple(citations), unanswered, reason, unread)


def told_besides(value: keys.Object) -> tuple[tuple[str, ...], str]:
    """Return the first of what an answer object says it does not answer, and why the answer was withheld."""
    unanswered = [part for part in listed_aspects(value)[:MOST_ASPECTS] if isinstance(part, str)]
    return tuple(unanswered), keys.text(value, "abstention_reason")


def listed_aspects(value: keys.Object) -> list[Any]:
    """Return everything that an answer object lists as not answered."""
    return keys.items(keys.first(value, "unanswered_aspects", "unanswered"))


def _name(entry: Any) -> str:
    """The id by which a claim names a citation."""
    return str(entry) if isinstance(entry, (str, int)) else keys.text(keys.mapping(entry), "id", "citation_id")


def _citation(name: str, entry: keys.Object, claim: Span | None, confidence: str, known: Mapping[str, object]) -> WrittenCitation:
    return WrittenCitation(
        grammar=Grammar.CLAIMS,
        text=name,
        pointers=(pointer_of_named(name, entry, known),),
        claim=claim,
        quote=keys.text(entry, "relevant_quote", "quote"),
        quote_span=span_of(entry.get("span")),
        confidence=confidence,
        fault=fault_of(entry),
    )
