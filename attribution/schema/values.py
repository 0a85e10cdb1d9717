"""The value of a field read: what kind it is, its figures, its classes, and the yes or no that it says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from attribution.answer import Answer
from attribution.figures import FigureKind, find_figures
from attribution.lexicon.words import WEEKDAYS
from attribution.mentions.date_values import is_real
from attribution.mentions.days_and_hours import DAY_NUMBERS, days_between
from attribution.mentions.figures import count_of, period_behind
from attribution.mentions.number_values import currencies_in
from attribution.mentions.rates import A_MINUTE, period_of
from attribution.model import Field, FieldType
from attribution.quantities import MEASURE_WORDS, canonical_value
from attribution.remembering import remembered
from attribution.schema.names import UNITS, WORDS_OF_TYPE, name_of
from attribution.schema.spelling import heads_of, limited_to, word_for
from attribution.schema.target import Target
from attribution.schema.terms import shipped_terms, stems_of
from attribution.schema.truth import truth_of
from attribution.text import lower, spaced, words, words_of

# The classes of the lexicon that hold a field's value: its whole text, what a system writes beside it left out.

LONGEST_IN_CLASS = 80
_RIGHT_EYE = "od"
"""In directions the right eye, where something else says how often; else once a day."""
_OF_SORTS = frozenset({"medical_specialty", "credential", "profession"})
"""Classes whose values have words before them that only say of which sort they are, in plain writing too: "pediatric cardiology"."""


def classes_of(value: str, target: Target) -> Sequence[tuple[int, int]]:
    """The classes that hold a value: those that the field's name speaks of first, and others only where they are about any field."""
    return _classes_of(value, target.field.leaf, target.field.section) if len(value) <= LONGEST_IN_CLASS else ()


@lru_cache(maxsize=16_384)
def _classes_of(value: str, leaf: str, section: str) -> Sequence[tuple[int, int]]:
    terms = shipped_terms()
    with_whom = f"with {value}" if leaf.endswith("_with") else None
    written = filter(None, (word_for(value, words_of(leaf)), limited_to(value), with_whom))
    found = [each for text in written for each in terms.values.get(stems_of(text.replace("_", " ")), ())]
    about = set(name_of(leaf).stems) | set(stems_of(spaced(section)))
    about = about - WORDS_OF_TYPE or about
    if not found:
        kinds = (terms.values.get(stems_of(head), ()) for head in heads_of(limited_to(value) or value))
        hinted = next(filter(None, ([each for each in kind if terms.classes[each[0]].names & about] for kind in kinds)), [])
        return [each for each in hinted if "_" in value or terms.classes[each[0]].name in _OF_SORTS]
    hinted = [each for each in found if terms.classes[each[0]].names & about]
    return hinted or [each for each in found if not terms.classes[each[0]].names] or [_most_alike(value, found)]


