"""Amounts of money: one, or the two ends of a range."""

from __future__ import annotations

import re
from typing import Any

from attribution.answer import Answer
from attribution.figures import AMOUNT, canonical_amount
from attribution.lexicon.words import CURRENCY_WORDS
from attribution.matchers.base import describe
from attribution.matchers.nothing import match_nothing
from attribution.matchers.numeric import counts_something, note_on_sign
from attribution.model import Evidence, Field, FieldType, Span
from attribution.numbers import canonical_value
from attribution.profile import Profile
from attribution.remembering import remembered
from attribution.text import words_of

_AMOUNT = re.compile(AMOUNT, re.ASCII)
_SIGNS = frozenset("$€£")
_CURRENCY_BEHIND = re.compile(rf"\s?({'|'.join(CURRENCY_WORDS)})\b", re.ASCII)
_MOST_AMOUNTS = 4
_RANGE_REACH = 24
_SPECIFIC_DIGITS = 2
_ZERO = ("0",)
_NO_CURRENCY: frozenset[str] = frozenset()


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """All amounts of the value close together, else one of them. Where both write a currency, it is the same."""
    amounts = amounts_of(value)
    if answer.numeric_keys.isdisjoint(amounts):
        return match_nothing(FieldType.MONEY, field, answer, profile) if amounts == _ZERO else None
    currencies = currencies_in(value) if isinstance(value, str) else _NO_CURRENCY
    spans = [_spans_of(amount, currencies, answer) for amount in amounts]
    on_sign = note_on_sign(value)
    if len(amounts) > 1 and all(spans):
        together = _close_together([each[0] + each[1] for each in spans])
        if together:
            return _evidence("range", together, answer, profile, on_sign)
    for signed, plain in spans:
        if signed:
            return _evidence("amount" if len(amounts) == 1 else "one_end", signed, answer, profile, on_sign)
        if plain:
            return _evidence("plain_number", plain, answer, profile, "; without a currency" + on_sign)
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


def _evidence(rule: str, spans: list[Span], answer: Answer, profile: Profile, because: str = "") -> Evidence:
    trace = " and ".join(describe(answer, span) for span in spans[:2]) + because
    return Evidence(FieldType.MONEY, rule, profile.score(FieldType.MONEY, rule), tuple(spans), trace)
