"""The shapes of the lexicon's entries: words of the field as data, each with its source and examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Example:
    """An answer and a field's value, with the row that reading the one against the other gives: found, contradicted or none.

    ``beside`` are other fields of the record, by their paths.
    """

    answer: str
    field: str
    value: Any
    row: str
    beside: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a scale or class and all ways to say it, its own name first; ``within`` are wider values that it is one of."""

    value: str
    phrases: tuple[str, ...]
    within: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scale:
    """Values in ascending order. ``fields`` are the names, or words of names, of fields that it measures; none means any field."""

    name: str
    fields: tuple[str, ...]
    steps: tuple[Value, ...]
    examples: tuple[Example, ...]
    source: str


@dataclass(frozen=True, slots=True)
class ValueClass:
    """Values of one kind. Where ``exclusive``, a field has one of them, and saying another contradicts it."""

    name: str
    fields: tuple[str, ...]
    exclusive: bool
    values: tuple[Value, ...]
    examples: tuple[Example, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Label:
    """A name that people use for a field. ``kind`` is the kind of mention that it is said of, or empty."""

    fields: tuple[str, ...]
    phrases: tuple[str, ...]
    kind: str
    examples: tuple[Example, ...]
    source: str


@dataclass(frozen=True, slots=True)
class YesNo:
    """The phrases that say yes to a field of two values, and those that say no, without a negation around them."""

    fields: tuple[str, ...]
    yes: tuple[str, ...]
    no: tuple[str, ...]
    examples: tuple[Example, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Synonym:
    """Words that mean the same: clinical, everyday and abbreviated."""

    words: tuple[str, ...]
    examples: tuple[Example, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit and its forms. Where it is a multiple of another of its kind, ``factor`` of ``base`` make one of it."""

    unit: str
    forms: tuple[str, ...]
    kind: str
    base: str
    factor: float
    examples: tuple[Example, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Antonym:
    """Words of one direction and of the other."""

    name: str
    one: tuple[str, ...]
    other: tuple[str, ...]
    examples: tuple[Example, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Relative:
    """Phrases that hold a value's word and mean another thing: "pulmonary hypertension" is no hypertension."""

    name: str
    others: tuple[str, ...]
    examples: tuple[Example, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Frame:
    """Words that lead to a value of some classes: "lives in".

    ``subject`` is of whom they say it: client, provider,
    thing, whatever of the record its sentence shows beside it, nobody at the start of a sentence ("Take your lithium"), or none.
    """

    classes: tuple[str, ...]
    leads: tuple[str, ...]
    subject: str
    examples: tuple[Example, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Translation:
    """Words of other languages for English values, or for yes to some fields, by the short name of each language.

    Where ``beside``, the words count only in a sentence that names the field as well.
    """

    means: tuple[str, ...]
    fields: tuple[str, ...]
    phrases: tuple[str, ...]
    beside: bool
    examples: tuple[Example, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All entries, in the order of their files."""

    scales: tuple[Scale, ...]
    classes: tuple[ValueClass, ...]
    labels: tuple[Label, ...]
    yes_no: tuple[YesNo, ...]
    synonyms: tuple[Synonym, ...]
    units: tuple[Unit, ...]
    antonyms: tuple[Antonym, ...]
    relatives: tuple[Relative, ...]
    frames: tuple[Frame, ...]
    translations: tuple[Translation, ...]
