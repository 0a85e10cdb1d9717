"""Figures and names of a claim that stand nowhere in its passages: the commonest thing that is made up."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from attribution.documents.names import Name, capitals_of, initials_line, is_shortened, is_spelt_out, letters_of, names_of, stems_line
from attribution.documents.wording import without_markers
from attribution.figures import Day, Figure, FigureKind, canonical_number, find_figures
from attribution.figures.numbers import number_in_words
from attribution.lexicon import load_lexicon
from attribution.lexicon.words import NUMBER_WORDS, SCALES
from attribution.model import Span, Word
from attribution.quantities import as_percentage, as_share
from attribution.text import JOINER, fold, fold_words, index_words, lower, stem

_TIMES = {"minute": 1, "min": 1, "hour": 60, "hr": 60, "day": 1_440, "week": 10_080}
_NUMBER = r"\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,6})?|\d{1,9}(?:\.\d{1,6})?"
_DECADE = re.compile(r"(?<![\w.])((?:1[5-9]|20)\d0)['’]?s\b")
_YEAR = re.compile(r"(?<![\w.,])((?:1[5-9]|20)\d)\d(?![\w,]|\.\d)")
_IN_WORDS = re.compile(r"\b(?:nineteen[- ])?(twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties)\b")
_WORDS = ("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties")


class Measured(NamedTuple):
    """An amount: its value in the base unit of its kind, the number as written, and where both stand; time only equals, never differs."""

    base: str
    value: Fraction
    number: str
    span: Span
    is_time: bool


def find_measured(lowered: str) -> Iterator[Measured]:
    """Return the amounts of a text in lower case; of a range both ends, each with the unit behind it."""
    units, pattern = _units()
    for match in pattern.finditer(lowered) if any(sign.isdigit() for sign in lowered) else ():
        base, factor = units[match["unit"]]
        for name in ("first", "last"):
            if match[name]:
                number = match[name].replace(",", "")
                yield Measured(base, Fraction(number) * factor, number, (match.start(name), match.end("unit")), base == "minute")


@cache
def _units() -> tuple[dict[str, tuple[str, Fraction]], re.Pattern[str]]:
    units: dict[str, tuple[str, Fraction]] = {}
    for unit in load_lexicon().units:
        if unit.base and unit.kind in ("mass", "volume"):
            units |= {form.lower(): (unit.base, Fraction(str(unit.factor))) for form in unit.forms}
    units |= {form: ("minute", Fraction(count)) for word, count in _TIMES.items() for form in (word, f"{word}s")}
    forms = "|".join(sorted(map(re.escape, units), key=len, reverse=True))
    pattern = rf"(?<![\w.,])(?:(?P<first>{_NUMBER})\s?(?:-|–|—|to|and|or)\s?)?(?P<last>{_NUMBER})[\s\u00a0-]?(?P<unit>{forms})(?![\w])"
    return units, re.compile(pattern)


def find_decades(lowered: str) -> list[tuple[str, Span]]:
    """Return the decades that a text names in figures: their first years, and where they stand."""
    return [(match[1], match.span()) for match in _DECADE.finditer(lowered)]


def decades_of(lowered: str) -> frozenset[str]:
    """Return the decades that a passage speaks of: named, written out, or by one of their years."""
    named = {decade for decade, _ in find_decades(lowered)}
    written = {f"19{2 + _WORDS.index(match[1])}0" for match in _IN_WORDS.finditer(lowered)}
    return frozenset(named | written | {f"{match[1]}0" for match in _YEAR.finditer(lowered)})


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
    """Figures and names of passages, in the forms that are looked up: canonical numbers, days, minutes of the day, words, capital letters.

    ``in_any_year`` are the months and days of ``days``. ``amounts`` are those with a unit, in the base unit of their kind; ``measured`` are
    the numbers that stand before such a unit wherever they stand. ``abbreviated`` are the names that follow initials, with the first
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
    """Return what several passages say, each of them read by itself: what is in one of them is known."""
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
    """Return True if a word of a name is in the passages, in any form that begins alike: Africa in African."""
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


_TOO_SMALL = ("0", "1", "2")
"""In words these are as often no count: one of them, two-thirds."""
_LIST_NUMBER = re.compile(r"^[ \t]*(\d{1,3})[.)](?=\s)", re.MULTILINE)


class MissingKind(Word):
    """Figures or names."""

    FIGURE = "figure"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Missing:
    """A figure or name as the claim has it, its span in the claim in code points, and one sentence that says what was looked for."""

    kind: MissingKind
    text: str
    span: Span
    trace: str


