"""Questions, the short answers that follow them, and quotations."""

from __future__ import annotations

import re
from bisect import bisect_left

from attribution.assertion.clauses import HARD, Clauses
from attribution.assertion.scopes import ANSWERED, ASKED, QUOTED, Scope
from attribution.assertion.triggers import AssertionKind, Found, Grammar
from attribution.model import Span

_QUOTED = re.compile(r"\"[^\"\n]{1,600}\"|“[^”“\n]{1,600}”|«[^»«\n]{1,600}»|(?<!\w)['‘][^'’\n]{1,400}['’](?!\w)")
_BLOCK_QUOTE = re.compile(r"^[ \t]{0,3}>[^\n]*", re.MULTILINE)
_SPEECH_WITHIN = 5
"""Words before or behind a quotation among which somebody says it."""


def asked_scopes(clauses: Clauses, grammar: Grammar, found: list[Found]) -> list[Scope]:
    """Return a scope for each question, of the kind that its short answer gives it, if one follows."""
    if "?" not in clauses.text:
        return []
    answers = {each.place: each for each in found if clauses.words[each.place] == "?"}
    offers = [each.place for each in found if each.trigger.kind == "pseudo" and each.trigger.assertion == "asked"]
    scopes = []
    for place in [place for place, word in enumerate(clauses.words) if word == "?"]:
        if place:
            first = _question_start(clauses, grammar, place)
            answer = answers.get(place)
            opening = clauses.sentence(place)[0] if clauses.words[first - 1] == ":" else first
            is_offer = bisect_left(offers, opening) < bisect_left(offers, place + 1)
            if first < place and (answer or not (is_offer or _is_statement(clauses, grammar, first, place))):
                scopes.append(_asked(clauses, first, place, answer))
    return scopes


def _is_statement(clauses: Clauses, grammar: Grammar, first: int, end: int) -> bool:
    """True for a statement or a proposal with a question mark: a verb or a figure, no question's word order, and not about the user."""
    while first < end and clauses.words[first] in grammar.fillers:
        first += 1
    words = clauses.words[first:end]
    if not words or not grammar.addressed or words[0] in grammar.question_words or not grammar.addressed.isdisjoint(words):
        return False
    return not grammar.verbs.isdisjoint(words) or any(word[0].isdigit() for word in words)


def _asked(clauses: Clauses, first: int, place: int, answer: Found | None) -> Scope:
    start, end = clauses.ends[first - 1] if first else 0, clauses.starts[place]
    if answer is None:
        return Scope(start, end, end, ASKED, AssertionKind.ASKED, (end, end + 1))
    span = clauses.span(place + 1, answer.end)
    return Scope(start, end, end, ANSWERED, AssertionKind(answer.trigger.assertion), span)


def _question_start(clauses: Clauses, grammar: Grammar, end: int) -> int:
    """Return the token at which the question begins that ends at token ``end``: behind a statement before it, if there is one."""
    words, first = clauses.words, end
    while first and words[first - 1] not in HARD:
        first -= 1
    clauses.steps += end - first
    for place in range(first, end):
        behind = place + 1 + (place + 1 < end and words[place + 1] in grammar.joiners)
        if words[place] == "," and words[behind] in grammar.question_words and words[first] not in grammar.question_words:
            return place + 1
    return first


def quoted_scopes(clauses: Clauses, grammar: Grammar) -> list[Scope]:
    """Return a scope for each quotation that somebody is said to have said or written, and for block quotations."""
    text = clauses.text
    scopes = [_quoted(match.span(), (match.start(), match.start() + 1)) for match in _BLOCK_QUOTE.finditer(text)] if ">" in text else []
    if not any(mark in text for mark in "\"“«'‘"):
        return scopes
    for match in _QUOTED.finditer(text):
        speech = _speech_near(clauses, grammar, match.span())
        if speech:
            scopes.append(_quoted(match.span(), speech))
    return scopes


def _quoted(span: Span, trigger: Span) -> Scope:
    return Scope(span[0], span[1], span[1], QUOTED, AssertionKind.QUOTED, trigger)


def _speech_near(clauses: Clauses, grammar: Grammar, span: Span) -> Span | None:
    first, end = clauses.token_at(span[0]), clauses.token_at(span[1])
    places = [*range(first - 1, max(-1, first - 1 - _SPEECH_WITHIN), -1), *range(end, min(len(clauses.words), end + _SPEECH_WITHIN))]
    clauses.steps += len(places)
    for place in places:
        if clauses.words[place] in grammar.speech:
            return clauses.span(place, place + 1)
    return None
