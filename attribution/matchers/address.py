"""Addresses: with words in full or short, the part of the house behind any sign; the house and its street at least."""

from __future__ import annotations

from typing import NamedTuple

from attribution.answer import Answer
from attribution.lexicon.words import ADDRESS_WORDS, STREET_TYPES, UNIT_WORDS
from attribution.matchers.base import Hit
from attribution.remembering import remembered
from attribution.text import words_of

_FARTHEST_STREET = 6
_MOST_SKIPPED = 3


class Address(NamedTuple):
    """The words of an address as they are compared: of the house and its street, and what stands behind."""

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
