"""Everything an answer writes in figures: dates, times, money, percentages, ordinals, phone numbers, plain numbers.

One pass gives each digit to one figure only, so that the 8 of "March 8th" is a day and not also a count, and the 14 of 2014 is
nothing. A figure's key is its value in one canonical form; a field finds its figures by one look-up.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from attribution.lexicon import AMOUNT_LETTERS, AMOUNT_WORDS, CURRENCY_WORDS, MONTHS
from attribution.model import Span, Word, new

_NUMBER = r"(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,18})(?:\.\d{1,12})?"
_NOT_CUT = r"(?!\w|\.\d|,\d{3}(?!\d))"
"""Behind a number: nothing that shows it to be the beginning of a longer one."""
AMOUNT = rf"{_NUMBER}(?:(?:{'|'.join(AMOUNT_LETTERS)}|[\s-]?(?:{'|'.join(AMOUNT_WORDS)}))(?!\w))?"
"""A number and what multiplies it."""
_MONTH = rf"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:,?\s{1,2}(?:19|20)\d\d(?![\w:]))?"
_FIGURE = re.compile(
    r"(?<![\w.,/:])(?:"
    rf"(?P<day_month>{_DAY}(?:st|nd|rd|th)?(?:\s{{1,2}}of)?\s{{1,2}}{_MONTH}\b{_YEAR})"
    r"|(?P<iso>(?:19|20)\d\d-\d\d-\d\d(?!\d))"
    r"|(?P<slashes>\d{1,2}/\d{1,2}(?:/(?:\d{4}|\d\d))?(?![\w/]))"
    r"|(?P<clock>\d{1,2}:\d\d(?!\d)(?::\d\d)?(?:\s?[ap]\.?m\b)?)"
    r"|(?P<hour>\d{1,2}\s?[ap]\.?m\b)"
    r"|(?P<phone>\+\d{1,3}(?:[ .-]?\(?\d{1,5}\)?){2,5}(?!\w)|(?:\(\d{3}\)\s?|\d{3}[ .-])\d{3}[ .-]\d{4}(?!\d))"
    rf"|(?P<money>[$€£]\s?{AMOUNT}{_NOT_CUT}|{_NUMBER}(?=\s?(?:{'|'.join(CURRENCY_WORDS)})\b))"
    rf"|(?P<percent>{_NUMBER}(?=\s?%|\s(?:percent|per\scent)\b))"
    r"|(?P<ordinal>\d{1,3}(?:st|nd|rd|th)\b)"
    rf"|(?P<number>(?<![a-z]-){_NUMBER}{_NOT_CUT})"
    ")",
    re.ASCII,
)
_LONE_NUMBER = re.compile(
    rf"(?<![\w.,/:$€£+(])(?<![$€£]\s)(?<![a-z]-){_NUMBER}(?![\w%:/$€£-]|[.,]\d|\s[\d(%$€£])(?:\s{{1,2}}([a-z]+))?", re.ASCII
)
"""A number that no sign makes anything else, and the word behind it, which may."""

_MEANINGFUL_WORDS = {*MONTHS, "am", "pm", "a", "p", "of", "percent", "per", *CURRENCY_WORDS}
_MONTH_ENDINGS = {month[-3:] for month in MONTHS}
_MONTH_BEFORE = re.compile(rf"\b{_MONTH}\.?\s{{1,2}}\Z")
_DAY_AFTER_MONTH = re.compile(rf"{_DAY}(?:st|nd|rd|th)?(?![\w:]){_YEAR}", re.ASCII)
_DIGITS = re.compile(r"[0-9][0-9]*")
"""Begins with a plain set of characters: such a pattern is searched ten times as fast as one that begins with a repetition."""
_TIMES = {**AMOUNT_LETTERS, **AMOUNT_WORDS}
_PARTS = re.compile(r"[a-z]+|[0-9]+")
_LONGEST_MONTH = len("september. ") + 1


MOST_PLACES = 64
"""How many places of one thing are looked at and shown: keeps hostile repetition linear."""

Day = tuple[int, int, int]
"""Year, month, day; the year is 0 where it is not written."""


class FigureKind(Word):
    """What a figure is read as."""

    DATE = "date"
    TIME = "time"
    DIGITS = "digits"
    MONEY = "money"
    PERCENT = "percent"
    ORDINAL = "ordinal"
    NUMBER = "number"


class Figure(NamedTuple):
    """A figure and its place. ``key`` by kind: a day, minutes of the day, digits, or a canonical number."""

    kind: FigureKind
    key: str | int | Day
    span: Span
    detail: str = ""


_TABLES = {
    FigureKind.NUMBER: "numbers",
    FigureKind.PERCENT: "percents",
    FigureKind.MONEY: "amounts",
    FigureKind.ORDINAL: "ordinals",
    FigureKind.DIGITS: "digits",
    FigureKind.DATE: "dates",
    FigureKind.TIME: "times",
}


class Figures:
    """The figures of an answer, each kind by key. ``all`` keeps their order, ``starts`` are their first offsets."""

    __slots__ = ("all", "amounts", "dates", "digits", "numbers", "ordinals", "percents", "starts", "times")

    def __init__(self, figures: list[Figure]) -> None:
        self.all = figures
        self.starts = [figure.span[0] for figure in figures]
        self.numbers: dict[str, list[Figure]] = {}
        self.percents: dict[str, list[Figure]] = {}
        self.amounts: dict[str, list[Figure]] = {}
        self.ordinals: dict[str, list[Figure]] = {}
        self.digits: dict[str, list[Figure]] = {}
        self.dates: dict[Day, list[Figure]] = {}
        self.times: dict[int, list[Figure]] = {}
        for figure in figures:
            same = getattr(self, _TABLES[figure.kind]).setdefault(figure.key, [])
            if len(same) < MOST_PLACES:
                same.append(figure)


def find_figures(lowered: str) -> list[Figure]:
    """The figures of a lower-cased text, left to right."""
    found: list[Figure] = []
    end = 0
    for digits in _DIGITS.finditer(lowered):
        if digits.start() < end:
            continue
        figures = _figures_at(lowered, digits.start())
        if figures:
            found += figures
            end = figures[0].span[1]
    return found


def _figures_at(lowered: str, digit: int) -> list[Figure]:
    """The readings of the figure whose first digit stands at ``digit``."""
    if dated := _month_and_day(lowered, digit):
        return dated
    lone = _LONE_NUMBER.match(lowered, digit)
    if lone and lone[1] not in _MEANINGFUL_WORDS:
        end = lone.start(1) if lone[1] else lone.end()
        number = lowered[digit:end].rstrip()
        return [new(Figure, (FigureKind.NUMBER, canonical_number(number), (digit, digit + len(number)), ""))]
    match = _FIGURE.match(lowered, _with_sign(lowered, digit)) or _FIGURE.match(lowered, digit)
    return _READERS[match.lastgroup or ""](match.group(), match.span()) if match else []


def _with_sign(lowered: str, digit: int) -> int:
    """Where the figure begins: a currency sign, a plus or a bracket before the digits belongs to it."""
    before = lowered[max(0, digit - 2) : digit]
    if before[-1:] in ("$", "€", "£", "+", "("):
        return digit - 1
    return digit - 2 if before in ("$ ", "€ ", "£ ") else digit


def _month_and_day(lowered: str, digit: int) -> list[Figure]:
    begin = max(0, digit - _LONGEST_MONTH)
    before = lowered[begin:digit]
    month = _MONTH_BEFORE.search(before) if before.rstrip(" .")[-3:] in _MONTH_ENDINGS else None
    day = _DAY_AFTER_MONTH.match(lowered, digit) if month else None
    if month is None or day is None:
        return []
    span = (begin + month.start(), day.end())
    return _read_named_date(lowered[span[0] : span[1]], span)


def canonical_number(written: str) -> str:
    """``1,200`` → ``1200``, ``14.50`` → ``14.5``, ``007`` → ``7``: equal numbers have equal forms, nothing is rounded."""
    whole, _, fraction = written.replace(",", "").partition(".")
    fraction = fraction.rstrip("0")
    whole = whole.lstrip("0") or "0"
    return f"{whole}.{fraction}" if fraction else whole


def shift_point(canonical: str, places: int) -> str:
    """A canonical number with its point moved to the right, or to the left if ``places`` is negative: exact at any length."""
    whole, _, fraction = canonical.partition(".")
    if places < 0:
        whole = whole.rjust(1 - places, "0")
        return canonical_number(f"{whole[:places]}.{whole[places:]}{fraction}")
    fraction = fraction.ljust(places, "0")
    return canonical_number(f"{whole}{fraction[:places]}.{fraction[places:]}")


def canonical_amount(written: str) -> str:
    """``1.5k`` and ``1.5 thousand`` → ``1500``; a number that nothing multiplies as ``canonical_number`` has it."""
    number = written.rstrip("abcdefghijklmnopqrstuvwxyz")
    canonical = canonical_number(number.rstrip("-").rstrip())
    return shift_point(canonical, _TIMES[written[len(number) :]]) if number != written else canonical


def minutes_of_day(hour: int, minute: int, meridiem: str) -> list[int]:
    """The minutes since midnight that a clock time may mean; two where it leaves morning or afternoon open."""
    if minute > 59 or hour > 24:
        return []
    if meridiem:
        return [(hour % 12 + (12 if meridiem == "p" else 0)) * 60 + minute] if 1 <= hour <= 12 else []
    first = hour % 24 * 60 + minute
    return [first, first + 720] if 1 <= hour < 12 else [first, 0] if (hour, minute) == (12, 0) else [first]


def _read_named_date(text: str, span: Span) -> list[Figure]:
    month = day = year = 0
    for part in _PARTS.findall(text):
        if part in MONTHS:
            month = MONTHS[part]
        elif len(part) == 4 and part.isdigit():
            year = int(part)
        elif part.isdigit():
            day = int(part)
    return [Figure(FigureKind.DATE, (year, month, day), span)]


def _read_iso(text: str, span: Span) -> list[Figure]:
    year, month, day = (int(part) for part in text.split("-"))
    return [Figure(FigureKind.DATE, (year, month, day), span)]


def _read_slashes(text: str, span: Span) -> list[Figure]:
    """Month first and day first, where both are possible; where neither is, the first is a number out of the second."""
    if text == "24/7":
        return []
    first, second, *rest = (int(part) for part in text.split("/"))
    year = rest[0] + (2000 if rest[0] < 100 else 0) if rest else 0
    dates = [
        Figure(FigureKind.DATE, (year, month, day), span, "day first" if (month, day) != (first, second) else "")
        for month, day in sorted({(first, second), (second, first)})
        if 1 <= month <= 12 and 1 <= day <= 31
    ]
    written = text.partition("/")[0]
    return dates or [Figure(FigureKind.NUMBER, canonical_number(written), (span[0], span[0] + len(written)))]


def _read_time(text: str, span: Span) -> list[Figure]:
    hour, minute, *_ = [*(int(part) for part in _PARTS.findall(text) if part.isdigit()), 0]
    meridiem = "p" if "p" in text else "a" if "a" in text else ""
    minutes = minutes_of_day(hour, minute, meridiem)
    detail = "morning or afternoon left open" if len(minutes) > 1 else ""
    return [Figure(FigureKind.TIME, minute_of_day, span, detail) for minute_of_day in minutes]


def _read_phone(text: str, span: Span) -> list[Figure]:
    return [Figure(FigureKind.DIGITS, "".join(re.findall(r"\d", text)), span)]


def _read_money(text: str, span: Span) -> list[Figure]:
    amount = text.lstrip("$€£").lstrip()
    return [Figure(FigureKind.MONEY, canonical_amount(amount), span)]


def _read_plain(kind: FigureKind) -> Callable[[str, Span], list[Figure]]:
    return lambda text, span: [Figure(kind, canonical_number(text), span)]


def _read_ordinal(text: str, span: Span) -> list[Figure]:
    return [Figure(FigureKind.ORDINAL, canonical_number(text[:-2]), span)]


_READERS: dict[str, Callable[[str, Span], list[Figure]]] = {
    "day_month": _read_named_date,
    "iso": _read_iso,
    "slashes": _read_slashes,
    "clock": _read_time,
    "hour": _read_time,
    "phone": _read_phone,
    "money": _read_money,
    "percent": _read_plain(FigureKind.PERCENT),
    "ordinal": _read_ordinal,
    "number": _read_plain(FigureKind.NUMBER),
}
