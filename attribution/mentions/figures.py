"""The figures of an answer as mentions, each with its unit: in digits, written out, and days told by that of the message."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import date, timedelta
from fractions import Fraction
from itertools import pairwise, product

from attribution.answer import Answer
from attribution.figures import MOST_PLACES, Figure, FigureKind
from attribution.lexicon.words import MEASURES, MONTHS, NOT_COUNTED, TIMES, UNITS_OF_MEASURE, WEEKDAYS
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
_LOOSE = words("about around roughly approximately nearly almost over under least most above below than within until up some approx beyond")
_BOUND: dict[tuple[str, ...], str] = {
    **dict.fromkeys((("more", "than"), ("at", "least"), ("upwards", "of")), "above"),
    **dict.fromkeys((("less", "than"), ("fewer", "than"), ("at", "most")), "below"),
}
_BOUND_BY_ONE = {**dict.fromkeys(("over", "above", "beyond"), "above"), **dict.fromkeys(("under", "below", "within"), "below")}
"""Words right before a figure by which what is told is more or less than it."""
_ROUGHLY = words("about around roughly approximately nearly almost approx")
NEAR = "near"
"""The bound of a figure that what is told is near to."""
_BOUND_TURNED = {"above": "below", "below": "above"}
_DENYING = words("no not never t")
DAY_NUMBERS = {name: number for number, name in enumerate(WEEKDAYS)}
DAY_NUMBERS |= {f"{name}s": number for number, name in enumerate(WEEKDAYS)}
DAY_NUMBERS |= {"mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4}
"""The days of the week by their names, as numbers from Monday on."""
_UNITS = {
    **dict.fromkeys(("mg", "milligram", "milligrams"), "mg"),
    **dict.fromkeys(("mcg", "microgram", "micrograms", "ug"), "mcg"),
    **dict.fromkeys(("ml", "mls", "cc", "ccs", "milliliter", "milliliters", "millilitre", "millilitres"), "ml"),
    **dict.fromkeys(("unit", "units", "iu"), "units"),
    **dict.fromkeys(("g", "gm", "gms", "gram", "grams", "gramme", "grammes"), "g"),
}
"""Units of doses: the same number in another of them is another value."""
_COUNTED_ONCE = words("attempt hospitalization admission fall episode refill seizure surgery relapse pregnancy")
_OF_MEASURE = words("mmol meq miu ng pg bpm mmhg units points breaths beats degrees")
"""Words behind a number that say how something is measured, and count nothing."""
COUNTABLE = frozenset({"tablets", "capsules", "teaspoons", "tablespoons", "beats", "calories", "gigabytes", "ounces", "milliliters"})
"""Quantities whose number may be the value of a field that only counts: 60 tablets of a quantity of 60."""
_WEIGHTS = frozenset({"pounds", "grams", "ounces"})
_WEIGHT_CHANGES = words("lose loses lost losing gain gains gained gaining lift lifts lifting carry")
"""Before a weight, what it is a part of or what is lifted: it is not what somebody weighs."""
_SET_BY_BOUNDS = (MentionKind.DATE, MentionKind.TIME)
_BOUNDS = words("before after since")
_WEIGHING = words("weigh weighs weighed weighing weight weights gained lighter heavier")
"""Words in an answer by which pounds are no money."""
_TRAVEL = words("by away drive walk ride from")
_NUMBERING = words("press dial option page step part question item step section chapter box line table figure room")
"""Behind these a number is a name, and no amount."""
_NUMBERED = re.compile(r"(?:^|[.:!?]\s)(\d{1,2})[.)]\s[A-Z]", re.ASCII | re.MULTILINE)
_LONGEST_ANNOUNCEMENT = 3
_SHORT_PHONE = re.compile(r"(?<![\w-])(\d{3})-(\d{4})(?![\w-])", re.ASCII)
_DAY_OF_MONTH = re.compile(r"\d{1,2}(?:st|nd|rd|th)", re.ASCII)
_YEAR = re.compile(r"(?:19|20)\d\d", re.ASCII)
_BEFORE_MONTH = words("in of by since until till from early late mid this last next for")
_BEFORE_HOUR = words("at until till by before after from to opens closes")
_LONGEST_PERIOD = 24
_ENDING = (*".,;!?", "")
"""Signs behind a day that end what is told of it."""
_PERIOD = re.compile(r"\s?(?:dollars\s)?(?:(?:/\s?|an?\s|per\s|each\s|every\s)(hour|day|week|month|year)\b|(hour|week|month|year)ly\b)")
_COUNT = re.compile(r"\d{1,6}(?:\.\d+)?")
_ENDS: dict[tuple[str, ...], str] = {
    **dict.fromkeys(product(("starts", "starting", "start", "begins", "beginning", "begin"), ("at", "from", "with")), "low"),
    **dict.fromkeys((("low", "as"), ("little", "as"), ("minimum", "of")), "low"),
    **dict.fromkeys((("high", "as"), ("much", "as"), ("maximum", "of"), ("out", "at")), "high"),
}
"""Words before a figure by which it is one end of a range."""
_HAVING = words("has have had with only just includes")
"""Words before "one" with which it counts, and is no "one of these"."""
_BEFORE_DAY = words("on by until till from of since")
_BEHIND_DAY = words("at and from with for in to or is but we you i when because")
_LAST_DAY = 31
_NAMED_HOURS = {"noon": 720, "midday": 720, "midnight": 0}
_DOSE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)(mcg|mg|ml|g|iu)(?!\w)", re.ASCII)
_HOURS = frozenset(map(Fraction, range(1, 13)))


def find_figure_mentions(answer: Answer, masked: Collection[int]) -> list[Mention]:
    """The figures in the order of the text. ``masked`` are words that belong to names such as PHQ-9, whose digits say nothing."""
    found = [*_measured(answer), *_doses(answer), *_ratios(answer), *_months(answer), *_days_of_month(answer)]
    taken = {place for mention in found if mention.unit not in COUNTABLE for place in range(mention.first, mention.last)}
    found += _written(answer, taken, masked)
    found += _spoken(answer, taken, masked)
    found += _short_phones(answer, found)
    found += [*_weekdays(answer), *_beside_no_date(_relative(answer), found), *_named_hours(answer)]
    found += _hours(found, answer)
    set_years(found, answer)
    found += [*find_periods(answer, found), *find_rates(answer), *find_free(answer)]
    found.sort(key=lambda mention: (mention.first, mention.last))
    del found[MOST_MENTIONS:]
    _mark_ends(found, answer)
    _mark_ends([mention for mention in found if mention.kind is MentionKind.NUMBER and not mention.end], answer)
    _mark_loose(found, answer)
    _mark_numbering(found, answer)
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


_exact = remembered(Fraction)


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


def _days_of_month(answer: Answer) -> Iterator[Mention]:
    """A day of a month that is not named: "on the 22nd"."""
    words = answer.words
    for place in answer.places.get("the", ())[:MOST_PLACES]:
        day = words[place + 1] if place + 1 < len(words) else ""
        if place and words[place - 1] in _BEFORE_DAY and _DAY_OF_MONTH.fullmatch(day) and 1 <= int(day[:-2]) <= _LAST_DAY:
            behind = words[place + 2] if place + 2 < len(words) else ""
            gap = answer.text[answer.word_end(place + 1) : answer.starts[place + 2]].strip() if behind else "."
            if gap or behind in _BEHIND_DAY:
                yield Mention(MentionKind.DATE, ((0, 0, int(day[:-2])),), place + 1, place + 2, answer.span(place + 1), "day")


def _named_hours(answer: Answer) -> Iterator[Mention]:
    """Hours that have a name: noon, midnight."""
    for name, minutes in _NAMED_HOURS.items():
        for place in answer.places.get(name, ())[:MOST_PLACES]:
            yield Mention(MentionKind.TIME, (minutes,), place, place + 1, answer.span(place))


def _beside_no_date(relative: Iterator[Mention], found: Collection[Mention]) -> Iterator[Mention]:
    """Days that are told by another; beside a date that is written out they say nothing more."""
    beside = {
        place
        for mention in found
        if mention.kind is MentionKind.DATE and mention.unit != "month"
        for place in (mention.first - 1, mention.last)
    }
    return (mention for mention in relative if mention.last - 1 not in beside and mention.first not in beside)


def _weekdays(answer: Answer) -> Iterator[Mention]:
    for word in DAY_NUMBERS.keys() & answer.places.keys():
        for place in answer.places[word]:
            behind = answer.words[place + 1 : place + 3]
            if any(_DAY_OF_MONTH.fullmatch(each) for each in behind[:1] + (behind[1:] if behind[:1] == ["the"] else [])):
                continue
            yield Mention(MentionKind.WEEKDAY, (DAY_NUMBERS[word],), place, place + 1, answer.span(place))


def days_between(first: int, last: int) -> tuple[int, ...]:
    """Return the days of the week from one to another."""
    return tuple((first + each) % 7 for each in range((last - first) % 7 + 1))


def _months(answer: Answer) -> Iterator[Mention]:
    """A month without a day: "in July", "June 2023"."""
    months = MONTHS.keys() & answer.places.keys()
    if not months:
        return
    dated = {place for each in answer.figures.all if each.kind is FigureKind.DATE for place in answer.places_in(each.span)}
    words = answer.words
    for word in months:
        for place in answer.places[word][:MOST_PLACES]:
            if place in dated or not answer.text[answer.starts[place]].isupper():
                continue
            behind = place + 1 + (words[place + 1 : place + 2] == ["of"])
            year = int(words[behind]) if behind < len(words) and _YEAR.fullmatch(words[behind]) else 0
            if year or (place and words[place - 1] in _BEFORE_MONTH):
                last = behind + 1 if year else place + 1
                day = (year, MONTHS[word], 0)
                yield Mention(MentionKind.DATE, (day,), place, last, answer.span(place, last - place), "month")


def _hours(found: list[Mention], answer: Answer) -> Iterator[Mention]:
    """A number that may be an hour: "opens at 7", "until 5"."""
    for mention in found:
        if mention.kind is MentionKind.NUMBER and not mention.unit and mention.first and mention.last - mention.first == 1:
            hour = mention.values[0]
            behind = answer.words[mention.last] if mention.last < len(answer.words) else ""
            if answer.words[mention.first - 1] in _BEFORE_HOUR and hour in _HOURS and behind not in UNITS_OF_MEASURE:
                times = _halves(int(hour), behind)
                yield Mention(MentionKind.TIME, times, mention.first, mention.last, mention.span, "hour")


def _halves(hour: int, behind: str) -> tuple[int, ...]:
    morning = hour % 12 * 60
    return (morning + 720,) if behind in ("tonight", "pm") else (morning, morning + 720)


def _relative(answer: Answer) -> Iterator[Mention]:
    today = answer.answered_on
    if today is None:
        return
    for distance, spans in answer.relative_days.by_distance.items():
        day = _days_later(today, distance)
        for span in spans if day else ():
            first, last = answer.place_at(span[0]), answer.place_at(span[1] - 1) + 1
            if day and not (last - first == 1 and answer.words[first] in ("today", "tonight") and not _is_told_of(first, answer)):
                yield Mention(MentionKind.DATE, ((day.year, day.month, day.day),), first, last, span, "relative")


def _is_told_of(place: int, answer: Answer) -> bool:
    """Return True if "today" says when something is: "your visit is today at 9"."""
    behind = answer.words[place + 1 : place + 2]
    is_last = answer.text[answer.word_end(place) :][:1] in _ENDING or behind == ["at"] or behind[0].isdigit()
    return place > 0 and answer.words[place - 1] in ("is", "are") and is_last


def _days_later(today: date, distance: int) -> date | None:
    try:
        return today + timedelta(days=distance)
    except OverflowError:
        return None


def _mark_ends(found: list[Mention], answer: Answer) -> None:
    """Two figures of one kind with "to" or a dash between are the ends of a range; a bare one takes kind and unit of the other."""
    for low, high in pairwise(found):
        if not 0 <= high.first - low.last <= 1:
            continue
        between = answer.text[low.span[1] : high.span[0]].strip(" \u00a0")
        if between.lower() not in ("to", "-", "–", "—", "through", "until", "till", "and"):
            continue
        if between == "and" and (low.first == 0 or answer.words[low.first - 1] != "between"):
            continue
        for bare, other in ((low, high), (high, low)):
            if bare.kind is MentionKind.NUMBER and not bare.unit and other.kind in (MentionKind.MONEY, MentionKind.PERCENT):
                bare.kind = other.kind
        if low.kind is MentionKind.NUMBER and high.kind is MentionKind.TIME and not low.unit and low.values[0] in _HOURS:
            low.kind, low.values = MentionKind.TIME, _halves(int(low.values[0]), "")
        if low.kind is high.kind is MentionKind.TIME and len(high.values) == 1 < len(low.values):
            low.values = (max((each for each in low.values if each <= high.values[0]), default=low.values[0]),)
        if low.kind is high.kind:
            low.end, high.end = "low", "high"
            low.other_end, high.other_end = high, low


def _mark_loose(found: list[Mention], answer: Answer) -> None:
    words = answer.words
    for mention in found:
        if mention.unit == "th":
            mention.is_loose = True
            continue
        if mention.first and words[mention.first - 1] in _NUMBERING:
            mention.is_loose = True
            continue
        behind = words[mention.last : mention.last + 2]
        if (
            (mention.kind in _SET_BY_BOUNDS and mention.first and words[mention.first - 1] in _BOUNDS)
            or (mention.kind is MentionKind.DURATION and mention.unit == "time" and behind and behind[0] in _TRAVEL)
            or (mention.kind is MentionKind.NUMBER and len(behind) == 2 and behind[0] == "in" and behind[1].isdigit())
        ):
            mention.is_loose = True
        if mention.is_loose:
            continue
        before = words[max(0, mention.first - _LONGEST_ANNOUNCEMENT) : mention.first]
        if not mention.end:
            mention.end = _ENDS.get(tuple(before[-2:]), "")
        mention.bound = _bound_of(before)
        mention.is_loose = bool(mention.bound) or _is_led_loosely(before[-2:]) or words[mention.last : mention.last + 2] == ["or", "so"]
        if mention.unit in _WEIGHTS and not _WEIGHT_CHANGES.isdisjoint(before):
            mention.is_loose = True
        if words[mention.last : mention.last + 2] in (["or", "more"], ["or", "less"], ["or", "higher"], ["or", "above"], ["or", "older"]):
            mention.is_loose = True
        mention.counted = mention.kind is MentionKind.NUMBER and not mention.unit and _counts(mention, answer)


def _mark_numbering(found: list[Mention], answer: Answer) -> None:
    """Take no amounts from the numbers of a list that is written in one line: "1. Write down your goals. 2. Bring a list"."""
    places = [match.span(1) for match in _NUMBERED.finditer(answer.text)]
    if len(places) > 1 and answer.as_written(places[0]) == "1" and answer.as_written(places[1]) == "2":
        for mention in found:
            mention.is_loose = mention.is_loose or mention.span in places


def _bound_of(before: list[str]) -> str:
    """Return where the words before a figure put what is told: "above" for "more than" and "no less than"."""
    pair = tuple(before[-2:])
    last = before[-1] if before else ""
    bound = _BOUND.get(pair) or _BOUND_BY_ONE.get(last, "")
    if last in _ROUGHLY:
        return NEAR
    ahead = before[:1] if pair in _BOUND else before[-2:-1]
    if not bound or ahead == ["by"]:
        return ""
    return bound if _DENYING.isdisjoint(ahead) else _BOUND_TURNED[bound]


def _is_led_loosely(before: list[str]) -> bool:
    """Return True if the words before a figure make a bound or an approximation of it: "up to", but not "a follow-up is"."""
    return not _LOOSE.isdisjoint(before) and ("up" not in before or before == ["up", "to"] or not (_LOOSE - {"up"}).isdisjoint(before))


def _counts(mention: Mention, answer: Answer) -> bool:
    """Return True if a word directly behind a number may be what it counts."""
    place = mention.last
    if place >= len(answer.words) or answer.text[mention.span[1] : answer.starts[place]].strip(" -"):
        return False
    word = answer.words[place]
    return word.isalpha() and len(word) > 2 and word not in NOT_COUNTED and word not in _OF_MEASURE and word not in UNITS_OF_MEASURE
