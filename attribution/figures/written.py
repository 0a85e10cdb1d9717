"""Figures written in digits: their grammar, their meaning, and where they are found."""

from __future__ import annotations

import re
from collections.abc import Callable

from attribution.figures.calendar import half_of_day, minutes_of_day, times_at
from attribution.figures.numbers import Figure, FigureKind, canonical_amount, canonical_number, shift_point
from attribution.lexicon.words import AMOUNT_LETTERS, AMOUNT_WORDS, BEFORE_A_TIME, CURRENCY_WORDS, MONTHS
from attribution.model import Span, new

# The grammar.

_NUMBER = r"(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,18})(?:\.\d{1,12})?"
_NOT_CUT = r"(?!\w|\.\d|,\d{3}(?!\d))"
"""Behind a number: nothing that shows it to be the beginning of a longer one."""
_SCALE = rf"(?:(?:{'|'.join(AMOUNT_LETTERS)}|[\s-]?(?:{'|'.join(AMOUNT_WORDS)}))(?!\w))"
AMOUNT = rf"{_NUMBER}{_SCALE}?"
"""A number and what multiplies it."""
_THOUSANDS = rf"(?:k|[\s-]?(?:{'|'.join(AMOUNT_WORDS)}))(?!\w)"
_CURRENCY = rf"(?:{'|'.join(CURRENCY_WORDS)})\b"
_MONTH = rf"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:,?\s{1,2}(?:19|20)\d\d(?![\w:]))?"
_MERIDIEM = r"(?:\s?[ap]\.?m\b|\s(?:in\sthe\s(?:morning|afternoon|evening)|at\snight)\b)"

_ANNOUNCED = "(?:" + "|".join(rf"(?<=\s{word}\s)" for word in sorted(BEFORE_A_TIME)) + ")"

FIGURE = re.compile(
    r"(?<![\w.,/:])(?:"
    rf"(?P<day_month>{_DAY}(?:st|nd|rd|th)?(?:\s{{1,2}}of)?\s{{1,2}}{_MONTH}\b(?!\.?\s\d{{1,2}}(?:st|nd|rd|th)){_YEAR}|{_DAY}-{_MONTH}\b(?:-(?:19|20)\d\d(?!\w))?)"
    r"|(?P<iso>(?:19|20)\d\d-\d\d-\d\d(?!\d)|(?:19|20)\d\d/\d\d/\d\d(?![\w/]))"
    r"|(?P<slashes>\d{1,2}/\d{1,2}(?:/(?:\d{4}|\d\d))?(?![\w/])|\d{1,2}-\d{1,2}-(?:19|20)\d\d(?![\w-]))"
    r"|(?P<dots>\d{1,2}\.\d{1,2}\.(?:(?:19|20)\d\d)(?!\w|\.\d)|\d\d\.\d\d\.\d\d(?!\w|\.\d))"
    rf"|(?P<clock>\d{{1,2}}:\d\d(?!\d)(?::\d\d)?{_MERIDIEM}?)"
    r"|(?P<hour>\d{1,2}(?:\.[0-5]\d)?\s?[ap]\.?m\b|\d{1,2}\s?o['’]?clock(?:\s(?:in\sthe\s(?:morning|afternoon|evening)|at\snight)\b)?)"
    rf"|(?P<part>{_ANNOUNCED}\d{{1,2}}\s(?:in\sthe\s(?:morning|afternoon|evening)|at\snight)\b)"
    r"|(?P<phone>\+\d{1,3}(?:[ .-]?\(?\d{1,5}\)?){2,5}(?!\w)|(?:\(\d{3}\)\s?|\d{3}[ .-])\d{3}[ .-]\d{4}(?!\d))"
    rf"|(?P<span>(?:[$€£]\s?)?{_NUMBER}(?:\s?[-–—]\s?|\sto\s|\sand\s)[$€£]?{_NUMBER}{_THOUSANDS}(?:\s{_CURRENCY})?)"
    rf"|(?P<money>[$€£]\s?{AMOUNT}{_NOT_CUT}|{AMOUNT}(?=\s?{_CURRENCY}))"
    rf"|(?P<cents>{_NUMBER}(?=\s?(?:¢|cents?\b)))"
    rf"|(?P<percent>{_NUMBER}(?=\s?%|\s(?:percent|per\scent)\b))"
    r"|(?P<ordinal>\d{1,3}(?:st|nd|rd|th)\b)"
    rf"|(?P<scaled>{_NUMBER}{_THOUSANDS})"
    rf"|(?P<number>(?<![a-z]-){_NUMBER}{_NOT_CUT})"
    ")",
    re.ASCII,
)
LONE_NUMBER = re.compile(
    rf"(?<![\w.,/:$€£+(])(?<![$€£]\s)(?<![a-z]-){_NUMBER}(?![\w%:/$€£¢–—-]|[.,]\d|\s[\d(%$€£¢–—-])(?:\s{{1,2}}([a-z]+))?", re.ASCII
)
"""A number that no sign makes anything else, and the word behind it, which may."""

