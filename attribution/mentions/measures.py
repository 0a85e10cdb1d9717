"""Amounts with a measure: durations, a recorded 0 in words; and days and hours that are told roughly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from attribution.answer import Answer
from attribution.figures import MOST_PLACES
from attribution.figures.numbers import number_in_words
from attribution.lexicon.words import DAY_PARTS, MEASURES
from attribution.mentions.mention import Mention, MentionKind
from attribution.mentions.phrases import describe_all, find_phrase
from attribution.model import Evidence, Field, FieldType, Span
from attribution.profile import Profile
from attribution.quantities import Measured
from attribution.remembering import remembered
from attribution.text import words, words_of


def match_duration(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The quantity; where the value is not one quantity, the whole phrase."""
    text = str(value)
    if measured_by(text):
        return match_quantity(text, FieldType.DURATION, answer, profile)
    hit = find_phrase(text, answer, "whole_phrase")
    if hit is None or hit.rule != "whole_phrase":
        return None
    return _evidence("whole_phrase", FieldType.DURATION, answer.spans(hit.places, len(hit.words)), answer, profile)


def match_quantity(value: str, method: FieldType, answer: Answer, profile: Profile, because: str = "") -> Evidence | None:
    """Return where an answer has the quantity that a value writes."""
    measured = measured_by(value)
    spans = answer.quantities.get(measured) if measured else None
    if not measured or not spans:
        return None
    unit = words_of(value)[-1]
    same = [span for span in spans if _unit_of(span, answer) == MEASURES.get(unit)] if method is FieldType.DURATION else []
    if same:
        return _evidence("same_unit", method, tuple(same), answer, profile)
    return _evidence("same_quantity", method, tuple(spans), answer, profile, f"; as much as ‘{value.strip()}’{because}")


@remembered
def measured_by(value: str) -> Measured | None:
    """Return what a value measures, if it is one quantity and nothing else."""
    written = Answer(value.strip())
    whole = next(((measured, spans) for measured, spans in written.quantities.items() if len(spans) == 1), None)
    return whole[0] if whole and whole[1][0] == (0, len(written.text)) else None


def _unit_of(span: Span, answer: Answer) -> tuple[str, int] | None:
    return MEASURES.get(answer.words[answer.place_at(span[1] - 1)])


def _evidence(rule: str, method: FieldType, spans: tuple[Span, ...], answer: Answer, profile: Profile, because: str = "") -> Evidence:
    return Evidence(method, rule, profile.score(method, rule), spans, describe_all(answer, spans) + because)


_RULE = "nothing"
_MORE = (["additional"], ["extra"])