def _most_alike(value: str, found: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The class that calls a value by its own word, else the first."""
    stems, classes = stems_of(value.replace("_", " ")), shipped_terms().classes
    return next((each for each in found if stems_of(classes[each[0]].values[each[1]]) == stems), found[0])


def of_directions(text: str, name: str) -> list[tuple[int, int]]:
    """Return the value of a class in directions that say more, as how often something is taken: "1 tablet twice daily with meals"."""
    terms, stems = shipped_terms(), stems_of(text)
    hits = sorted(terms.find(stems, [0] * len(stems)), key=lambda hit: (hit.first - hit.last, stems[hit.first] == _RIGHT_EYE))
    found = [(int(entry), step) for hit in hits for entry, step in hit.meaning.values]
    return [each for each in found if terms.classes[each[0]].name == name][:1]


_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d))?", re.ASCII)
_MONTH = re.compile(r"((?:19|20)\d\d)-(0[1-9]|1[0-2])", re.ASCII)
_RANGE = re.compile(r"\d\s?(?:-|–|to)\s?\d", re.ASCII)
_DOSE = re.compile(r"(\d{1,18}(?:\.\d{1,12})?)\s?(mg|mcg|g|ml|units?|iu)\b.{0,40}", re.ASCII | re.IGNORECASE)
_MEASURED = re.compile(
    r"(\d{1,5}(?:\.\d{1,3})?)\s?(%|cm\s?h2o|mm\s?hg|bpm|mg/dl|mmol/l|g/dl|ng/ml|l/min|lpm|kcal|kg/m2|°\s?[cf])", re.ASCII | re.IGNORECASE
)
_PAIR = re.compile(r"(\d{2,3})\s?/\s?(\d{2,3})(?:\s?mm\s?hg)?", re.ASCII | re.IGNORECASE)
_AMOUNT = re.compile(r"\d[\d.,]*", re.ASCII)
_OF_24_HOURS = re.compile(r"0\d:\d\d", re.ASCII)
"""A clock time with a nought before it leaves no half of the day open."""
_THROUGH, _DAYS_TO = ("to", "through", "thru", "until", "till"), re.compile(r"[^\W\d]\s?[-–—]\s?[^\W\d]")
"""Words and signs between the first and the last of several days of the week."""
_OF_FIGURES = (FieldType.DATE, FieldType.TIME, FieldType.MONEY, FieldType.DURATION, FieldType.NUMERIC)
_DIRECTIONS = words("sig dosing directions instructions regimen dosage schedule posology administration")
"""Words of names whose texts say how a medicine is to be taken."""
_FOR_NOTHING = frozenset({"free", "no charge", "free of charge", "no cost", "no fee"})
"""Texts that say of an amount that there is none."""
_PRICED = words("fees fee prices price pricing costs cost rates bill bills billing charges copays tuition")
_HOW_OFTEN, _WITH_MEALS = "dosing_frequency", "meal_timing"


class Said(NamedTuple):
    """The figures of a value: by kind."""

    amounts: tuple[Fraction, ...]
    dates: tuple[tuple[int, int, int], ...]
    times: tuple[int, ...]
    numbers: tuple[Fraction, ...]
    durations: tuple[tuple[str, Fraction], ...]


def made_of(field: Field) -> Target | None:
    """Return a field with its value read; nothing where it has none that could be said."""
    target = Target(0, field, name_of(field.leaf if not field.leaf.isdigit() else parent_of(field)))
    value: Any = field.value
    kind = field.type
    if kind is FieldType.BOOLEAN:
        target.kind, target.answer = "flag", truth_of(field)
    elif isinstance(value, (int, float)) and kind in (FieldType.NUMERIC, FieldType.MONEY):
        _number(target, value)
    elif kind is FieldType.LIST and isinstance(value, tuple):
        target.kind = "list"
        target.classes = tuple([each for element in value for each in classes_of(element, target)[:1]])
    elif isinstance(value, str) and kind not in (FieldType.SUMMARY, FieldType.QUESTION, FieldType.EMPTY):
        _text(target, value)
    else:
        return None
    return target


def _number(target: Target, value: int | float) -> None:
    name, key = target.name, canonical_value(value)
    exact = Fraction(key or "0")
    if name.unit and name.unit[0] == "milligrams":
        target.kind, target.unit, target.values = "dose", "mg", (exact,)
    elif name.unit and target.field.type is not FieldType.MONEY and not (name.is_age and name.unit == UNITS["years"]):
        target.kind, target.unit = "duration", name.unit[0]
        target.values = (exact * name.unit[1], exact)
        target.count = exact
    elif name.is_share or (name.may_be_share and isinstance(value, float) and 0 <= value <= 1):
        target.kind = "percent"
        target.values = (exact * 100, exact) if 0 < value <= 1 and not name.is_share else (exact,)
    else:
        is_money = name.is_money or target.field.type is FieldType.MONEY or _is_among_prices(target)
        target.kind = "money" if is_money else "number"
        target.values = (exact,)
    target.period = period_of("_".join(name.words)) if target.kind in ("number", "duration") else ""


def _is_among_prices(target: Target) -> bool:
    """Return True if a field is in a section of prices, and counts or measures nothing itself."""
    return not (_PRICED.isdisjoint(words_of(spaced(target.field.section))) or target.name.is_count or target.name.is_plain_number)


@remembered
def read_value(text: str) -> Said:
    """The figures that a value is written with."""
    figures = find_figures(lower(text))
    iso = _DATE.match(text.strip())
    dates: list[Any] = [figure.key for figure in figures if figure.kind is FigureKind.DATE]
    times: list[Any] = [figure.key for figure in figures if figure.kind is FigureKind.TIME]
    if iso:
        dates = [(int(iso[1]), int(iso[2]), int(iso[3]))]
        times = [int(iso[4]) * 60 + int(iso[5])] if iso[4] else times
    amounts = [Fraction(str(each.key)) for each in figures if each.kind is FigureKind.MONEY]
    numbers = [Fraction(str(each.key)) for each in figures if each.kind is FigureKind.NUMBER]
    durations = tuple(Answer(text).quantities) if len(text) < 60 and not MEASURE_WORDS.isdisjoint(words_of(text)) else ()
    return Said(tuple(amounts), tuple(dates), tuple(times), tuple(numbers), durations)


def _text(target: Target, value: str) -> None:
    kind, stripped = target.field.type, value.strip()
    if dose := _DOSE.fullmatch(stripped):
        unit = dose[2].lower()
        target.kind, target.values = "dose", (Fraction(dose[1]),)
        target.unit = "units" if unit in ("unit", "iu") else unit
    elif pair := _PAIR.fullmatch(stripped):
        target.kind, target.values = "pair", (Fraction(pair[1]), Fraction(pair[2]))
    elif kind in _OF_FIGURES:
        _text_of_figures(target, stripped)
    elif month := _MONTH.fullmatch(stripped):
        target.kind, target.values = "date", ((int(month[1]), int(month[2]), 0),)
    elif (measured := _MEASURED.fullmatch(stripped)) and (not target.name.is_money or measured[2] == "%"):
        target.kind, target.values = "percent" if measured[2] == "%" else "number", (Fraction(measured[1]),)
    elif kind is FieldType.IDENTIFIER:
        digits = "".join(filter(str.isdigit, stripped))
        target.kind, target.values = ("code", (digits,)) if len(digits) > 4 else ("value", ())
    elif stripped.lower() in WEEKDAYS:
        target.kind, target.values = "weekday", (WEEKDAYS.index(stripped.lower()),)
    elif (days := _days_of(stripped)) and not classes_of(stripped, target):
        target.kind, target.values = "weekday", days
    else:
        _text_of_words(target, stripped)
    target.kind = target.kind or "value"


def _text_of_words(target: Target, text: str) -> None:
    """A text that is no figure: nothing of an amount, a value of a class, or directions."""
    if target.name.is_money and text.lower() in _FOR_NOTHING:
        target.kind, target.values = "money", (Fraction(0),)
        return
    target.classes = tuple(classes_of(text, target))
    target.is_all = limited_to(text) is not None
    if not target.classes and not _DIRECTIONS.isdisjoint(target.name.words):
        target.classes = tuple(of_directions(text, _HOW_OFTEN))
        target.is_directions = bool(target.classes)
        target.classes = target.classes or tuple(of_directions(text, _WITH_MEALS))


def _text_of_figures(target: Target, text: str) -> None:
    """A text whose type is that of a figure, as far as it is one."""
    kind, said = target.field.type, read_value(text)
    if kind is FieldType.DATE and said.dates:
        target.kind, target.values, target.times = "date", said.dates, said.times
        target.kind = "date" if all(map(is_real, said.dates)) else "value"
    elif kind is FieldType.TIME and said.times:
        target.kind, target.values = "time", said.times[:1] if _OF_24_HOURS.match(text) else said.times
    elif kind is FieldType.MONEY and (said.amounts or said.numbers):
        target.unit = next(iter(currencies_in(text)), "")
        target.kind, target.values = "money", said.amounts or said.numbers
        target.period = next(filter(None, (period_behind(text[match.end() :].lower()) for match in _AMOUNT.finditer(text))), "")
    elif said.durations and said.durations[0][0].startswith("per ") and (classes := classes_of(text, target)):
        target.kind, target.classes = "value", tuple(classes)
    elif said.durations and said.durations[0][0] in A_MINUTE:
        dimension, often = said.durations[0]
        target.kind, target.values = "rate", (often / A_MINUTE[dimension],)
    elif said.durations and not _RANGE.search(text):
        target.kind, target.unit = "duration", said.durations[0][0]
        target.values = tuple(amount for dimension, amount in said.durations if dimension == target.unit)
        target.count = count_of(text)
    elif kind is FieldType.NUMERIC and (key := canonical_value(text)):
        target.kind, target.values = "money" if target.name.is_money else "number", (Fraction(key),)


def _days_of(text: str) -> tuple[int, ...]:
    """Return the days of a text that names nothing but several days of the week: "Monday and Wednesday", "Mon-Fri"."""
    said = [word for word in words_of(text) if word != "and"] if len(text) <= LONGEST_IN_CLASS else []
    days = [DAY_NUMBERS.get(word) for word in said if word not in _THROUGH]
    if len(days) < len(("one", "other")) or None in days:
        return ()
    known = [day for day in days if day is not None]
    if len(known) == len(("first", "last")) and (len(said) > len(known) or _DAYS_TO.search(text)):
        return days_between(*known)
    return tuple(dict.fromkeys(known)) if len(said) == len(known) else ()


def parent_of(field: Field) -> str:
    """Return the name of what an element of a list is in."""
    return next((part for part in reversed(field.path.split(".")) if not part.isdigit()), field.leaf)
