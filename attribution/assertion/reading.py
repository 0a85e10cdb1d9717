"""Says of each mention of a text how it is meant: asserted of this subject, or denied, supposed, asked, of the past, of others."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from attribution.assertion.clauses import HARD, Clauses
from attribution.assertion.corrections import Corrections, shape_of, withdrawn
from attribution.assertion.scopes import ANSWERED, ASKED, DENIED_BEFORE, QUOTED, Reader, Scope
from attribution.assertion.triggers import AssertionKind, Found, Grammar, grammar
from attribution.model import Span

# Questions, the short answers that follow them, and quotations.

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


_JOINED = ("-free", "-naive")
_TITLES = ("dr ", "dr.", "dra ", "dra.", "mr ", "mr.", "mrs", "ms.", "ms ")


class Assertion(NamedTuple):
    """How a mention is meant, and the words that say so; an affirmed one needs none."""

    kind: AssertionKind
    trigger: Span | None
    trigger_text: str


AFFIRMED = Assertion(AssertionKind.AFFIRMED, None, "")


class Assertions:
    """A text read for assertion in one language. It can be asked for its mentions more than once."""

    __slots__ = ("_begins", "_corrections", "_furthest", "_grammar", "_scopes", "clauses")

    def __init__(self, text: str, language: str, clauses: Clauses | None = None) -> None:
        self.clauses = clauses or Clauses.of(text)
        self._grammar = grammar(language.partition("-")[0].lower())
        self._scopes: list[Scope] = []
        self._begins: list[int] = []
        self._furthest: list[int] = []
        self._corrections = Corrections(self.clauses, ())
        if self._grammar is not None:
            self._read(self._grammar)

    def _read(self, rules: Grammar) -> None:
        reader = Reader(self.clauses, rules)
        self._corrections = Corrections(self.clauses, reader.found)
        scopes = reader.scopes + asked_scopes(self.clauses, rules, reader.found) + quoted_scopes(self.clauses, rules)
        self._scopes = sorted(scopes, key=lambda scope: (scope.start, scope.trigger))
        self._begins = [scope.start for scope in self._scopes]
        self._furthest = list(accumulate([scope.end for scope in self._scopes], max))

    def of(self, spans: Sequence[Span]) -> list[Assertion]:
        """Return the assertion of each span, in the order of ``spans``."""
        rules = self._grammar
        if rules is None or not (self._scopes or self._corrections):
            return [AFFIRMED] * len(spans)
        ordered = sorted(set(spans))
        read = self._read_spans(rules, ordered)
        denied = {span for span, each in read.items() if each.kind is AssertionKind.NEGATED}
        for span, trigger in withdrawn(self.clauses, rules, self._corrections, ordered, denied).items():
            read[span] = self._assertion(AssertionKind.CORRECTED, trigger)
        return [read[span] for span in spans]

    def _read_spans(self, rules: Grammar, ordered: Sequence[Span]) -> dict[Span, Assertion]:
        """One walk over sorted spans and the scopes around them; only scopes that are open at a span are looked at."""
        scopes = self._without_names(self._around(ordered), ordered) if ordered else ()
        read: dict[Span, Assertion] = {}
        active: list[Scope] = []
        index, count = 0, len(scopes)
        for span in ordered:
            while index < count and scopes[index].start <= span[0]:
                active.append(scopes[index])
                index += 1
            if active:
                active = [scope for scope in active if scope.end > span[0]]
                self.clauses.steps += len(active)
            read[span] = self._read_span(rules, span, active) if active else AFFIRMED
        self.clauses.steps += len(ordered)
        return read

    def _read_span(self, rules: Grammar, span: Span, active: Sequence[Scope]) -> Assertion:
        text = self.clauses.text[span[0] : span[1]]
        is_figure = shape_of(text, rules.number_words) not in {"phrase", "title"}
        is_person = text.lower().startswith(_TITLES)
        holding = [
            scope
            for scope in active
            if span[0] < (scope.figure_end if is_figure else scope.end)
            and not (is_person and scope.rank == DENIED_BEFORE)
            and not self._is_part_of(scope.trigger, span)
        ]
        if not holding:
            return AFFIRMED
        best = min(holding, key=lambda scope: (scope.rank, scope.trigger))
        return AFFIRMED if best.kind is AssertionKind.AFFIRMED else self._assertion(best.kind, best.trigger)

    def _is_part_of(self, trigger: Span, span: Span) -> bool:
        """True for a trigger inside the mention, as in "O negative", and for "-free" that is not joined to the mention."""
        if self.clauses.text.startswith(_JOINED, *trigger):
            return span[1] != trigger[0]
        return trigger[0] < span[1] and span[0] < trigger[1] and trigger[1] - trigger[0] > 1

    def _assertion(self, kind: AssertionKind, trigger: Span) -> Assertion:
        return Assertion(kind, trigger, self.clauses.text[trigger[0] : trigger[1]])

    def _around(self, ordered: Sequence[Span]) -> Sequence[Scope]:
        """The scopes that may hold any of some spans: not those that end before the first or begin behind the last."""
        return self._scopes[bisect_right(self._furthest, ordered[0][0]) : bisect_right(self._begins, ordered[-1][0])]

    def _without_names(self, scopes: Sequence[Scope], ordered: Sequence[Span]) -> Sequence[Scope]:
        """Leave out scopes whose trigger is a word of a name among the mentions, such as "Never Alone"."""
        text = self.clauses.text
        names = [span for span in ordered if not text[span[0] : span[0] + 1].islower() and _is_name(text[span[0] : span[1]])]
        if not names:
            return scopes
        starts = [start for start, _ in names]
        self.clauses.steps += len(names)

        def is_inside(trigger: Span) -> bool:
            index = bisect_right(starts, trigger[0])
            return index > 0 and trigger[1] <= names[index - 1][1]

        return [scope for scope in scopes if not is_inside(scope.trigger)]


def _is_name(text: str) -> bool:
    """True for two or more words that all have a capital."""
    words = text.split()
    return len(words) > 1 and all(word[0].isupper() for word in words)


def read_assertions(text: str, spans: Sequence[Span], language: str) -> list[Assertion]:
    """Return how each of the mentions at ``spans`` is meant; in a language without grammar all are affirmed."""
    return Assertions(text, language).of(spans)
