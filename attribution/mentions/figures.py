"""The figures of an answer as mentions, each with its unit: in digits, written out, and days told by that of the message."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from fractions import Fraction

from attribution.answer import Answer
from attribution.figures import Figure, FigureKind
from attribution.lexicon.words import MEASURES, TIMES
from attribution.mentions.bounds import mark_ends, mark_loose, mark_numbering
from attribution.mentions.days_and_hours import (
    beside_no_date,
    find_days_of_month,
    find_hours,
    find_months,
    find_named_hours,
    find_relative_days,
    find_weekdays,
)
from attribution.mentions.measures import find_free, find_periods, set_years
from attribution.mentions.mention import Mention, MentionKind
from attribution.mentions.number_values import currency_at
from attribution.mentions.rates import find_rates, set_periods
from attribution.remembering import remembered
from attribution.text import words

MOST_MENTIONS = 1_000
TIMES_OVER = "times over"
"""The unit of "once" and "twice", which count how often something is done and measure nothing."""
_KINDS = {
    FigureKind.DATE: MentionKind.DATE,
    FigureKind.TIME: MentionKind.TIME,
    FigureKind.DIGITS: MentionKind.CODE,
    FigureKind.MONEY: MentionKind.MONEY,
    FigureKind.PERCENT: MentionKind.PERCENT,
    FigureKind.ORDINAL: MentionKind.NUMBER,
    FigureKind.NUMBER: MentionKind.NUMBER,
}
_RATIO = re.compile(r"(?<![\w./$-])(\d{1,3}(?:\.\d{1,2})?)\s?(?:/|\sout\sof\s|\sover\s)\s?(\d{1,3})(?![\w/]|\.\d)", re.ASCII)
_UNITS = {
    **dict.fromkeys(("mg", "milligram", "milligrams"), "mg"),
    **dict.fromkeys(("mcg", "microgram", "micrograms", "ug"), "mcg"),
    **dict.fromkeys(("ml", "mls", "cc", "ccs", "milliliter", "milliliters", "millilitre", "millilitres"), "ml"),
    **dict.fromkeys(("unit", "units", "iu"), "units"),
    **dict.fromkeys(("g", "gm", "gms", "gram", "grams", "gramme", "grammes"), "g"),
}
"""Units of doses: the same number in another of them is another value."""
_COUNTED_ONCE = words("attempt hospitalization admission fall episode refill seizure surgery relapse pregnancy")
COUNTABLE = frozenset({"tablets", "capsules", "teaspoons", "tablespoons", "beats", "calories", "gigabytes", "ounces", "milliliters"})
"""Quantities whose number may be the value of a field that only counts: 60 tablets of a quantity of 60."""
_WEIGHING = words("weigh weighs weighed weighing weight weights gained lighter heavier")
"""Words in an answer by which pounds are no money."""
_SHORT_PHONE = re.compile(r"(?<![\w-])(\d{3})-(\d{4})(?![\w-])", re.ASCII)
_LONGEST_PERIOD = 24
_PERIOD = re.compile(r"\s?(?:dollars\s)?(?:(?:/\s?|an?\s|per\s|each\s|every\s)(hour|day|week|month|year)\b|(hour|week|month|year)ly\b)")
_COUNT = re.compile(r"\d{1,6}(?:\.\d{1,12})?")
_HAVING = words("has have had with only just includes")
"""Words before "one" with which it counts, and is no "one of these"."""
_DOSE = re.compile(r"(?<![\w.])(\d{1,18}(?:\.\d{1,12})?)(mcg|mg|ml|g|iu)(?!\w)", re.ASCII)
_exact = remembered(Fraction)


def find_figure_mentions(answer: Answer, masked: Collection[int]) -> list[Mention]:
    """The figures in the order of the text. ``masked`` are words that belong to names such as PHQ-9, whose digits say nothing."""
    found = [*_measured(answer), *_doses(answer), *_ratios(answer), *find_months(answer), *find_days_of_month(answer)]
    taken = {place for mention in found if mention.unit not in COUNTABLE for place in range(mention.first, mention.last)}
    found += _written(answer, taken, masked)
    found += _spoken(answer, taken, masked)
    found += _short_phones(answer, found)
    found += [*find_weekdays(answer), *beside_no_date(find_relative_days(answer), found), *find_named_hours(answer)]
    found += find_hours(found, answer)
    set_years(found, answer)
    found += [*find_periods(answer, found), *find_rates(answer), *find_free(answer)]
    found.sort(key=lambda mention: (mention.first, mention.last))
    del found[MOST_MENTIONS:]
    mark_ends(found, answer)
    for kind in (MentionKind.NUMBER, MentionKind.TIME):
        mark_ends([mention for mention in found if mention.kind is kind and not mention.end], answer)
    mark_loose(found, answer)
    mark_numbering(found, answer)
    set_periods(found, answer)
    return found


def _measured(answer: Answer) -> Iterator[Mention]:
    """Quantities with units: durations, distances, weights."""
    for (dimension, amount), spans in answer.quantities.items():
        for span in spans:
            first, last = answer.place_at(span[0]), answer.place_at(span[1] - 1) + 1
            if dimension.startswith("per "):
                if times := TIMES.get(answer.words[first]):
                    yield Mention(MentionKind.NUMBER, (Fraction(times),), first, first + 1, answer.span(first), TIMES_OVER)
                continue
            if first and answer.words[first] in ("a", "an") and answer.words[first - 1].isdigit():
                continue
            if unit := _UNITS.get(answer.words[last - 1]):
                yield Mention(MentionKind.NUMBER, (amount,), first, last, span, unit)
            else:
                last = max(first + 1, last - (dimension in COUNTABLE))
                measured = Mention(MentionKind.DURATION, (amount,), first, last, span, dimension)
                measured.count = count_of(answer.text[span[0] : span[1]]) or _count_in_words(amount, answer.place_at(span[1] - 1), answer)
                yield measured


def _ratios(answer: Answer) -> Iterator[Mention]:
    text = answer.lowered
    if "/" not in text and " out of " not in text and " over " not in text:
        return
    for match in _RATIO.finditer(text):
        first, last = answer.place_at(match.start()), answer.place_at(match.end() - 1) + 1
        whole = Mention(MentionKind.RATIO, (_exact(match[1]),), first, last, match.span())
        whole.second = _exact(match[2])
        yield whole
        yield Mention(MentionKind.RATIO, (_exact(match[2]),), first, last, match.span(), "second")


def _written(answer: Answer, taken: Collection[int], masked: Collection[int]) -> Iterator[Mention]:
    last: Mention | None = None
    weighs = not answer.places.keys().isdisjoint(_WEIGHING)
    for figure in answer.figures.all:
        if weighs and figure.kind is FigureKind.MONEY and answer.lowered[: figure.span[1] + len(" pounds")].endswith((" pounds", " pound")):
            continue
        place = answer.place_at(figure.span[0])
        if figure.kind is FigureKind.MONEY or figure.kind is FigureKind.PERCENT:
            place = answer.place_at(figure.span[1] - 1) if answer.starts and answer.starts[place] < figure.span[0] else place
        if place in masked or (place in taken and figure.kind in (FigureKind.NUMBER, FigureKind.ORDINAL)):
            continue
        if last and last.span == figure.span and last.kind is _KINDS[figure.kind]:
            last.values = (*last.values, _value(figure))
            continue
        end = answer.place_at(figure.span[1] - 1) + 1
        last = Mention(_KINDS[figure.kind], (_value(figure),), min(place, end - 1), end, figure.span, _unit_of(figure, end, answer))
        if figure.kind is FigureKind.MONEY:
            last.period = period_behind(answer.lowered[figure.span[1] : figure.span[1] + _LONGEST_PERIOD])
        yield last


def period_behind(behind: str) -> str:
    """Return the period that an amount is paid for, by the words behind it: "a week", "/month"."""
    match = _PERIOD.match(behind)
    return (match[1] or match[2]) if match else ""


def count_of(written: str) -> Fraction | None:
    """The number that a quantity is written with."""
    match = _COUNT.match(written)
    return _exact(match[0]) if match else None


def _count_in_words(amount: object, place: int, answer: Answer) -> Fraction | None:
    """The number that a quantity in words comes to, by the unit that it ends with."""
    measure = MEASURES.get(answer.words[place])
    return Fraction(str(amount)) / measure[1] if measure else None


def _value(figure: Figure) -> object:
    if figure.kind in (FigureKind.NUMBER, FigureKind.ORDINAL, FigureKind.MONEY, FigureKind.PERCENT):
        return _exact(str(figure.key))
    return figure.key


def _unit_of(figure: Figure, end: int, answer: Answer) -> str:
    if figure.kind is FigureKind.ORDINAL:
        return "th"
    if figure.kind is FigureKind.MONEY:
        return currency_at(figure.span, answer)
    behind = answer.words[end] if end < len(answer.words) else ""
    return _UNITS.get(behind, "") if figure.kind is FigureKind.NUMBER else ""


def _short_phones(answer: Answer, found: list[Mention]) -> Iterator[Mention]:
    """Telephone numbers of seven digits."""
    text = answer.text
    if "-" not in text:
        return
    taken = {place for mention in found if mention.kind is MentionKind.CODE for place in range(mention.first, mention.last)}
    for match in _SHORT_PHONE.finditer(text):
        first, last = answer.place_at(match.start()), answer.place_at(match.end() - 1) + 1
        if first not in taken:
            yield Mention(MentionKind.CODE, (match[1] + match[2],), first, last, match.span())


def _spoken(answer: Answer, taken: Collection[int], masked: Collection[int]) -> Iterator[Mention]:
    """Numbers written out that are no part of another figure."""
    covered = {answer.place_at(figure.span[0]) for figure in answer.figures.all} if answer.number_words else ()
    for key, places in answer.number_words.items():
        for place, count in places:
            is_article = count == 1 and answer.words[place] in ("one", "a") and not _is_one(place, answer)
            if place in taken or place in masked or place in covered or is_article:
                continue
            unit = _UNITS.get(answer.words[place + count], "") if place + count < len(answer.words) else ""
            yield Mention(MentionKind.NUMBER, (_exact(key),), place, place + count, answer.span(place, count), unit)


def _is_one(place: int, answer: Answer) -> bool:
    """Return True if "one" counts: behind a verb of having, or before what a record counts, as "one prior attempt"."""
    if answer.words[place - 1] in _HAVING:
        return True
    behind = answer.words[place + 1 : place + 4]
    return answer.words[place] == "one" and "of" not in behind and not _COUNTED_ONCE.isdisjoint(behind)


def _doses(answer: Answer) -> Iterator[Mention]:
    """Doses whose unit is written without a space: 75mcg."""
    text = answer.lowered
    for match in _DOSE.finditer(text) if not all(map(str.isdigit, answer.digit_words)) else ():
        first, last = answer.place_at(match.start()), answer.place_at(match.end() - 1) + 1
        yield Mention(MentionKind.NUMBER, (_exact(match[1]),), first, last, match.span(), match[2])
