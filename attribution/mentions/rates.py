"""How often something is done: so many times, or so many of something, in a period."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from attribution.answer import Answer
from attribution.figures import MOST_PLACES
from attribution.lexicon.words import FREQUENCIES, NUMBER_WORDS, TIMES
from attribution.mentions.mention import Mention, MentionKind
from attribution.model import Span
from attribution.remembering import remembered
from attribution.text import spaced, stem, words_of

PERIODS = ("hour", "day", "week", "month", "year")
"""Units of time that a rate is counted by. "Daily" and the like stand for "a day"."""

_LONGEST = 30
_DAILY = {period: word for word, period in FREQUENCIES.items() if word != "annually"}
_EACH = ("a", "an", "per", "each", "every", "one", "any")
_ENDING = ("with", "and", "for", "of", "to", "at", "or", "is", "are")
_PERIOD_OF = {**{period: period for period in PERIODS}, "night": "day"}
_MOST_BETWEEN = 3
_PARTING = frozenset(".,;:!?()\n")
_BEFORE_BOUNDS = ("to", "or", "than", "least", "most", "about", "around")


class Rate(NamedTuple):
    """A frequency, times in a period, and its place; ``counted`` is the stem of what is counted, empty for times."""

    key: str
    counted: str
    span: Span


@remembered
def period_of(leaf: str) -> str:
    """The period by which a field counts, by its name: "day" of ``doses_per_day`` and ``daily_steps``; empty if it names none."""
    named = words_of(spaced(leaf))
    behind = [word for before, word in pairwise(named) if before == "per"] or [FREQUENCIES.get(word, "") for word in named[:1]]
    return behind[-1] if behind and behind[-1] in PERIODS else ""


@remembered
def rate_of(value: str) -> tuple[str, ...]:
    """Period and number of a text that says nothing but how often: "twice daily"; nothing of any other."""
    if len(value) > _LONGEST:
        return ()
    answer = Answer(value)
    count = len(answer.words)
    for period in PERIODS:
        for rate in rates_in(answer, period):
            if not rate.counted and len(answer.places_in(rate.span)) == count:
                return period, rate.key
    return ()


def rates_in(answer: Answer, period: str) -> Sequence[Rate]:
    """Return what the answer says to happen so often in a period, read once for each."""
    known: Sequence[Rate] | None = answer.rates.get(period)
    if known is None:
        known = answer.rates[period] = _read(answer, period)
    return known


def _read(answer: Answer, period: str) -> list[Rate]:
    places = [*answer.places.get(period, ())[:MOST_PLACES], *answer.places.get(_DAILY.get(period, ""), ())[:MOST_PLACES]]
    return [rate for place in places if (rate := _rate_before(place, answer))]


def _rate_before(place: int, answer: Answer) -> Rate | None:
    """The rate that ends with the word for its period: "a day", "daily"."""
    if answer.words[place] in PERIODS:
        if not place or answer.words[place - 1] not in _EACH:
            return None
        last = place - 2
    else:
        last = place - 1
    if last < 0 or answer.starts[last] < answer.sentence_at(answer.starts[place])[0]:
        return None
    if answer.words[last] in TIMES:
        return _rate(str(TIMES[answer.words[last]]), "", last, place, answer)
    key = _number_at(last - 1, answer) if last else ""
    if not key:
        return None
    return _rate(key, "" if answer.words[last] in ("times", "time") else answer.stem_words[last], last - 1, place, answer)


def _rate(key: str, counted: str, first: int, last: int, answer: Answer) -> Rate | None:
    before = answer.words[first - 1] if first else ""
    is_bound = before in _BEFORE_BOUNDS or before.isdecimal() or before in TIMES
    return None if is_bound else Rate(key, counted, (answer.starts[first], answer.word_end(last)))


def _number_at(place: int, answer: Answer) -> str:
    """The whole number that a word writes."""
    word: str = answer.words[place]
    is_whole = word.isdecimal() and word.isascii() and answer.text[answer.starts[place] - 1 : answer.starts[place]] not in (".", ",")
    if is_whole and len(word) < len("1000"):
        return str(int(word))
    return str(NUMBER_WORDS[word]) if word in NUMBER_WORDS else ""


def is_meant(rate: Rate, leaf: str) -> bool:
    """Return True if a rate is of what a field counts: times of anything, or the thing in its name."""
    return not rate.counted or rate.counted in _stems_of(leaf)


@remembered
def _stems_of(leaf: str) -> frozenset[str]:
    return frozenset(map(stem, words_of(spaced(leaf))))


def find_rates(answer: Answer) -> Iterator[Mention]:
    """How often the answer says that something happens, as mentions: "twice a week", "every three hours"."""
    for (dimension, often), spans in answer.quantities.items():
        for span in spans if dimension in A_MINUTE else ():
            first, last = answer.place_at(span[0]), answer.place_at(span[1] - 1) + 1
            yield Mention(MentionKind.RATE, (often / A_MINUTE[dimension],), first, last, span, dimension)


def set_periods(found: Iterable[Mention], answer: Answer) -> None:
    """Say of the numbers and measures that are told by a period which one it is: "14 meals a week", "12 hours in one day"."""
    for mention in found:
        if mention.kind in (MentionKind.NUMBER, MentionKind.DURATION) and not mention.period:
            mention.period = _period_behind(mention, answer)


def _period_behind(mention: Mention, answer: Answer) -> str:
    behind = answer.words[mention.last : mention.last + _MOST_BETWEEN + 2]
    for place, (one, other) in enumerate(pairwise(["", *behind])):
        if other in _ENDING or (other in NUMBER_WORDS and other not in _EACH) or other.isdigit():
            break
        period = _PERIOD_OF.get(other, "") if one in _EACH else FREQUENCIES.get(other, "")
        if period in PERIODS:
            between = answer.text[mention.span[1] : answer.starts[mention.last + place]]
            return period if _PARTING.isdisjoint(between) else ""
    return ""


A_MINUTE = {"per time": Fraction(1), "per months": Fraction(43_200)}
"""The minutes by which a rate is counted, by its dimension."""
MINUTES = {"hour": 60, "day": 1_440, "week": 10_080, "month": 43_200, "year": 525_600}
"""The minutes of each period."""
