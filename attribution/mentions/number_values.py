"""Numbers and amounts of money in the answer, told from figures that count something else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from attribution.answer import Answer, Label
from attribution.figures import AMOUNT, Figure, canonical_amount
from attribution.lexicon.words import CONNECTORS, COUNTING, CURRENCY_WORDS, DIVIDERS, MEASURES, NOT_COUNTED, PERSONS, UNITS_OF_MEASURE
from attribution.mentions.measures import match_nothing, match_quantity
from attribution.mentions.phrases import describe, describe_all
from attribution.mentions.rates import is_meant, period_of, rates_in
from attribution.model import Evidence, Field, FieldType, Span
from attribution.profile import Profile
from attribution.quantities import as_percentage, canonical_value
from attribution.remembering import remembered
from attribution.text import stem, words, words_of

_LABEL_REACH = 8
_WORDS_REACH = 4
_CHANGES = words("by top bottom down up dropped fell rose improved increased decreased gained lost reduced lower higher")
_PARTS = words("of fewer more less higher lower better worse")
_ONE = "1"
_PEOPLE = stem("people")
SIGN_NOT_COMPARED = "; the sign is not compared"


def match_numeric(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The first of the forms that the answer shows, the most telling first."""
    key = canonical_value(value)
    if key is None:
        return None
    if key not in answer.numeric_keys:
        return _otherwise(key, field, answer, profile)
    figures = answer.figures
    numbers = figures.numbers.get(key)
    written_out = answer.number_words.get(key)
    found = (
        (_whole(key, numbers, field, answer, profile) if numbers else None)
        or (_party(numbers, written_out or (), field, answer, profile) if numbers or written_out else None)
        or (_in_words(key, written_out, field, answer, profile) if written_out else None)
        or (_percentage(key, field, answer, profile) if figures.percents else None)
        or (_simple("amount", figures.amounts[key], answer, profile) if key in figures.amounts else None)
        or _otherwise(key, field, answer, profile)
        or (_lone_digits(numbers, answer, profile) if numbers else None)
    )
    on_sign = note_on_sign(value) if found else ""
    return found._replace(trace=found.trace + on_sign) if found and on_sign else found


