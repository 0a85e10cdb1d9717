"""The field-type registry: which sections there are, what type a field has, and how people name it. Data, not code."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from attribution.concepts import Concepts, Phrase
from attribution.model import FieldType
from attribution.remembering import LONGEST_KEPT, remembered
from attribution.subjects import Subject, subject_of
from attribution.text import stem, words_of

_CAMEL_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LONGEST_NAME_READ = 200
_MOST_LONG_NAMES = 16
"""A long name is asked for many times while its field is compared, and takes a lot of room: few are kept."""
_TEXT_TYPES = {
    FieldType.SUMMARY,
    FieldType.NAME,
    FieldType.QUESTION,
    FieldType.IDENTIFIER,
    FieldType.MONEY,
    FieldType.ENUM,
    FieldType.FIELD_VALUE,
}
_NUMBER_TYPES = {FieldType.MONEY, FieldType.IDENTIFIER}
_PERCENTAGE_WORDS = frozenset({"percent", "percentage", "pct", "rate"})
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the context: its marker prefix, its title for people, the fields of its schema and words of its headings."""

    name: str
    prefix: str
    title: str
    fields: frozenset[str]
    heading_stems: frozenset[str]


class Spoken(NamedTuple):
    """How people speak of a field: the name by which its own is read, its unit included, and other names."""

    name: str
    synonyms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeafName:
    """The facts that a field's own name tells: its type if it is registered, and the stems of words that people use for it.

    ``text_type``, ``number_type`` and ``list_type`` are the types of a text, a number and a list of this name; a text whose name
    says nothing is typed by its shape. ``subject`` is what the name is about, if it is that of a yes-or-no field.
    ``name_stems`` name the field: its own words and those of the same concept. ``label_stems`` are any words that point to it.
    ``is_percentage``: its numbers are percents. ``enum_values``: what a field of this name may hold, where that is known.
    """

    text_type: FieldType | None
    number_type: FieldType
    list_type: FieldType
    subject: Subject
    name_stems: frozenset[str]
    label_stems: frozenset[str]
    is_percentage: bool
    enum_values: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Registry:
    """Names to types, labels and values. Instances are compared by identity; a profile holds one.

    ``value_phrases`` are other ways to say a value, as their words: ``in_person`` is "face to face". A closed registry knows all fields:
    what it does not name cannot be cited. ``spoken`` says how people speak of fields whose own names do not tell.
    """

    sections: tuple[Section, ...]
    types: Mapping[str, FieldType]
    type_suffixes: tuple[tuple[str, FieldType], ...]
    enum_values: Mapping[str, tuple[str, ...]]
    value_phrases: Mapping[str, tuple[tuple[str, ...], ...]]
    concepts: Concepts
    generic_label_stems: frozenset[str]
    is_closed: bool = False
    spoken: Mapping[str, Spoken] = field(default_factory=dict)
    prefixes: tuple[str, ...] = field(init=False, repr=False)
    by_prefix: Mapping[str, Section] = field(init=False, repr=False)
    by_name: Mapping[str, Section] = field(init=False, repr=False)
    leaf_name: Callable[[str], LeafName] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Index the sections; ``leaf_name`` says what the name of a field tells."""
        object.__setattr__(self, "prefixes", tuple(section.prefix for section in self.sections))
        object.__setattr__(self, "by_prefix", {section.prefix: section for section in self.sections})
        object.__setattr__(self, "by_name", {section.name: section for section in self.sections})
        long = remembered(lambda leaf: _describe(self, leaf), most=_MOST_LONG_NAMES, longest=_LONGEST_NAME_READ)
        object.__setattr__(
            self,
            "leaf_name",
            remembered(lambda leaf: _describe(self, leaf) if len(leaf) <= LONGEST_KEPT else long(leaf[:_LONGEST_NAME_READ])),
        )


def _describe(registry: Registry, leaf: str) -> LeafName:
    spoken = registry.spoken.get(leaf)
    words = words_of(_CAMEL_HUMP.sub(" ", spoken.name if spoken else leaf))
    stems = [stem(word) for word in words]
    parts = registry.concepts.read(stems)
    content = [part for part in parts if _tells(part[0], registry)]
    own = _NOTHING.union(*[phrase for phrase, _ in content or parts])
    names = own.union(*[concept.names for _, concept in content])
    if spoken and spoken.synonyms:
        others = [stem(word) for each in spoken.synonyms for word in words_of(each)]
        names |= {each for each in others if each not in registry.generic_label_stems}
    known_as = "_".join(words_of(_CAMEL_HUMP.sub(" ", leaf))) or leaf.lower()
    registered = _registered_type(registry, known_as)
    return LeafName(
        text_type=registered if registered in _TEXT_TYPES else None,
        number_type=registered if registered in _NUMBER_TYPES else FieldType.NUMERIC,
        list_type=FieldType.QUESTION if registered is FieldType.QUESTION else FieldType.LIST,
        subject=subject_of(stems, registry.generic_label_stems, registry.concepts),
        name_stems=names if content or spoken else _NOTHING,
        label_stems=names.union(*[concept.labels for _, concept in content]),
        is_percentage=not _PERCENTAGE_WORDS.isdisjoint(words),
        enum_values=registry.enum_values.get(known_as, ()),
    )


def _tells(phrase: Phrase, registry: Registry) -> bool:
    """Return True if a phrase of a name tells one field from another."""
    return len(phrase) > 1 or phrase[0] not in registry.generic_label_stems or registry.concepts.knows(phrase[0])


def _registered_type(registry: Registry, known_as: str) -> FieldType | None:
    if known_as in registry.types:
        return registry.types[known_as]
    return next((kind for suffix, kind in registry.type_suffixes if known_as.endswith(suffix)), None)
