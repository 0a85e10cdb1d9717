"""The field-type registry: which sections there are, what type a field has, and how people name it. Data, not code."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from attribution.lexicon import NEGATING_PREFIXES, WEAK_TOPICS
from attribution.model import FieldType
from attribution.remembering import remembered
from attribution.text import stem, words_of

_CAMEL_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LONGEST_NAME_READ = 200
_TEXT_TYPES = {FieldType.SUMMARY, FieldType.NAME, FieldType.QUESTION, FieldType.IDENTIFIER, FieldType.MONEY, FieldType.ENUM}
_NUMBER_TYPES = {FieldType.MONEY, FieldType.IDENTIFIER}
_PERCENTAGE_WORDS = frozenset({"percent", "percentage", "pct", "rate"})
_NOTHING: frozenset[str] = frozenset()
_WEAK_STEMS = frozenset(map(stem, WEAK_TOPICS))


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the context: its marker prefix, its title for people, the fields of its schema and words of its headings."""

    name: str
    prefix: str
    title: str
    fields: frozenset[str]
    heading_stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class Topic:
    """A word that a field's name is about: the stems of all words that speak of it, and among them those that deny it."""

    forms: frozenset[str]
    denied: frozenset[str]


@dataclass(frozen=True, slots=True)
class LeafName:
    """What a field's own name tells: its type if it is registered, and the stems of words that people use for it.

    ``text_type``, ``number_type`` and ``list_type`` are the types of a text, a number and a list of this name; a text whose name
    says nothing is typed by its shape. ``topics`` are what the name is about, without its weak words where it has others.
    ``name_stems`` name the field: those words and their aliases. ``label_stems`` are any words that point to it.
    ``is_percentage``: its numbers are percents. ``enum_values``: what a field of this name may hold, where that is known.
    """

    text_type: FieldType | None
    number_type: FieldType
    list_type: FieldType
    topics: tuple[Topic, ...]
    name_stems: frozenset[str]
    label_stems: frozenset[str]
    is_percentage: bool
    enum_values: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Registry:
    """Names to types, labels and values. Instances are compared by identity; a profile holds one."""

    sections: tuple[Section, ...]
    types: Mapping[str, FieldType]
    type_suffixes: tuple[tuple[str, FieldType], ...]
    enum_values: Mapping[str, tuple[str, ...]]
    aliases: Mapping[str, frozenset[str]]
    hints: Mapping[str, frozenset[str]]
    generic_label_stems: frozenset[str]
    prefixes: tuple[str, ...] = field(init=False, repr=False)
    by_prefix: Mapping[str, Section] = field(init=False, repr=False)
    by_name: Mapping[str, Section] = field(init=False, repr=False)
    leaf_name: Callable[[str], LeafName] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Index the sections; ``leaf_name`` says what the name of a field tells."""
        object.__setattr__(self, "prefixes", tuple(section.prefix for section in self.sections))
        object.__setattr__(self, "by_prefix", {section.prefix: section for section in self.sections})
        object.__setattr__(self, "by_name", {section.name: section for section in self.sections})
        object.__setattr__(self, "leaf_name", remembered(lambda leaf: _describe(self, leaf[:_LONGEST_NAME_READ])))


def _describe(registry: Registry, leaf: str) -> LeafName:
    words = words_of(_CAMEL_HUMP.sub(" ", leaf))
    stems = [stem(word) for word in words]
    content = [each for each in stems if each not in registry.generic_label_stems or each in registry.aliases]
    named = {each: registry.aliases.get(each, _NOTHING) | {each} for each in content or stems}
    topics = {each: names | registry.hints.get(each, _NOTHING) for each, names in named.items()}
    known_as = "_".join(words)
    registered = _registered_type(registry, known_as)
    return LeafName(
        text_type=registered if registered in _TEXT_TYPES else None,
        number_type=registered if registered in _NUMBER_TYPES else FieldType.NUMERIC,
        list_type=FieldType.QUESTION if registered is FieldType.QUESTION else FieldType.LIST,
        topics=_topics(topics) if content else (),
        name_stems=_NOTHING.union(*named.values()) if content else _NOTHING,
        label_stems=_NOTHING.union(*topics.values()),
        is_percentage=not _PERCENTAGE_WORDS.isdisjoint(words),
        enum_values=registry.enum_values.get(known_as, ()),
    )


def _topics(named: Mapping[str, frozenset[str]]) -> tuple[Topic, ...]:
    telling = [words for each, words in named.items() if each not in _WEAK_STEMS] or list(named.values())
    denied = [frozenset(f"{prefix}{word}" for prefix in NEGATING_PREFIXES for word in words) for words in telling]
    return tuple([Topic(words | denials, denials) for words, denials in zip(telling, denied, strict=True)])


def _registered_type(registry: Registry, known_as: str) -> FieldType | None:
    if known_as in registry.types:
        return registry.types[known_as]
    return next((kind for suffix, kind in registry.type_suffixes if known_as.endswith(suffix)), None)
