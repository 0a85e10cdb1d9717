"""The yes or no that a value says of what its field's name is about: a count of none, "denies", a temperature that is a fever."""

from __future__ import annotations

from fractions import Fraction

from attribution.schema.names import Name, name_of
from attribution.schema.target import Target
from attribution.schema.terms import shipped_terms
from attribution.schema.truth import finding
from attribution.text import words

_TEMPERATURES = words("temp temperature")
_LEAST_BODY, _MOST_C, _FEVER_C, _FEVER_F = 33, 45, 38, Fraction(1004, 10)
"""Degrees of the body: the least that are any, the most of Celsius, and those from which on there is a fever."""
_OF_USE, _NEVER = "frequency_of_use", "never"


def answer_of(target: Target) -> tuple[Name, bool | None]:
    """Return the yes or no that a value says, if it says one, and the name that asks for it."""
    name = target.name
    if target.kind == "value":
        return name, _of_text(target)
    if name.is_count and name.yes_no is not None:
        return name, bool(target.values[0])
    if not _TEMPERATURES.isdisjoint(name.words) and "room" not in name.words and target.values[0] > _LEAST_BODY:
        is_fever = target.values[0] >= (_FEVER_C if target.values[0] < _MOST_C else _FEVER_F)
        return name._replace(yes_no=name_of("fever").yes_no), is_fever
    return name, None


def _of_text(target: Target) -> bool | None:
    """Return the yes or no of a text that says only that, as "denies", or how often something is used."""
    said = finding(str(target.field.value).strip())
    if said is not None or target.name.yes_no is None:
        return said
    classes = shipped_terms().classes
    use = [classes[entry].values[step] for entry, step in target.classes if classes[entry].name == _OF_USE]
    return use[0] != _NEVER if use else None
