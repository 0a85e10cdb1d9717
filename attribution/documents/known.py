"""What passages say of figures and names, in the forms in which these are looked up."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from attribution.documents.abbreviations import initials_line, is_spelt_out, letters_of, stems_line
from attribution.documents.measures import Measured, decades_of, find_measured
from attribution.documents.names import capitals_of
from attribution.figures import Day, Figure, FigureKind, canonical_number, find_figures
from attribution.figures.numbers import number_in_words
from attribution.lexicon.words import NUMBER_WORDS, SCALES
from attribution.numbers import as_percentage, as_share
from attribution.text import fold, fold_words, index_words, lower, stem

_INITIALED = re.compile(r"(?<![^\W_])([^\W\d_])\.[ \u00a0]?(?:[^\W\d_]\.[ \u00a0]?){0,4}([^\W\d_]{2,40})")
_OFTEN = {"once": "1", "twice": "2", "thrice": "3"}
_ARTICLES = ("a", "an")
_SHORTEST_ROOT = 4
_MOST_INITIALS = 12


class Initials:
    """The first letters of capitalised words in their order; every run of them is put in order when one is first looked for."""

    __slots__ = ("_runs", "letters")

    def __init__(self, letters: str) -> None:
        self.letters = letters
        self._runs: list[str] | None = None

    def hold(self, letters: str) -> bool:
        """Return True if so few letters follow each other anywhere: looked up, for a long passage may be asked for thousands of names."""
        if self._runs is None:
            self._runs = sorted({self.letters[place : place + _MOST_INITIALS] for place in range(len(self.letters))})
        place = bisect_left(self._runs, letters)
        return place < len(self._runs) and self._runs[place].startswith(letters)


class Known(NamedTuple):
    """What the passages say, in the forms that are looked up: canonical numbers, days, minutes of the day, words, capital letters.

    ``in_any_year`` are the months and days of ``days``. ``amounts`` are those with a unit, in the base unit of their kind; ``measured`` are
    the numbers that stand before such a unit wherever they stand. ``abbreviated`` are the names that stand behind initials, with the first
    of these. ``line`` are all words as stems, ``letters`` their first letters.
    """

    numbers: frozenset[str]
    days: frozenset[Day]
    in_any_year: frozenset[tuple[int, int]]
    minutes: frozenset[int]
    words: frozenset[str]
    in_order: tuple[str, ...]
    stems: frozenset[str]
    initials: Initials
    amounts: frozenset[tuple[str, Fraction]]
    measured: frozenset[str]
    decades: frozenset[str]
    abbreviated: frozenset[tuple[str, str]]
    line: str
    letters: str


def know(passage: str) -> Known:
    """Read a passage once for all claims that cite it."""
    lowered = lower(passage)
    figures = find_figures(lowered)
    measured = list(find_measured(lowered))
    words, _, places = index_words(fold(passage))
    keys = {key for figure in figures for key in _numbers_of(figure)} | keys_of_words(words, places)
    bare = _bare_numbers(figures, measured) | keys_of_words(words, places)
    keys |= {canonical_number(each.number) for each in measured}
    keys |= {word.lstrip("0") or "0" for word in places if word.isdecimal()}
    days = frozenset(figure.key for figure in figures if isinstance(figure.key, tuple))
    return Known(
        numbers=frozenset(keys),
        days=days,
        in_any_year=frozenset([day[1:] for day in days]),
        minutes=frozenset(figure.key for figure in figures if isinstance(figure.key, int)),
        words=frozenset(places),
        in_order=tuple(sorted(places)),
        stems=frozenset(map(stem, places)),
        initials=Initials(capitals_of(passage)),
        amounts=frozenset([(each.base, each.value) for each in measured]),
        measured=frozenset([canonical_number(each.number) for each in measured if not each.is_time]) - bare,
        decades=decades_of(lowered),
        abbreviated=frozenset([(match[1].lower(), name.lower()) for match in _INITIALED.finditer(passage) for name in (match[2],)]),
        line=stems_line(words),
        letters=initials_line(words),
    )


def know_together(several: Sequence[Known]) -> Known:
    """Return what several passages say, each of them read by itself: what stands in one of them is known."""
    if len(several) == 1:
        return several[0]
    words = frozenset().union(*[each.words for each in several])
    return Known(
        numbers=frozenset().union(*[each.numbers for each in several]),
        days=frozenset().union(*[each.days for each in several]),
        in_any_year=frozenset().union(*[each.in_any_year for each in several]),
        minutes=frozenset().union(*[each.minutes for each in several]),
        words=words,
        in_order=tuple(sorted(words)),
        stems=frozenset().union(*[each.stems for each in several]),
        initials=Initials("".join([each.initials.letters for each in several])),
        amounts=frozenset().union(*[each.amounts for each in several]),
        measured=frozenset().union(*[each.measured for each in several])
        - frozenset().union(*[each.numbers - each.measured for each in several]),
        decades=frozenset().union(*[each.decades for each in several]),
        abbreviated=frozenset().union(*[each.abbreviated for each in several]),
        line="|".join([each.line for each in several]),
        letters="|".join([each.letters for each in several]),
    )


def _bare_numbers(figures: Sequence[Figure], measured: Sequence[Measured]) -> set[str]:
    """Return the numbers that stand somewhere without one of these units."""
    starts = {each.span[0] for each in measured}
    return {str(figure.key) for figure in figures if figure.span[0] not in starts}


def keys_of_words(words: list[str], places: dict[str, list[int]]) -> set[str]:
    """Return the numbers that are written out, also as how often something is done."""
    return {key for _, _, key in numbers_in_words(words, places)} | {key for word, key in _OFTEN.items() if word in places}


def numbers_in_words(words: list[str], places: dict[str, list[int]]) -> list[tuple[int, int, str]]:
    """The numbers that are written out: the place of each, its count of words and its canonical form, from left to right."""
    found: list[tuple[int, int, str]] = []
    end = 0
    begins = [place for word in NUMBER_WORDS.keys() & places.keys() for place in places[word]]
    begins += [place - 1 for word in places.keys() & SCALES for place in places[word] if place and words[place - 1] in _ARTICLES]
    for place in sorted(begins):
        key, count = number_in_words(words, place) if place >= end else ("", 0)
        if count:
            found.append((place, count, key))
            end = place + count
    return found


def _numbers_of(figure: Figure) -> list[str]:
    """The canonical numbers that a figure of a passage bears out; those of a date are its parts."""
    key = figure.key
    if isinstance(key, tuple):
        return [str(part) for part in key if part]
    if isinstance(key, int):
        return [str(key // 60), str(key % 60)]
    return [key, as_share(key)] if figure.kind is FigureKind.PERCENT else [key]


def is_borne_out(figure: Figure, known: Known) -> bool:
    """Return True if the passages have a figure, in the same form or another one of the same value."""
    key = figure.key
    if isinstance(key, tuple):
        return _is_known_day(key, known)
    if isinstance(key, int):
        return key in known.minutes
    forms = {key, as_share(key)} if figure.kind is FigureKind.PERCENT else {key, as_percentage(key)} if key.startswith("0.") else {key}
    return not known.numbers.isdisjoint(forms)


def _is_known_day(day: Day, known: Known) -> bool:
    """Return True if the passages have month and day, and the year where both say one."""
    year, month, in_month = day
    return day in known.days or (0, month, in_month) in known.days or (not year and (month, in_month) in known.in_any_year)


def is_known_word(word: str, known: Known) -> bool:
    """Return True if a word of a name stands in the passages, in any form that begins alike: Africa in African."""
    folded = "".join(fold_words(word.removesuffix("'s").removesuffix("’s")))
    if folded in known.words or stem(folded) in known.stems:
        return True
    root = folded[: max(_SHORTEST_ROOT, len(folded) - 2)]
    place = bisect_left(known.in_order, root)
    return len(folded) >= _SHORTEST_ROOT and any(each.startswith(root) for each in known.in_order[place : place + 1])


def is_short_for(name: str, known: Known) -> bool:
    """Return True if a name in capitals is made of the first letters of words that follow each other in the passages: WHO, SSRIs."""
    letters = letters_of(name)
    if not 2 <= len(letters) <= _MOST_INITIALS:
        return False
    return known.initials.hold(letters) or is_spelt_out(letters, known.line, known.letters) or letters.lower() in known.words


def is_initialed(words: Sequence[str], unknown: Sequence[str], known: Known) -> bool:
    """Return True if the passages have a name with an initial for the first of its words: M. Ruiz for Marta Ruiz."""
    return len(words) > 1 and list(unknown) == list(words[:-1]) and (words[0][0].lower(), words[-1].lower()) in known.abbreviated