MEANINGFUL_WORDS = {
    *(*MONTHS, "am", "pm", "a", "p", "o", "of", "percent", "per", "to", "and", "in", "at", "cent", "cents", *AMOUNT_WORDS, *CURRENCY_WORDS)
}
MONTH_ENDINGS = {month[-3:] for month in MONTHS} | {"the"}
MONTH_BEFORE = re.compile(rf"\b{_MONTH}\.?\s{{1,2}}(?:the\s)?\Z")
DAY_AFTER_MONTH = re.compile(rf"{_DAY}(?:st|nd|rd|th)?(?![\w:]){_YEAR}", re.ASCII)
LONGEST_MONTH = len("september. the ") + 1
PARTS = re.compile(r"[a-z]+|[0-9]+")
RANGE_ENDS = re.compile(rf"(?P<low>{_NUMBER})(?P<between>\s?[-–—]\s?|\sto\s|\sand\s)[$€£]?(?P<high>{_NUMBER})(?P<scale>{_THOUSANDS})")

_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s)?"
_CLOCK = r"\d{1,2}(?::\d\d(?::\d\d)?)?(?:\s?[ap]\.?m\.?)?"
WRITTEN_DATE = re.compile(
    rf"{_WEEKDAY}(?:the\s)?(?:{_MONTH}\.?\s{_DAY}(?:st|nd|rd|th)?{_YEAR}|{_DAY}(?:st|nd|rd|th)?(?:\sof)?[\s-]{_MONTH}(?:[,-]?\s?(?:19|20)\d\d)?"
    rf"|\d{{1,2}}([/.-])\d{{1,2}}\1(?:\d{{4}}|\d\d)|\d{{4}}/\d\d/\d\d)(?:,?\s(?:at\s)?{_CLOCK})?",
    re.ASCII | re.IGNORECASE,
)
"""A value that is a date, otherwise than as year, month and day."""
WRITTEN_TIME = re.compile(rf"(?=[^\n]*(?::\d|\d\s?[ap]\.?m))({_CLOCK})(?:\s?(?:[-–—]|to|until)\s?({_CLOCK}))?", re.ASCII | re.IGNORECASE)
"""A value that is a time, or from when to when."""


# The meaning of each way of writing a figure.


def read_named_date(text: str, span: Span) -> list[Figure]:
    """A day with its month in words, the year where there is one."""
    month = day = year = 0
    for part in PARTS.findall(text):
        if part in MONTHS:
            month = MONTHS[part]
        elif len(part) == 4 and part.isdigit():
            year = int(part)
        elif part.isdigit():
            day = int(part)
    return [Figure(FigureKind.DATE, (year, month, day), span)]


def _read_iso(text: str, span: Span) -> list[Figure]:
    year, month, day = (int(part) for part in PARTS.findall(text))
    return [Figure(FigureKind.DATE, (year, month, day), span)]


def _read_slashes(text: str, span: Span) -> list[Figure]:
    """Month first and day first, where both are possible; where neither is, the first is a number out of the second."""
    if text == "24/7":
        return []
    written = PARTS.findall(text)
    dates = _numbered_dates(written, span, "day first")
    return dates or [Figure(FigureKind.NUMBER, canonical_number(written[0]), (span[0], span[0] + len(written[0])))]


def _read_dots(text: str, span: Span) -> list[Figure]:
    """Day first: so dates with full stops are written."""
    return _numbered_dates(PARTS.findall(text), span, "month first")


def _numbered_dates(written: list[str], span: Span, turned: str) -> list[Figure]:
    """The days that two or three numbers may be; ``turned`` names the order that is not the usual one."""
    first, second, *rest = map(int, written)
    year = rest[0] + (2000 if rest[0] < 100 else 0) if rest else 0
    usual = (second, first) if turned == "month first" else (first, second)
    return [
        Figure(FigureKind.DATE, (year, month, day), span, "" if (month, day) == usual else turned)
        for month, day in sorted({(first, second), (second, first)})
        if 1 <= month <= 12 and 1 <= day <= 31
    ]


