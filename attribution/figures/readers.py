"""What each way of writing a figure means."""

from __future__ import annotations

from collections.abc import Callable

from attribution.figures.canonical import canonical_amount, canonical_number, shift_point
from attribution.figures.clock import half_of_day, minutes_of_day, times_at
from attribution.figures.grammar import PARTS, RANGE_ENDS
from attribution.figures.kinds import Figure, FigureKind
from attribution.lexicon.words import MONTHS
from attribution.model import Span


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
