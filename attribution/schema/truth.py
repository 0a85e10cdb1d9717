"""Yes or no as systems store it: true and false, "Y" and "N", and for fields of yes or no their states: "enrolled", "not issued"."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from attribution.lexicon import load_lexicon
from attribution.lexicon.words import NO, VALUES_THAT_SAY_NO, VALUES_THAT_SAY_YES, YES
from attribution.model import Field
from attribution.schema.names import name_of
from attribution.schema.terms import covers, shipped_terms, stems_of
from attribution.text import words, words_of

_DENIED = frozenset({"not", "no", "non"})
_STATES = words("""
    accepted allowed authorized available complete completed done eligible enabled enrolled granted included issued met needed
    offered ok okay on permitted provided qualified received required signed welcome
""")
_REFUSALS = words("""
    closed declined denied disabled ineligible incomplete none off prohibited refused revoked unavailable unmet unsigned withdrawn
""")
_MORE_STATES = words("accepting active approved completed confirmed current effective open paid participating valid")
_MORE_REFUSALS = words("cancelled canceled expired full inactive lapsed overdue rejected suspended terminated unpaid unverified waitlisted")
"""States of a closed set that say yes or no to what their field is named after."""
_NETWORKS = {("in", "network"): True, ("out", "of", "network"): False}
_ADDED = {("opted", "in"): True, ("opted", "out"): False, ("on", "file"): True, ("set", "up"): True, ("signed", "up"): True}
_LONGEST = 24


def truth_of(field: Field) -> bool:
    """Return what a field of yes or no says."""
    return field.value if isinstance(field.value, bool) else bool(told_by(field.leaf, field.value))


def yes_no_of(text: str) -> bool | None:
    """Return True if a value is a word for having what its field is named after ("has"), False if one for not ("denies"), or None."""
    said = text.lower().replace("_", " ")
    return True if said in VALUES_THAT_SAY_YES else False if said in VALUES_THAT_SAY_NO else None


def told_by(leaf: str, value: Any) -> bool | None:
    """Return what a text says as the value of a field of yes or no; nothing where it is no yes or no, or the field holds other values."""
    return _told_by(leaf, value) if isinstance(value, str) and 0 < len(value) <= _LONGEST else None


@lru_cache(maxsize=8_192)
def _told_by(leaf: str, text: str) -> bool | None:
    said = tuple(words_of(text.replace("_", " ")))
    if not said or _is_of_a_class(leaf, text):
        return None
    if len(said) == 1 and said[0] in YES | NO:
        return said[0] in YES
    return _state(said) if is_known_flag(leaf) else None


def is_known_flag(leaf: str) -> bool:
    """Return True if the whole of a name is one of the lexicon's for fields of yes or no."""
    parts = [entry for _, entry in covers(name_of(leaf).stems, shipped_terms().yes_no)]
    return len(parts) == 1 and parts[0] is not None


def state_told_by(leaf: str, text: str) -> bool | None:
    """Return what one of several states says of a field of yes or no, as "lapsed" does of a membership that may be pending as well."""
    return _state_told_by(leaf, text) if 0 < len(text) <= _LONGEST else None


@lru_cache(maxsize=8_192)
def _state_told_by(leaf: str, text: str) -> bool | None:
    said = tuple(words_of(text.replace("_", " ")))
    if not said or not is_known_flag(leaf):
        return None
    if len(said) == 1 and said[0] in _MORE_STATES | _MORE_REFUSALS:
        return said[0] in _MORE_STATES
    return _NETWORKS[said] if said in _NETWORKS else _state(said)


def _state(said: tuple[str, ...]) -> bool | None:
    """Return what a state says by itself: "enrolled" is a yes, "not enrolled" and "off" a no."""
    if said[0] in _DENIED and len(said) > 1:
        told = _state(said[1:])
        return None if told is None else not told
    if said in _ADDED:
        return _ADDED[said]
    if len(said) > 1:
        return None
    return True if said[0] in _STATES else False if said[0] in _REFUSALS else None


def _is_of_a_class(leaf: str, text: str) -> bool:
    """Return True if the field is one of those of a class of values that has this one."""
    terms, stems = shipped_terms(), name_of(leaf).stems
    found = terms.values.get(stems_of(text.replace("_", " ")), ())
    return any(stems in _fields_of(terms.classes[entry].name) for entry, _ in found)


@cache
def _fields_of(name: str) -> frozenset[tuple[str, ...]]:
    """The names of the fields of a class or scale."""
    lexicon = load_lexicon()
    named = [each.fields for each in lexicon.scales if each.name == name] + [each.fields for each in lexicon.classes if each.name == name]
    return frozenset(name_of(field).stems for fields in named for field in fields)