def _read_time(text: str, span: Span) -> list[Figure]:
    parts = PARTS.findall(text)
    hour, minute, *_ = [*(int(part) for part in parts if part.isdigit()), 0]
    half = half_of_day([part for part in parts if not part.isdigit()], hour)
    return times_at(minutes_of_day(hour, minute, half), span)


def _read_phone(text: str, span: Span) -> list[Figure]:
    return [Figure(FigureKind.DIGITS, "".join(filter(str.isdigit, text)), span)]


def _read_span(text: str, span: Span) -> list[Figure]:
    """Two ends that one word multiplies: "$10-15k", "10 to 15 thousand"."""
    found = RANGE_ENDS.search(text)
    if found is None:
        return []
    kind = FigureKind.NUMBER if text[0].isdigit() and found.end() == len(text) else FigureKind.MONEY
    scale = found["scale"].lstrip(" -")
    low = found["low"] + (scale if float(canonical_number(found["low"])) < float(canonical_number(found["high"])) else "")
    return [
        Figure(kind, canonical_amount(low), (span[0], span[0] + found.end("low"))),
        Figure(kind, canonical_amount(found["high"] + scale), (span[0] + found.start("high"), span[0] + found.end())),
    ]


def _read_cents(text: str, span: Span) -> list[Figure]:
    return [Figure(FigureKind.MONEY, shift_point(canonical_number(text), -2), span)]


def _read_scaled(text: str, span: Span) -> list[Figure]:
    return [Figure(FigureKind.NUMBER, canonical_amount(text), span)]


def _read_money(text: str, span: Span) -> list[Figure]:
    amount = text.lstrip("$€£").lstrip()
    return [Figure(FigureKind.MONEY, canonical_amount(amount), span)]


def _read_plain(kind: FigureKind) -> Callable[[str, Span], list[Figure]]:
    return lambda text, span: [Figure(kind, canonical_number(text), span)]


def _read_ordinal(text: str, span: Span) -> list[Figure]:
    return [Figure(FigureKind.ORDINAL, canonical_number(text[:-2]), span)]


READERS: dict[str, Callable[[str, Span], list[Figure]]] = {
    "day_month": read_named_date,
    "iso": _read_iso,
    "slashes": _read_slashes,
    "dots": _read_dots,
    "clock": _read_time,
    "hour": _read_time,
    "part": _read_time,
    "phone": _read_phone,
    "span": _read_span,
    "money": _read_money,
    "cents": _read_cents,
    "percent": _read_plain(FigureKind.PERCENT),
    "ordinal": _read_ordinal,
    "scaled": _read_scaled,
    "number": _read_plain(FigureKind.NUMBER),
}


# Figures written in digits, left to right, each digit in one of them.

_DIGITS = re.compile(r"[0-9][0-9]*")
"""Begins with a plain set of characters: such a pattern is searched ten times as fast as one that begins with a repetition."""


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
            end = figures[-1].span[1]
    return found


def _figures_at(lowered: str, digit: int) -> list[Figure]:
    """The readings of the figure whose first digit stands at ``digit``."""
    if dated := _month_and_day(lowered, digit):
        return dated
    lone = LONE_NUMBER.match(lowered, digit)
    if lone and lone[1] not in MEANINGFUL_WORDS:
        end = lone.start(1) if lone[1] else lone.end()
        number = lowered[digit:end].rstrip()
        return [new(Figure, (FigureKind.NUMBER, canonical_number(number), (digit, digit + len(number)), ""))]
    match = FIGURE.match(lowered, _with_sign(lowered, digit)) or FIGURE.match(lowered, digit)
    return READERS[match.lastgroup or ""](match.group(), match.span()) if match else []


def _with_sign(lowered: str, digit: int) -> int:
    """Return where the figure begins: a currency sign, a plus or a bracket before the digits belongs to it."""
    before = lowered[max(0, digit - 2) : digit]
    if before[-1:] in ("$", "€", "£", "+", "("):
        return digit - 1
    return digit - 2 if before in ("$ ", "€ ", "£ ") else digit


def _month_and_day(lowered: str, digit: int) -> list[Figure]:
    begin = max(0, digit - LONGEST_MONTH)
    before = lowered[begin:digit]
    ending = before.rstrip(" .")
    ending = ending.removesuffix(" the")
    month = MONTH_BEFORE.search(before) if ending[-3:] in MONTH_ENDINGS else None
    day = DAY_AFTER_MONTH.match(lowered, digit) if month else None
    if month is None or day is None:
        return []
    span = (begin + month.start(), day.end())
    return read_named_date(lowered[span[0] : span[1]], span)
