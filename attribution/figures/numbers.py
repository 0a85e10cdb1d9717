"""The kinds of figures, and numbers in one form each: equal numbers have equal forms, and nothing is rounded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from attribution.lexicon.words import AMOUNT_LETTERS, AMOUNT_WORDS, NUMBER_WORDS, SCALES, TENS, UNITS
from attribution.model import Span, Word

# The canonical form.

_TIMES = {**AMOUNT_LETTERS, **AMOUNT_WORDS}


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


# Numbers written out: fourteen, twenty-one, one hundred and twenty, twelve hundred, four and a half, a dozen.

_HUNDRED = 100
_THOUSAND = 1_000
_FRACTION_FOLLOWS = ("and", "point")
_LONGEST = 12
"""The most words that are read of one number: keeps hostile repetition linear."""


def number_in_words(words: Sequence[str], place: int) -> tuple[str, int]:
    """The number that begins at a place, in canonical form, and its count of words; no words where none begins there."""
    whole, count = _whole(words, place)
    if not count:
        return "", 0
    end = place + count
    if end >= len(words) or words[end] not in _FRACTION_FOLLOWS:
        return str(whole), count
    if _follows(words, end, ("and", "a", "half")):
        return f"{whole}.5", count + 3
    if _follows(words, end, ("and", "a", "quarter")):
        return f"{whole}.25", count + 3
    if words[end] == "point" and end + 1 < len(words) and NUMBER_WORDS.get(words[end + 1], 10) < 10:
        return f"{whole}.{NUMBER_WORDS[words[end + 1]]}", count + 2
    return str(whole), count


def _follows(words: Sequence[str], place: int, wanted: tuple[str, ...]) -> bool:
    return tuple(words[place : place + len(wanted)]) == wanted


def _whole(words: Sequence[str], place: int) -> tuple[int, int]:
    """A whole number: parts below a hundred, and the scales that multiply them."""
    total = current = 0
    end = min(len(words), place + _LONGEST)
    if words[place] in ("a", "an", "half"):
        return _article(words, place)
    at = place
    while at < end:
        word = words[at]
        if word in NUMBER_WORDS and _can_follow(words, at, place):
            current += NUMBER_WORDS[word]
        elif word in SCALES and at > place:
            total, current = _scaled(total, current, word)
        elif not (word == "and" and words[at - 1] in SCALES and at > place and words[at + 1 : at + 2] and words[at + 1] in NUMBER_WORDS):
            break
        at += 1
    return total + current, at - place


def _article(words: Sequence[str], place: int) -> tuple[int, int]:
    """``a hundred and fifty``, ``a dozen``, ``half a dozen``, ``a couple``."""
    if words[place] == "half":
        return (6, 3) if _follows(words, place, ("half", "a", "dozen")) else (0, 0)
    following = words[place + 1] if place + 1 < len(words) else ""
    if following == "couple":
        return 2, 2
    if following == "dozen":
        return 12, 2
    if following not in SCALES:
        return 0, 0
    rest, count = _whole(["one", *words[place + 1 : place + _LONGEST]], 0)
    return rest, count


def _can_follow(words: Sequence[str], at: int, place: int) -> bool:
    """Return True if a word goes on with the number before it: a unit behind a ten, anything behind a scale."""
    if at == place:
        return True
    before = words[at - 1]
    return before in SCALES or before == "and" or (before in TENS and words[at] in UNITS)


def _scaled(total: int, current: int, scale: str) -> tuple[int, int]:
    """Return what a scale makes of the part before it: hundreds and dozens stay part of it, larger ones close it."""
    if scale == "hundred":
        return total, current * _HUNDRED
    if scale == "dozen":
        return total, current * 12
    if scale == "thousand":
        return total + current * _THOUSAND, 0
    return int(shift_point(str(total + current), 6 if scale == "million" else 9)), 0


# The kinds of figures, and the tables that figures are looked up in.

MOST_PLACES = 64
"""How many places of one thing are looked at and shown: keeps hostile repetition linear."""

Day = tuple[int, int, int]
"""Year, month, day; the year is 0 where it is not written."""


class FigureKind(Word):
    """The kind of a figure."""

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


def merged(figures: Iterable[Figure], spoken: Iterable[Figure]) -> list[Figure]:
    """Both in the order of the text; what is written inside a spoken figure is part of it and no figure of its own."""
    wider = sorted(spoken, key=_by_place)
    kept: list[Figure] = list(wider)
    position = 0
    for figure in figures:
        while position < len(wider) and wider[position].span[1] <= figure.span[0]:
            position += 1
        if position == len(wider) or figure.span[0] < wider[position].span[0]:
            kept.append(figure)
    return sorted(kept, key=_by_place)


def _by_place(figure: Figure) -> int:
    return figure.span[0]