def match_nothing(method: FieldType, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """Return what the name of a field says, denied by the "no" before it or the "non" that it begins with."""
    names = profile.registry.leaf_name(field.leaf).name_stems
    spans = [answer.span(place) for name in sorted(names) for place in answer.stems.get(f"non{name}", ())[:MOST_PLACES]]
    for place in answer.places.get("no", ())[:MOST_PLACES]:
        named = place + 2 if answer.words[place + 1 : place + 2] in _MORE else place + 1
        if named < len(answer.words) and answer.stem_words[named] in names:
            spans.append((answer.starts[place], answer.word_end(named)))
    if not spans:
        return None
    return Evidence(method, _RULE, profile.score(method, _RULE), tuple(spans), f"{describe_all(answer, spans)}; the record is 0")


FREE = "free"
"""The unit of an amount of nothing that is told in words."""
_FREE = (
    *(("for", "free"), ("free", "of", "charge"), ("of", "no", "charge")),
    *((at, "no", cost) for at in ("at", "is", "s", "with") for cost in ("cost", "charge")),
    *((verb, "nothing") for verb in ("cost", "costs", "pay", "pays", "owe", "owes", "charges", "charge")),
    *(("t", "cost", who, "anything") for who in ("you", "them", "her", "him", "us")),
    ("t", "cost", "anything"),
    *((be, "waived") for be in ("is", "are", "be", "was", "were")),
    *((verb, who, "nothing") for verb in ("cost", "costs", "charges") for who in ("you", "them", "her", "him", "us", "nothing")),
)


def find_free(answer: Answer) -> Iterator[Mention]:
    """Amounts of nothing: "for free", "costs you nothing", "the ride is free"."""
    for phrase in _FREE if not answer.places.keys().isdisjoint(("free", "nothing", "no", "anything", "waived")) else ():
        for place in answer.find(phrase)[:MOST_PLACES]:
            yield _amount_of_nothing(place, place + len(phrase), answer)
    for place in answer.places.get("free", ())[:MOST_PLACES]:
        end = answer.word_end(place)
        is_last = answer.text[end : end + 1] in _ENDS or not _FOR_WHOM.isdisjoint(answer.words[place + 1 : place + 2])
        if is_last and place and answer.words[place - 1] in ("is", "are", "s", "was", "were"):
            yield _amount_of_nothing(place, place + 1, answer)


_FOR_WHOM, _ENDS = words("for to and but"), (".", ",", ";", "!", "")


def _amount_of_nothing(first: int, last: int, answer: Answer) -> Mention:
    return Mention(MentionKind.MONEY, (Fraction(0),), first, last, answer.span(first, last - first), FREE)


# Days and hours that are told roughly: "last month", "January of last year", "two years ago", "in the afternoon".

PERIOD, PART = "period", "part"
"""Units of mentions that tell a day by its month or year, and an hour by the part of the day."""
_TURNS = {"last": -1, "this": 0, "next": 1}
_UNITS = {"month": 1, "months": 1, "year": 12, "years": 12}
_SPREAD = {1: 1, 12: 6}
"""How many months more or fewer "three months ago" and "a year ago" leave open, by the months of their unit."""
_MOST = 120
_ARTICLES = ("a", "one")
_ON = words("on in")
_VISITS = words("appointment appointments visit session slot opening call")
_BESIDE = 4
"""The most words between a clock time and the part of the day that it tells more exactly."""
_INTO_PART = (["in", "the"], ["on", "the"], ["during", "the"])


def set_years(found: Sequence[Mention], answer: Answer) -> None:
    """Give days without a year the year that the words around tell: "June 14 of next year", "this October"."""
    today = answer.answered_on
    for mention in found if today is not None and not answer.places.keys().isdisjoint(_TURNS) else ():
        if mention.kind is MentionKind.DATE and all(value[1] and not value[0] for value in mention.values):
            turn, before, behind = _turn_beside(mention, answer)
            if turn is not None and today is not None:
                mention.values = tuple((today.year + turn, *value[1:]) for value in mention.values)
                mention.first, mention.last = mention.first - before, mention.last + behind
                mention.span = answer.span(mention.first, mention.last - mention.first)


def _turn_beside(mention: Mention, answer: Answer) -> tuple[int | None, int, int]:
    """Return by how much the year is another than that of the message, and how many words before a day and behind it say so."""
    said = answer.words
    behind = said[mention.last : mention.last + 3]
    start = behind[:1] == ["of"]
    if behind[start + 1 : start + 2] == ["year"] and behind[start] in _TURNS:
        return _TURNS[behind[start]], 0, start + 2
    before = said[max(0, mention.first - 3) : mention.first]
    if len(before) > 2 and before[2] in _ON and before[1] == "year" and before[0] in _TURNS:
        return _TURNS[before[0]], 3, 0
    return (0, 1, 0) if before[-1:] == ["this"] and mention.unit == "month" else (None, 0, 0)


def find_periods(answer: Answer, found: Sequence[Mention]) -> Iterator[Mention]:
    """The months and years that are told by the message's, and the parts of a day that no clock time tells more exactly."""
    taken = {place for mention in found if mention.kind is MentionKind.DATE for place in range(mention.first, mention.last)}
    if answer.answered_on is not None:
        yield from _months_beside(answer, answer.answered_on, taken, [mention for mention in found if mention.unit == "day"])
    yield from _parts(answer, [mention for mention in found if mention.kind is MentionKind.TIME])


def _months_beside(answer: Answer, today: date, taken: set[int], days: Sequence[Mention]) -> Iterator[Mention]:
    said = answer.words
    for unit, size in _UNITS.items():
        for place in answer.places.get(unit, ())[:MOST_PLACES]:
            if place in taken or not place:
                continue
            if said[place - 1] in _TURNS and unit == "month" and (day := _day_beside(place, days)):
                day.values = ((*_month_at(today, _TURNS[said[place - 1]])[:2], day.values[0][2]),)
            elif said[place - 1] in _TURNS and unit in ("month", "year"):
                yield _mention(answer, place - 1, place + 1, _of_turn(today, _TURNS[said[place - 1]], size))
            if said[place - 1] in _TURNS:
                continue
            count, first = _count_before(said, place)
            is_ahead = first > 0 and said[first - 1] == "in"
            if count and (is_ahead or said[place + 1 : place + 2] == ["ago"]):
                distance = count * size if is_ahead else -count * size
                months = range(distance - _SPREAD[size], distance + _SPREAD[size] + 1)
                yield _mention(answer, first - is_ahead, place + 1 + (not is_ahead), [_month_at(today, each) for each in months])


def _day_beside(place: int, days: Sequence[Mention]) -> Mention | None:
    """Return the day of a month that is told beside it: "next month on the 12th", "the 12th of next month"."""
    return next((day for day in days if day.last == place - 2 or 1 < day.first - place <= len(("on", "the", ""))), None)


def _of_turn(today: date, turn: int, size: int) -> list[tuple[int, int, int]]:
    return [_month_at(today, turn)] if size == 1 else [(today.year + turn, 0, 0)]


def _month_at(today: date, distance: int) -> tuple[int, int, int]:
    years, month = divmod(today.month - 1 + distance, 12)
    return today.year + years, month + 1, 0


def _count_before(said: Sequence[str], place: int) -> tuple[int, int]:
    """Return how many months or years, and where that begins."""
    if said[place - 1] in _ARTICLES:
        return 1, place - 1
    if said[place - 1].isdecimal() and len(said[place - 1]) < len(str(_MOST)):
        return int(said[place - 1]), place - 1
    key, count = number_in_words(said, place - 1)
    return (int(key), place - 1) if count == 1 and key.isdigit() and int(key) <= _MOST else (0, place)


def _mention(answer: Answer, first: int, last: int, values: Sequence[Any]) -> Mention:
    return Mention(MentionKind.DATE, tuple(values), first, last, answer.span(first, last - first), PERIOD)


def _parts(answer: Answer, times: Sequence[Mention]) -> Iterator[Mention]:
    said = answer.words
    for word, bounds in DAY_PARTS.items():
        for place in answer.places.get(word, ())[:MOST_PLACES]:
            is_led = said[max(0, place - 2) : place] in _INTO_PART
            is_leading = said[place + 1 : place + 2] and said[place + 1] in _VISITS
            if (is_led or is_leading) and not any(-_BESIDE <= place - time.first <= _BESIDE for time in times):
                yield Mention(MentionKind.TIME, bounds, place, place + 1, answer.span(place), PART)