def find_missing(claim: str, known: Known) -> tuple[Missing, ...]:
    """Return the figures and names of a claim that are in none of the passages known, in the order of the claim."""
    text = without_markers(claim)
    found = [*_missing_figures(text, known), *_missing_numbers_in_words(text, known), *_missing_names(text, known)]
    return tuple(sorted(found, key=lambda each: each.span))


def names_or_counts(claim: str) -> bool:
    """Return True if a claim may have a figure or name at all: asked before a passage is read for them."""
    return any(letter.isdigit() or letter.isupper() for letter in claim[1:]) or not NUMBER_WORDS.keys().isdisjoint(fold_words(claim))


def _missing_figures(text: str, known: Known) -> Iterator[Missing]:
    of_lists = {match.start(1) for match in _LIST_NUMBER.finditer(text)}
    readings: dict[Span, list[Figure]] = {}
    lowered = lower(text)
    decades = find_decades(lowered)
    measured = {each.span[0]: each for each in find_measured(lowered)}
    for decade, span in decades:
        if decade not in known.decades:
            written = text[slice(*span)]
            yield Missing(MissingKind.FIGURE, written, span, f"‘{written}’ stands nowhere in the source, nor a year of it")
    for figure in find_figures(lowered):
        if figure.span[0] not in of_lists and not any(start <= figure.span[0] < end for _, (start, end) in decades):
            readings.setdefault(figure.span, []).append(figure)
    read = {span[0] for span in readings}
    yield from _missing_amounts(text, [each for start, each in measured.items() if start not in read], known)
    for span, figures in readings.items():
        amount = measured.get(span[0])
        if amount and (amount.base, amount.value) in known.amounts:
            continue
        if amount and not amount.is_time and canonical_number(amount.number) in known.measured:
            yield from _missing_amounts(text, [amount], known)
        elif not any(is_borne_out(figure, known) for figure in figures):
            written = text[span[0] : span[1]]
            yield Missing(MissingKind.FIGURE, written, span, f"‘{written}’ stands nowhere in the source, in no form")


def _missing_amounts(text: str, amounts: Sequence[Measured], known: Known) -> Iterator[Missing]:
    """Yield amounts whose number the source has in other units only, or not at all."""
    for each in amounts:
        is_known = (each.base, each.value) in known.amounts or (
            canonical_number(each.number) in known.numbers and (each.is_time or canonical_number(each.number) not in known.measured)
        )
        if not is_known:
            written = text[slice(*each.span)]
            yield Missing(MissingKind.FIGURE, written, each.span, f"‘{written}’ stands nowhere in the source, in no unit")


def _missing_numbers_in_words(text: str, known: Known) -> Iterator[Missing]:
    words, starts, places = index_words(fold(text))
    for place, count, key in numbers_in_words(words, places):
        if key not in _TOO_SMALL and key not in known.numbers:
            last = place + count - 1
            span = (starts[place], starts[last] + len(words[last]))
            written = text[span[0] : span[1]]
            yield Missing(MissingKind.FIGURE, written, span, f"‘{written}’ stands nowhere in the source, in words or figures")


def _missing_names(text: str, known: Known) -> Iterator[Missing]:
    folded = fold(text)
    for name in names_of(text):
        written = text[name.span[0] : name.span[1]]
        unknown = [word for word in name.words if not is_known_word(word, known)]
        if unknown[:1] == name.words[:1] and is_known_word(_begun_before(folded, name.span[0]) + name.words[0], known):
            del unknown[0]
        if unknown and not _is_known_otherwise(name, written, unknown, known):
            what = f"‘{written}’" if len(unknown) == len(name.words) else f"‘{' '.join(unknown)}’ of ‘{written}’"
            yield Missing(MissingKind.NAME, written, name.span, f"{what} stands nowhere in the source")


def _begun_before(folded: str, place: int) -> str:
    """Return what stands before a name in the same word, as a figure does: 5 of 5HTP."""
    return folded[folded.rfind(" ", 0, place) + 1 : place].replace(JOINER, "")


def _is_known_otherwise(name: Name, written: str, unknown: Sequence[str], known: Known) -> bool:
    """Return True if a name is in the passages in another form: abbreviated, written out, or with initials."""
    if is_short_for(written, known) or all(is_short_for(word, known) for word in unknown):
        return True
    return is_initialed(name.words, unknown, known) or is_shortened(written, known.words)
