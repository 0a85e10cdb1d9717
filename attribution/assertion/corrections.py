"""Corrections within an answer: "$40. Sorry, I misread that: it's $30" withdraws the first figure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Container, Sequence

from attribution.assertion.clauses import SENTENCE_ENDS, Clauses
from attribution.assertion.triggers import Found, Grammar
from attribution.model import Span
from attribution.remembering import remembered

_BEFORE, _BEHIND = 40, 25
"""Tokens before a correction in which the mention stands that it withdraws, and behind it in which the new one does."""
_MOST_MENTIONS = 12

_SHAPES = {
    "money": re.compile(r"[$€£]|\b(?:dollars?|euros?|usd|dólares)\b"),
    "clock": re.compile(r"\d:\d\d|\d\s*[ap]\.?m\b|\bo'?clock\b"),
    "share": re.compile(r"\d\s*%"),
    "code": re.compile(r"\d{3}-\d{3,4}"),
    "day": re.compile(
        r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:lunes|martes|miércoles|miercoles|jueves|viernes|sábado|domingo)\b"
        r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|\d/\d"
    ),
    "title": re.compile(r"\b(?:dr|dra|mr|mrs|ms)\b"),
    "number": re.compile(r"\d"),
}
_WORDY = {"phrase", "title", "day"}


def shape_of(text: str, number_words: frozenset[str]) -> str:
    """Return the shape of a mention: a mention can replace another one of its shape only."""
    lowered = text.lower()
    shape = _written_shape(lowered)
    if shape:
        return shape
    return "number" if lowered.partition(" ")[0] in number_words else "phrase"


@remembered
def _written_shape(lowered: str) -> str:
    """Return the shape that signs, digits or words of their own show, or none."""
    return next((shape for shape, pattern in _SHAPES.items() if pattern.search(lowered)), "")


class Corrections:
    """The words of a text that correct what stands before them, with how far back each may reach."""

    __slots__ = ("_farthest", "_found", "_starts")

    def __init__(self, clauses: Clauses, found: Sequence[Found]) -> None:
        self._found = [each for each in found if each.trigger.assertion == "corrected" and each.trigger.before]
        self._starts = [clauses.starts[each.place] for each in self._found]
        self._farthest = [_farthest_before(clauses, each.place) for each in self._found]

    def __len__(self) -> int:
        return len(self._found)

    def near(self, spans: Sequence[Span]) -> Sequence[Found]:
        """Return those that may withdraw any of some spans, which are sorted: a question about one span does not read them all again."""
        if not spans or not self._found:
            return ()
        return self._found[bisect_right(self._starts, spans[0][0]) : bisect_right(self._farthest, spans[-1][0])]


def _farthest_before(clauses: Clauses, place: int) -> int:
    """Return the offset behind which everything stands that a correction may withdraw. A later correction never reaches farther back."""
    return _region_before(clauses, clauses.token_at(_region_before(clauses, place)[0]))[0]


def withdrawn(
    clauses: Clauses, grammar: Grammar, corrections: Corrections, spans: Sequence[Span], denied: Container[Span]
) -> dict[Span, Span]:
    """Return the spans that a correction withdraws, with the span of the words that correct them. ``spans`` are sorted."""
    taken: dict[Span, Span] = {}
    near = corrections.near(spans)
    starts = [start for start, _ in spans] if near else []
    for each in near:
        end = each.end
        trigger = clauses.span(each.place, end)
        earlier = _earlier(clauses, each.place, spans, starts)
        later = _later(clauses, end, spans, starts)
        reversed_ = _reversed(clauses.text, earlier, later, denied)
        replaced = _replaced(clauses, grammar, _outermost(earlier), _outermost(later), figures_only=each.trigger.figures)
        for span in reversed_ or [span for span in _with_inner(replaced, earlier) if span not in denied]:
            taken.setdefault(span, trigger)
    return taken


def _between(spans: Sequence[Span], starts: Sequence[int], region: Span) -> Sequence[Span]:
    return spans[bisect_left(starts, region[0]) : bisect_left(starts, region[1])]


def _earlier(clauses: Clauses, place: int, spans: Sequence[Span], starts: Sequence[int]) -> Sequence[Span]:
    """Return the mentions before a correction: in its own sentence, or in the one before if it has none ("Hmm, let me fix that")."""
    region = _region_before(clauses, place)
    found = _between(spans, starts, region)
    if not found:
        found = _between(spans, starts, _region_before(clauses, clauses.token_at(region[0])))
    return found[-_MOST_MENTIONS:]


def _region_before(clauses: Clauses, place: int) -> Span:
    """Return the sentence before a correction, as far as it stands before it; the sentence before that where nothing does."""
    words, last = clauses.words, place
    while last and not words[last - 1][0].isalnum():
        last -= 1
    first = last
    while first and last - first < _BEFORE and words[first - 1] not in SENTENCE_ENDS:
        first -= 1
    clauses.steps += place - first
    end = clauses.starts[place] if place < len(words) else len(clauses.text)
    return clauses.ends[first - 1] if first else 0, end


def _later(clauses: Clauses, place: int, spans: Sequence[Span], starts: Sequence[int]) -> Sequence[Span]:
    """Return the mentions behind a correction: in its own sentence, or in the next one if it has none."""
    words, last = clauses.words, min(len(clauses.words), place + _BEHIND)
    begin = clauses.ends[place - 1]
    end = place
    found: Sequence[Span] = ()
    while end < last and not found:
        end += 1
        while end < last and words[end] not in SENTENCE_ENDS:
            end += 1
        found = _between(spans, starts, (begin, clauses.starts[end] if end < len(words) else len(clauses.text)))
    clauses.steps += end - place
    return found[:_MOST_MENTIONS]


def _reversed(text: str, earlier: Sequence[Span], later: Sequence[Span], denied: Container[Span]) -> list[Span]:
    """Return the earlier mentions that the correction repeats and turns round: "She takes Aetna. Correction: she does not take Aetna"."""
    again = {text[start:end].lower(): (start, end) in denied for start, end in later}
    return [span for span in earlier if again.get(text[span[0] : span[1]].lower(), span in denied) != (span in denied)]


def _outermost(spans: Sequence[Span]) -> list[Span]:
    """Return the spans that are in no other: of "50 minutes" and its "50" the first."""
    found: list[Span] = []
    for span in spans:
        if found and found[-1][0] == span[0] and found[-1][1] < span[1]:
            found[-1] = span
        elif not found or found[-1][1] <= span[0]:
            found.append(span)
    return found


def _with_inner(outer: Sequence[Span], spans: Sequence[Span]) -> list[Span]:
    """Return the spans that are in any of some, these themselves among them."""
    return [span for span in spans if any(start <= span[0] and span[1] <= end for start, end in outer)]


def _replaced(clauses: Clauses, grammar: Grammar, earlier: Sequence[Span], later: Sequence[Span], *, figures_only: bool) -> list[Span]:
    """Pair each new mention with the nearest earlier one of its shape; without new ones the last earlier one is withdrawn."""
    text = clauses.text
    repeated = {text[start:end].lower() for start, end in later} & {text[start:end].lower() for start, end in earlier}
    left = [span for span in earlier if text[span[0] : span[1]].lower() not in repeated]
    news = [span for span in later if text[span[0] : span[1]].lower() not in repeated]
    if not news:
        return [] if figures_only else left[-1:]
    found: list[Span] = []
    for start, end in news:
        shape = shape_of(text[start:end], grammar.number_words)
        if figures_only and shape in _WORDY and not any(map(str.isdigit, text[start:end])):
            continue
        match = next((span for span in reversed(left) if shape_of(text[span[0] : span[1]], grammar.number_words) == shape), None)
        if match is not None:
            found.append(match)
            left.remove(match)
    return found
