"""The answer object with claims: their citation ids and stated confidence, the citations, and what was not answered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from attribution import lenient_json
from attribution.budget import MOST_CHECKED, Budget
from attribution.codec import read_json_at
from attribution.documents.grammars.structured import (
    MOST_READ,
    Unmarked,
    cost_of_place,
    fault_of,
    find_marks,
    pointer_of_named,
    span_of,
    with_marks,
)
from attribution.documents.references import Grammar, WrittenCitation
from attribution.documents.resolution import SourceIndex
from attribution.errors import InputError
from attribution.model import Span

MOST_ASPECTS = 200
"""Aspects of a question that an answer says it leaves open: a page lists them all."""


class StatedClaim(NamedTuple):
    """A claim as the model made it: its words, where they are in the text, and the citations it names, by their place here."""

    text: str
    span: Span | None
    citations: tuple[int, ...]
    confidence: str


class AnswerObject(NamedTuple):
    """An answer object: its text, claims and citations, and its parts that were not read."""

    text: str
    claims: tuple[StatedClaim, ...]
    citations: tuple[WrittenCitation, ...]
    unanswered_aspects: tuple[str, ...]
    abstention_reason: str
    unread: str = ""


def read_answer_object(value: lenient_json.Object, text: str, index: SourceIndex) -> AnswerObject:
    """The claims and citations of ``value`` for an answer whose raw text is ``text`` and whose sources are in ``index``."""
    known = index.known
    listed = [lenient_json.mapping(entry) for entry in lenient_json.items(lenient_json.first(value, "citations", "sources"))[:MOST_READ]]
    by_id = {name: entry for entry in reversed(listed) if (name := lenient_json.text(entry, "id", "citation_id"))}
    citations: list[WrittenCitation] = []
    claims: list[StatedClaim] = []
    named = 0
    budget = Budget(MOST_CHECKED)
    marks = find_marks(text, by_id)
    unmarked = Unmarked(text, marks, by_id)
    for claim in [lenient_json.mapping(entry) for entry in lenient_json.items(value.get("claims"))[:MOST_READ]]:
        words = lenient_json.text(claim, "text", "claim")
        span = unmarked.find(words) if budget.take(cost_of_place(text)) else None
        names = [_name(entry) for entry in lenient_json.items(lenient_json.first(claim, "citations", "citation_ids", "sources"))]
        confidence = lenient_json.text(claim, "confidence")
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


def told_besides(value: lenient_json.Object) -> tuple[tuple[str, ...], str]:
    """Return the first of what an answer object says it does not answer, and why the answer was withheld."""
    unanswered = [part for part in listed_aspects(value)[:MOST_ASPECTS] if isinstance(part, str)]
    return tuple(unanswered), lenient_json.text(value, "abstention_reason")


def listed_aspects(value: lenient_json.Object) -> list[Any]:
    """Return everything that an answer object lists as not answered."""
    return lenient_json.items(lenient_json.first(value, "unanswered_aspects", "unanswered"))


def _name(entry: Any) -> str:
    """The id by which a claim names a citation."""
    return str(entry) if isinstance(entry, (str, int)) else lenient_json.text(lenient_json.mapping(entry), "id", "citation_id")


def _citation(name: str, entry: lenient_json.Object, claim: Span | None, confidence: str, known: Mapping[str, object]) -> WrittenCitation:
    return WrittenCitation(
        grammar=Grammar.CLAIMS,
        text=name,
        pointers=(pointer_of_named(name, entry, known),),
        claim=claim,
        quote=lenient_json.text(entry, "relevant_quote", "quote"),
        quote_span=span_of(entry.get("span")),
        confidence=confidence,
        fault=fault_of(entry),
    )


_FENCED = re.compile(r"(?:```|~~~)[ \t]*\w*[ \t]*\n?\s*(?=\{)")
_LINE = re.compile(r"^[ \t]*(?=\{)", re.MULTILINE)
_FENCE_BEHIND = re.compile(r"\s*(?:```|~~~)[ \t]*(?=\n|\Z)")
_MOST_TRIED = 4
_TEXTS = ("answer", "text", "response", "summary")
_LISTS = ("claims", "citations", "sources")


class FoundObject(NamedTuple):
    """An answer object, and the whole answer as it is read: the object's text, with the prose around the object.

    ``value`` is nothing where a response begins such an object and does not end it; then ``fault`` says what is wrong with it.
    """

    value: lenient_json.Object | None
    text: str
    fault: str = ""


def object_in(response: str) -> FoundObject:
    """Return the answer object that a response holds; the response itself where it is prose."""
    if "{" not in response or not any(f'"{name}"' in response for name in (*_LISTS, *_TEXTS)):
        return FoundObject(None, response)
    fault = ""
    for before, start in _beginnings(response):
        try:
            value, end = read_json_at(response, start)
        except InputError as error:
            fault = fault or (error.reason if _is_begun(response, before, start) else "")
            continue
        if is_answer_object(value):
            return FoundObject(value, _whole(response, before, value, end))
    return FoundObject(None, response, fault)


def _beginnings(response: str) -> list[tuple[int, int]]:
    """Return where objects begin: the end of the prose before each, and its bracket."""
    found = {match.end(): match.start() for match in (*_LINE.finditer(response), *_FENCED.finditer(response))}
    first = response.find("{")
    found.setdefault(first, first)
    return [(found[start], start) for start in sorted(found)[:_MOST_TRIED]]


def _is_begun(response: str, before: int, start: int) -> bool:
    """Return True if a response consists of something that is nearly an answer object."""
    return not response[:before].strip() and any(f'"{name}"' in response[start:] for name in _TEXTS)


def _whole(response: str, before: int, value: lenient_json.Object, end: int) -> str:
    behind = _FENCE_BEHIND.match(response, end) if before < end else None
    parts = (response[:before].strip(), answer_text(value), response[behind.end() if behind else end :].strip())
    return "\n\n".join([part for part in parts if part])


def is_answer_object(value: Any) -> bool:
    """Return True if a value is an answer with claims or with citations, and not only a list of citations."""
    return has_claims(value) or (
        isinstance(value, dict) and bool(lenient_json.text(value, *_TEXTS)) and any(isinstance(value.get(name), list) for name in _LISTS)
    )


def has_claims(value: Any) -> bool:
    """Return True if a value is an answer object that states claims."""
    return isinstance(value, dict) and isinstance(value.get("claims"), list)


def answer_text(value: lenient_json.Object) -> str:
    """Return the text of an answer object; one that has none is the sentences of its claims."""
    written = lenient_json.text(value, *_TEXTS)
    return written or " ".join(
        [lenient_json.text(lenient_json.mapping(claim), "text", "claim") for claim in lenient_json.items(value.get("claims"))]
    )