def _otherwise(key: str, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The number as an ordinal, as so many times in a period, nothing as "no", or its quantity in another unit."""
    found = _ordinal(key, field, answer, profile) if key in answer.figures.ordinals else None
    if key == "0":
        return found or match_nothing(FieldType.NUMERIC, field, answer, profile)
    if found is None and (period := period_of(field.leaf)):
        found = _rate(key, period, field, answer, profile)
    unit = "" if found else unit_of(field.leaf)
    return found or (_measured(f"{key} {unit}", answer, profile) if unit and _may_measure(key, unit, answer) else None)


def _rate(key: str, period: str, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    spans = [rate.span for rate in rates_in(answer, period) if rate.key == key and is_meant(rate, field.leaf)]
    return _evidence("rate", spans, answer, profile, f"; so often in a {period}") if spans else None


def _measured(quantity: str, answer: Answer, profile: Profile) -> Evidence | None:
    """``session_minutes``: the unit that the name tells, in other words: 90 is an hour and a half."""
    return match_quantity(quantity, FieldType.NUMERIC, answer, profile, ", by the unit in the field's name")


def _may_measure(key: str, unit: str, answer: Answer) -> bool:
    """Return True if an answer has another unit, and a number in it that may be as much. This costs next to nothing."""
    places, keys = answer.places, answer.numeric_keys
    total = int(key) * MEASURES[unit][1] if key.isdigit() else 0
    for other, factor in _units_like(unit):
        if other in places:
            count = total // factor
            if not total or (count <= 1 and total * 2 >= factor) or (count > 1 and factor != MEASURES[unit][1] and str(count) in keys):
                return True
    return False


@remembered
def _units_like(unit: str) -> tuple[tuple[str, int], ...]:
    """The units of the same dimension, with their factors."""
    dimension = MEASURES[unit][0]
    return tuple((each, factor) for each, (its, factor) in MEASURES.items() if its == dimension)


def _ordinal(key: str, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """``the third floor`` of a field ``floor``; not of one that counts them."""
    named = words_of(field.leaf)
    if not COUNTING.isdisjoint(named):
        return None
    spans = [figure.span for figure in answer.figures.ordinals[key] if _word_behind(figure.span, answer) in named]
    return _evidence("ordinal", spans, answer, profile, "; the word behind it names the field") if spans else None


def _word_behind(span: Span, answer: Answer) -> str:
    place = answer.place_at(span[1] - 1) + 1
    return answer.words[place] if place < len(answer.words) else ""


@remembered
def unit_of(leaf: str) -> str:
    """The unit of time that the name of a field ends with; empty if it names none."""
    last = (words_of(leaf) or ("",))[-1]
    return last if last in MEASURES and MEASURES[last][0] in ("time", "months") and len(last) > 1 else ""


def note_on_sign(value: object) -> str:
    """Return what a trace says of a negative value: "-5" may be written "you owe 5"."""
    is_negative = value.lstrip().startswith("-") if isinstance(value, str) else isinstance(value, (int, float)) and value < 0
    return SIGN_NOT_COMPARED if is_negative else ""


def _whole(key: str, figures: Sequence[Figure], field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The figure whose label is nearest first; without a label only a number that is specific enough to speak for itself."""
    labels = profile.registry.leaf_name(field.leaf).label_stems
    nearest: tuple[Figure, Label] | None = None
    for figure in figures:
        place = answer.place_at(figure.span[0])
        if _is_scale(place, answer):
            continue
        label = answer.label_near(labels, place, _word_count(figure.span, answer), _LABEL_REACH)
        is_nearer = label and (nearest is None or abs(label.distance) < abs(nearest[1].distance))
        if label and is_nearer and not _counts_another(figure.span, label, answer):
            nearest = figure, label
    if nearest:
        figure, label = nearest
        rule = "with_unit" if label.distance in (1, 2) else "whole_number"
        return _evidence(rule, [figure.span], answer, profile, f"; {label}")
    specific = [figure.span for figure in figures if _is_specific(figure, answer) and not counts_something(figure.span, answer)]
    return _evidence("whole_number", specific, answer, profile) if specific else None


def _is_scale(place: int, answer: Answer) -> bool:
    """Return True if a number is what another is "out of"."""
    return place > 1 and answer.words[place - 1] == "of" and answer.words[place - 2] == "out"


def _in_words(key: str, places: Sequence[tuple[int, int]], field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """Only beside a label: "one" and "two" are said of too many things; "one place" is no rank."""
    name = profile.registry.leaf_name(field.leaf)
    labels = name.name_stems if key == _ONE else name.label_stems
    for place, count in places:
        label = answer.label_near(labels, place, count, _WORDS_REACH)
        if label and key == _ONE and label.distance > 0 and not _counts(field.leaf):
            continue
        if label and not _counts_another(answer.span(place, count), label, answer):
            return _evidence("in_words", [answer.span(place, count)], answer, profile, f"; {label}")
    return None


@remembered
def _counts(leaf: str) -> bool:
    """Return True if a field counts things, by its name: number_of_beds, passengers."""
    named = words_of(leaf)
    return not COUNTING.isdisjoint(named) or any(word.endswith("s") for word in named)


def _party(
    figures: Sequence[Figure] | None, places: Sequence[tuple[int, int]], field: Field, answer: Answer, profile: Profile
) -> Evidence | None:
    """``a table for 4``, ``the two of you``: people, where nothing else is counted."""
    if _PEOPLE not in profile.registry.leaf_name(field.leaf).label_stems:
        return None
    spans = [figure.span for figure in figures or ()] + [answer.span(place, count) for place, count in places]
    found = [span for span in spans if _is_party(span, answer)]
    return _evidence("party", found, answer, profile, "; so many people") if found else None


def _is_party(span: Span, answer: Answer) -> bool:
    place = answer.place_at(span[0])
    behind = answer.words[place + _word_count(span, answer) :][:2]
    if behind[:1] == ["of"]:
        return behind[-1] in PERSONS
    return place > 0 and answer.words[place - 1] == "for" and not counts_something(span, answer)


def _percentage(key: str, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """A share between 0 and 1 as a percentage; the figure as it stands where the field's name says percent, or a label is near."""
    percents = answer.figures.percents
    if key in percents:
        name = profile.registry.leaf_name(field.leaf)
        if name.is_percentage:
            return _simple("percentage", percents[key], answer, profile)
        for figure in percents[key]:
            label = answer.label_near(name.label_stems, answer.place_at(figure.span[0]), _word_count(figure.span, answer), _WORDS_REACH)
            if label and not _counts(field.leaf) and not _is_of_change(figure.span, answer):
                return _evidence("percentage", [figure.span], answer, profile, f"; {label}")
    return (
        _simple("percentage", percents.get(as_percentage(key), ()), answer, profile) if key.startswith("0.") or key in ("0", "1") else None
    )


def _is_of_change(span: Span, answer: Answer) -> bool:
    """Return True if a percentage says how much something changed, or what part of something is meant: "dropped 14%", "14% of them"."""
    place = answer.place_at(span[0])
    behind = _word_behind(span, answer)
    return behind in _PARTS or not _CHANGES.isdisjoint(answer.words[max(0, place - _WORDS_REACH) : place])


def _simple(rule: str, figures: Sequence[Figure], answer: Answer, profile: Profile) -> Evidence | None:
    return _evidence(rule, [figure.span for figure in figures], answer, profile) if figures else None


def _lone_digits(figures: Sequence[Figure], answer: Answer, profile: Profile) -> Evidence | None:
    """A digit that counts nothing in particular, capped to nothing: it may be this field's or any other's."""
    lone = [figure.span for figure in figures if not counts_something(figure.span, answer)]
    if not lone:
        return None
    found = _evidence("whole_number", lone, answer, profile)
    return found._replace(score=0.0, uncapped_score=found.score)


def _is_specific(figure: Figure, answer: Answer) -> bool:
    """Return True if a number may speak for itself: two digits or more, 5.0 included."""
    return len(str(figure.key)) > 1 or "." in answer.as_written(figure.span)


def _counts_another(span: Span, label: Label, answer: Answer) -> bool:
    """Return True if the noun behind a number is what it counts, so that a label further away is of something else.

    A measure such as "years" leaves that open. Otherwise a label behind must not be divided from the noun, "1 stop and the ticket",
    unless it shares the number, "2 beds and baths"; and one before has only connecting words between, "beds: 2 doubles".
    """
    if abs(label.distance) == 1 or not counts_something(span, answer):
        return False
    place, count = answer.place_at(span[0]), _word_count(span, answer)
    if answer.words[place + count] in UNITS_OF_MEASURE:
        return False
    if label.distance > 0:
        return not DIVIDERS.isdisjoint(answer.words[place + count : place + count + label.distance - 2])
    return not CONNECTORS.issuperset(answer.words[place + label.distance + 1 : place])


def counts_something(span: Span, answer: Answer) -> bool:
    """Return True if a noun follows at once, as in "2 results": the number is that thing's count, not this field's value.

    Fractions measure and do not count: behind "4.8" only a unit tells what of.
    """
    following = answer.text[span[1] : span[1] + 2]
    if not following.startswith((" ", "-")) or not following[1:].isalpha():
        return False
    place = answer.place_at(span[0]) + _word_count(span, answer)
    if place >= len(answer.words):
        return False
    word = answer.words[place]
    return word in UNITS_OF_MEASURE if "." in answer.text[span[0] : span[1]] else word not in NOT_COUNTED


def _word_count(span: Span, answer: Answer) -> int:
    return len(answer.places_in(span)) or 1


def _evidence(rule: str, spans: Sequence[Span], answer: Answer, profile: Profile, because: str = "") -> Evidence:
    score = profile.score(FieldType.NUMERIC, rule)
    return Evidence(FieldType.NUMERIC, rule, score, tuple(spans), describe_all(answer, spans) + because)


_AMOUNT = re.compile(AMOUNT, re.ASCII)
_SIGNS = frozenset("$€£")
_CURRENCY_BEHIND = re.compile(rf"\s?({'|'.join(CURRENCY_WORDS)})\b", re.ASCII)
_MOST_AMOUNTS = 4
_RANGE_REACH = 24
_SPECIFIC_DIGITS = 2
_ZERO = ("0",)
_NO_CURRENCY: frozenset[str] = frozenset()


def match_money(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """Find all amounts of the value close together, else one of them. Where both write a currency, it is the same."""
    amounts = amounts_of(value)
    if answer.numeric_keys.isdisjoint(amounts):
        return match_nothing(FieldType.MONEY, field, answer, profile) if amounts == _ZERO else None
    currencies = currencies_in(value) if isinstance(value, str) else _NO_CURRENCY
    spans = [_spans_of(amount, currencies, answer) for amount in amounts]
    on_sign = note_on_sign(value)
    if len(amounts) > 1 and all(spans):
        together = _close_together([each[0] + each[1] for each in spans])
        if together:
            return _evidence_of_money("range", together, answer, profile, on_sign)
    for signed, plain in spans:
        if signed:
            return _evidence_of_money("amount" if len(amounts) == 1 else "one_end", signed, answer, profile, on_sign)
        if plain:
            return _evidence_of_money("plain_number", plain, answer, profile, "; without a currency" + on_sign)
    return None


def amounts_of(value: object) -> tuple[str, ...]:
    """The amounts of a value in canonical form: one for a price, two for a range."""
    if isinstance(value, (int, float)):
        key = canonical_value(value)
        return (key,) if key else ()
    return _amounts_in(str(value))


@remembered
def _amounts_in(text: str) -> tuple[str, ...]:
    return tuple([canonical_amount(written) for written in _AMOUNT.findall(text.lower())[:_MOST_AMOUNTS]])


@remembered
def currencies_in(text: str) -> frozenset[str]:
    """The signs of the currencies that a value writes."""
    return _SIGNS.intersection(text).union(CURRENCY_WORDS[word] for word in words_of(text) if word in CURRENCY_WORDS)


def currency_at(span: Span, answer: Answer) -> str:
    """The currency sign of an amount in the answer, or of the word behind it."""
    sign = answer.text[span[0]]
    word = None if sign in _SIGNS else _CURRENCY_BEHIND.match(answer.lowered, span[1])
    return CURRENCY_WORDS[word[1]] if word else sign


def _spans_of(amount: str, currencies: frozenset[str], answer: Answer) -> tuple[list[Span], list[Span]]:
    """Return where an amount stands with a currency, and where as a plain number of two digits or more."""
    signed = [figure.span for figure in answer.figures.amounts.get(amount, ())]
    if currencies and signed:
        signed = [span for span in signed if currency_at(span, answer) in currencies]
    if len(amount) < _SPECIFIC_DIGITS:
        return signed, []
    plain = [figure.span for figure in answer.figures.numbers.get(amount, ())]
    return signed, [span for span in plain if not counts_something(span, answer)]


def _close_together(choices: list[list[Span]]) -> list[Span]:
    """One span of each amount such that they follow each other closely."""
    for first in choices[0]:
        chosen = [first]
        for candidates in choices[1:]:
            near = [span for span in candidates if 0 <= span[0] - chosen[-1][1] <= _RANGE_REACH]
            if not near:
                break
            chosen.append(near[0])
        else:
            return chosen
    return []


def _evidence_of_money(rule: str, spans: list[Span], answer: Answer, profile: Profile, because: str = "") -> Evidence:
    trace = " and ".join(describe(answer, span) for span in spans[:2]) + because
    return Evidence(FieldType.MONEY, rule, profile.score(FieldType.MONEY, rule), tuple(spans), trace)
