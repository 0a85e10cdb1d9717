"""Values that are texts: words of a closed set, identifiers, addresses, and any other short text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from attribution.answer import Answer
from attribution.lexicon.words import ADDRESS_WORDS, FREQUENCIES, STREET_TYPES, UNIT_WORDS
from attribution.mentions.measures import match_quantity
from attribution.mentions.phrases import Hit, describe, evidence_of, find_phrase, known_phrase
from attribution.mentions.rates import rate_of, rates_in
from attribution.model import Evidence, Field, FieldType, Span
from attribution.profile import Profile
from attribution.remembering import remembered
from attribution.text import words_of

_DIGITS = re.compile(r"[0-9]+")
_LETTERS_OR_DIGITS = re.compile(r"[0-9]+|[a-z]+", re.ASCII)
_SHORTEST = 4
_LOCAL_DIGITS = 10
_COUNTRY = "1"
_PARTS = 2


class Forms(NamedTuple):
    """The other ways to write an identifier: the words of a code, and digits by the rule that finds them."""

    codes: tuple[tuple[str, ...], ...]
    digits: tuple[tuple[str, str], ...]


def match_identifier(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The code as written, else regrouped, else its digits with or without its country's code; nothing shorter than four."""
    text = str(value)
    if len(text.strip()) < _SHORTEST:
        return None
    hit = find_phrase(text, answer, "whole_code")
    if hit and hit.rule == "whole_code":
        return _evidence_of_identifier("whole_code", answer.spans(hit.places, len(hit.words)), answer, profile)
    codes, digits = _forms_of(text)
    for words in codes:
        places = answer.find(words)
        if places:
            return _evidence_of_identifier("whole_code", answer.spans(places, len(words)), answer, profile)
    grouped, places_of = answer.figures.digits, answer.places
    for rule, wanted in digits:
        if wanted in grouped or wanted in places_of:
            spans = tuple(figure.span for figure in grouped.get(wanted, ())) or answer.spans(answer.find((wanted,)), 1)
            return _evidence_of_identifier(rule, spans, answer, profile)
    return None


@remembered
def _forms_of(value: str) -> Forms:
    return Forms(_codes_of(value), _digits_of("".join(_DIGITS.findall(value))))


def _codes_of(value: str) -> tuple[tuple[str, ...], ...]:
    """A code of letters and digits in one word, and with a gap between them: PSY12345, PSY 12345."""
    words = words_of(value)
    joined = "".join(words)
    parts = tuple(_LETTERS_OR_DIGITS.findall(joined))
    if len(parts) < _PARTS or "".join(parts) != joined:
        return ()
    return tuple(form for form in ((joined,), parts) if form != words)


def _digits_of(digits: str) -> tuple[tuple[str, str], ...]:
    """Return the digits to look for, each with its rule: as recorded, and without the code of the country or with it."""
    if len(digits) < _SHORTEST:
        return ()
    local = digits[-_LOCAL_DIGITS:] if len(digits) > _LOCAL_DIGITS else _COUNTRY + digits if len(digits) == _LOCAL_DIGITS else ""
    return (("same_digits", digits), ("local_digits", local)) if local else (("same_digits", digits),)


def _evidence_of_identifier(rule: str, spans: tuple[Span, ...], answer: Answer, profile: Profile) -> Evidence:
    score = profile.score(FieldType.IDENTIFIER, rule)
    return Evidence(FieldType.IDENTIFIER, rule, score, spans, describe(answer, spans[0]))


