"""What passages say of figures and names, in the forms in which these are looked up."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from attribution.documents.names import capitals_of
from attribution.figures import Day, Figure, FigureKind, find_figures
from attribution.figures.number_words import number_in_words
from attribution.lexicon import NUMBER_WORDS, SCALES
from attribution.numbers import as_percentage, as_share
from attribution.text import fold, fold_words, index_words, lower, stem

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
        """Whether so few letters follow each other anywhere: looked up, for a long passage may be asked for thousands of names."""
        if self._runs is None:
            self._runs = sorted({self.letters[place : place + _MOST_INITIALS] for place in range(len(self.letters))})
        place = bisect_left(self._runs, letters)
        return place < len(self._runs) and self._runs[place].startswith(letters)


class Known(NamedTuple):
    """What the passages say, in the forms that are looked up: canonical numbers, days, minutes of the day, words, capital letters.

    ``in_any_year`` are the months and days of ``days``.
    """

    numbers: frozenset[str]
    days: frozenset[Day]
    in_any_year: frozenset[tuple[int, int]]
    minutes: frozenset[int]
    words: frozenset[str]
    in_order: tuple[str, ...]
    stems: frozenset[str]
    initials: Initials


def know(passage: str) -> Known:
    """Read a passage once for all claims that cite it."""
    figures = find_figures(lower(passage))
    words, _, places = index_words(fold(passage))
    keys = {key for figure in figures for key in _numbers_of(figure)} | {key for _, _, key in numbers_in_words(words, places)}
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
    )


def know_together(several: Sequence[Known]) -> Known:
    """What several passages say, each of them read by itself: what stands in one of them is known."""
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
    )


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
    """Whether the passages have a figure, in the same form or another one of the same value."""
    key = figure.key
    if isinstance(key, tuple):
        return _is_known_day(key, known)
    if isinstance(key, int):
        return key in known.minutes
    forms = {key, as_share(key)} if figure.kind is FigureKind.PERCENT else {key, as_percentage(key)} if key.startswith("0.") else {key}
    return not known.numbers.isdisjoint(forms)


def _is_known_day(day: Day, known: Known) -> bool:
    """Whether the passages have month and day, and the year where both say one."""
    year, month, in_month = day
    return day in known.days or (0, month, in_month) in known.days or (not year and (month, in_month) in known.in_any_year)


def is_known_word(word: str, known: Known) -> bool:
    """Whether a word of a name stands in the passages, in any form that begins alike: Africa in African."""
    folded = "".join(fold_words(word.removesuffix("'s").removesuffix("’s")))
    if folded in known.words or stem(folded) in known.stems:
        return True
    root = folded[: max(_SHORTEST_ROOT, len(folded) - 2)]
    place = bisect_left(known.in_order, root)
    return len(folded) >= _SHORTEST_ROOT and any(each.startswith(root) for each in known.in_order[place : place + 1])


def is_short_for(name: str, known: Known) -> bool:
    """Whether a name in capitals is made of the first letters of words that follow each other in the passages: WHO."""
    letters = name.replace(".", "")
    return 2 <= len(letters) <= _MOST_INITIALS and letters.isupper() and known.initials.hold(letters)
