"""Words of which a field holds one: stating another one of a family is stating another value. They stand beside the profile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pkgutil import get_data
from typing import NamedTuple

from attribution.remembering import remembered
from attribution.text import stem, words_of

_LONGEST = 30
_LITTLE = (("specialist",), ("class",), ("car",), ("restaurant",))
NAMED_ONLY = "*"

Words = tuple[str, ...]


class Family(NamedTuple):
    """The first stems of all forms, the forms of each member as stems, and the stems of words of which one has to be near.

    ``is_named``: the field itself has to be named.
    """

    firsts: frozenset[str]
    members: tuple[tuple[str, tuple[Words, ...]], ...]
    near: frozenset[str]
    is_named: bool


def _read() -> Iterator[Family]:
    lines = (get_data("attribution", "profiles/families.txt") or b"").decode().splitlines()
    for line in lines:
        if not line or line.startswith("#"):
            continue
        written, _, near = line.partition(";")
        members = [[form.strip() for form in member.split("/")] for member in written.split("|")]
        heads = near.split()
        yield Family(
            frozenset([stems_of(form)[0] for forms in members for form in forms]),
            tuple([(forms[0], tuple(map(stems_of, forms))) for forms in members]),
            frozenset([stem(each) for each in heads if each != NAMED_ONLY]),
            NAMED_ONLY in heads,
        )


def stems_of(text: str) -> Words:
    """The stems of the words of a value."""
    return tuple(map(stem, words_of(text)))


def _by_form(families: tuple[Family, ...]) -> Mapping[Words, tuple[Family, ...]]:
    table: dict[Words, tuple[Family, ...]] = {}
    for family in families:
        for _, forms in family.members:
            for form in forms:
                table[form] = (*table.get(form, ()), family)
    return table


FAMILIES_OF = _by_form(tuple(_read()))
"""The families that a form belongs to."""

MEMBER_STEMS = frozenset([form[0] for form in FAMILIES_OF])
"""The first stems of all forms: an answer without any states no member."""


@remembered
def families_of(value: str) -> tuple[Family, ...]:
    """The families of a value, if it is a member of any."""
    return FAMILIES_OF.get(form_of(value), ()) if len(value) <= _LONGEST else ()


@remembered
def form_of(value: str) -> Words:
    """The stems of a value; without a last word that says little: an ENT specialist, a dental clinic."""
    stems = stems_of(value)
    shorter = stems[:-1] if stems[-1:] in _LITTLE else stems
    return shorter if stems not in FAMILIES_OF and shorter in FAMILIES_OF else stems