def match_enum(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The value as one of the words of the answer."""
    hit = find_phrase(value, answer, "whole_word") or known_phrase(value, answer, profile)
    return evidence_of(_with_separators(hit, value, answer), FieldType.ENUM, field, answer, profile) if hit else None


def _with_separators(hit: Hit, text: str, answer: Answer) -> Hit:
    """``in_person`` written "in person" is a rule of its own."""
    if hit.rule != "whole_word" or not ("_" in text or "-" in text):
        return hit
    wanted, count = text.strip().lower(), len(hit.words)
    is_as_written = any(answer.as_written(answer.span(place, count)).lower() == wanted for place in hit.places)
    return hit if is_as_written else hit._replace(rule="separated_words")


_FARTHEST_STREET = 6
_MOST_SKIPPED = 3


class Address(NamedTuple):
    """The words of an address as they are compared: of the house and its street, and what follows."""

    street: tuple[str, ...]
    rest: tuple[str, ...]


def find_address(value: str, answer: Answer) -> Hit | None:
    """The whole address in other words, else the house and its street."""
    address = _address_of(value)
    if address is None:
        return None
    for place in answer.find((address.street[0],)):
        end = _matched(address.street, place, answer)
        if end:
            whole = _matched(address.rest, end, answer) if address.rest else end
            words = tuple(answer.words[place : whole or end])
            return Hit("address" if whole else "house_and_street", [place], words)
    return None


def is_address(value: str) -> bool:
    """Return True if a value begins with a house and its street."""
    return _address_of(value) is not None


@remembered
def _address_of(value: str) -> Address | None:
    """A value that begins with the number of a house and has the kind of its street within a few words; else nothing."""
    words = [ADDRESS_WORDS.get(word, word) for word in words_of(value) if word not in UNIT_WORDS]
    kinds = [place for place, word in enumerate(words[:_FARTHEST_STREET]) if word in STREET_TYPES and place > 1]
    if not kinds or not words[0][0].isdigit():
        return None
    end = kinds[0] + 1
    return Address(tuple(words[:end]), tuple(words[end:]))


def _matched(wanted: tuple[str, ...], place: int, answer: Answer) -> int:
    """The place behind these words where they stand from ``place`` on, unit words left out; 0 where they do not."""
    skipped = 0
    for word in wanted:
        while place < len(answer.words) and answer.words[place] in UNIT_WORDS and skipped < _MOST_SKIPPED:
            place, skipped = place + 1, skipped + 1
        if place >= len(answer.words) or ADDRESS_WORDS.get(answer.words[place], answer.words[place]) != word:
            return 0
        place += 1
    return place


Otherwise = Callable[[str, Field, Answer, Profile], Evidence | None]


def match_field_value(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The value's words following each other; else what it is in other words."""
    hit = find_phrase(value, answer, "whole_phrase")
    if hit and not (len(hit.words) == 1 and hit.words[0] in STREET_TYPES and _ends_a_street(hit, answer)):
        return evidence_of(hit, FieldType.FIELD_VALUE, field, answer, profile)
    otherwise = _otherwise(value)
    return otherwise(value, field, answer, profile) if otherwise else None


def _ends_a_street(hit: Hit, answer: Answer) -> bool:
    """Return True if a word stands nowhere but behind the name of a street, both in capitals."""
    return all(place and _is_capital(place, answer) and _is_capital(place - 1, answer) for place in hit.places)


def _is_capital(place: int, answer: Answer) -> bool:
    return answer.text[answer.starts[place]].isupper()


@remembered
def _otherwise(value: str) -> Otherwise | None:
    """Return how else a value may be said: asked once for each."""
    if "_" in value:
        return _as_known
    if rate_of(value):
        return _as_rate
    if is_address(value):
        return _as_address
    return _as_often if value.strip().lower() in FREQUENCIES else None


def _as_known(value: str, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    return _evidence_of_phrase(known_phrase(value, answer, profile), field, answer, profile)


def _as_address(value: str, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    return _evidence_of_phrase(find_address(value, answer), field, answer, profile)


def _as_often(value: str, _: Field, answer: Answer, profile: Profile) -> Evidence | None:
    return match_quantity(value, FieldType.FIELD_VALUE, answer, profile)


def _as_rate(value: str, _: Field, answer: Answer, profile: Profile) -> Evidence | None:
    period, key = rate_of(value)
    spans = tuple([rate.span for rate in rates_in(answer, period) if rate.key == key and not rate.counted])
    if not spans:
        return None
    score = profile.score(FieldType.FIELD_VALUE, "rate")
    return Evidence(FieldType.FIELD_VALUE, "rate", score, spans, f"{describe(answer, spans[0])}; so often in a {period}")


def _evidence_of_phrase(hit: Hit | None, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    return evidence_of(hit, FieldType.FIELD_VALUE, field, answer, profile) if hit else None
