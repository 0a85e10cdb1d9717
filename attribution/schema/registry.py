"""The field-type registry: which sections there are, what type a field has, and how people name it. Data, not code."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from attribution.concepts import Concept, Concepts, Phrase, Stance, denied, single
from attribution.lexicon.words import NAMES_THAT_DENY, WEAK_TOPICS
from attribution.model import FieldType
from attribution.remembering import LONGEST_KEPT, remembered
from attribution.text import stem, words, words_of

_NOTHING: frozenset[str] = frozenset()
_WEAK_STEMS = frozenset(map(stem, WEAK_TOPICS))


class Wording(NamedTuple):
    """A phrase to be found by one of its words: its stems, and which of them that is; whether it says the opposite."""

    stems: list[str]
    offset: int
    is_opposite: bool = False


class Topic(NamedTuple):
    """Something that has to be spoken of: the stems that do it alone, among them those that deny it, and phrases by one of their words."""

    forms: frozenset[str]
    denied: frozenset[str]
    phrases: Mapping[str, tuple[Wording, ...]]
    keys: frozenset[str]


class Subject(NamedTuple):
    """The subject of a name: all ``topics`` in one sentence, with the ``stance``, or one of the ``complete`` phrases.

    ``keys`` are the stems of which an answer that speaks of it has one. ``is_negated``: the name itself says no, as ``no_annual_fee``.
    """

    topics: tuple[Topic, ...]
    complete: Mapping[str, tuple[Wording, ...]]
    keys: frozenset[str]
    stance: Stance
    is_negated: bool


_FREE = stem("free")
_AILMENTS = frozenset(map(stem, words("seizure seizures symptom symptoms pain fever infection cancer relapse tobacco nicotine alcohol")))
"""Words that make the name of a field that asks whether somebody is without them, where "free" stands behind."""
NO_SUBJECT = Subject((), {}, _NOTHING, Stance(), is_negated=False)


def subject_of(stems: Sequence[str], generic: Collection[str], concepts: Concepts) -> Subject:
    """The subject that the words of a name tell; none where all of them are general."""
    denying = [each for number, each in enumerate(stems) if each in NAMES_THAT_DENY or _is_free_of(number, stems)]
    parts = concepts.read([each for each in stems if each not in denying])
    content = [(phrase, concept) for phrase, concept in parts if len(phrase) > 1 or _tells_subject(phrase[0], generic, concepts)]
    if not content:
        return NO_SUBJECT
    telling = [part for part in content if not _is_slight(part[0], concepts)] or content
    about = [concept for _, concept in telling]
    topics = _topics(about)
    complete = _complete(about[0]) if len(about) == 1 else {}
    return Subject(
        topics=topics,
        complete=complete,
        keys=topics[0].keys.union(complete),
        stance=concepts.stances.get(_stance(stems, telling, concepts), Stance()),
        is_negated=len(denying) % 2 == 1,
    )


def _is_free_of(number: int, stems: Sequence[str]) -> bool:
    """Return True if a word says that the one before it is not there: ``seizure_free``."""
    return number > 0 and stems[number] == _FREE and stems[number - 1] in _AILMENTS


def _tells_subject(word: str, generic: Collection[str], concepts: Concepts) -> bool:
    return word not in generic or concepts.knows(word)


def _is_slight(phrase: Phrase, concepts: Concepts) -> bool:
    """Return True if a word of a name tells little beside others: a weak one, or one that only says allowed, accepted or required."""
    return len(phrase) == 1 and (phrase[0] in _WEAK_STEMS or bool(concepts.stance_of(phrase[0])))


def _topics(about: Iterable[Concept]) -> tuple[Topic, ...]:
    topics: list[Topic] = []
    for concept in about:
        topics += map(_topic, concept.together or [concept.words | concept.signs])
    return tuple(topics)


def _topic(spoken: frozenset[Phrase]) -> Topic:
    words = single(spoken)
    table = _by_key([(phrase, False) for phrase in spoken if len(phrase) > 1])
    denials = denied(words)
    return Topic(words | denials, denials, table, words.union(denials, table))


def _complete(concept: Concept) -> Mapping[str, tuple[Wording, ...]]:
    return _by_key([*((phrase, False) for phrase in concept.affirming), *((phrase, True) for phrase in concept.opposite)])


def _by_key(phrases: Iterable[tuple[Phrase, bool]]) -> dict[str, tuple[Wording, ...]]:
    """The phrases by their longest word, which is likely their rarest."""
    table: dict[str, tuple[Wording, ...]] = {}
    for phrase, is_opposite in sorted(phrases):
        offset = max(range(len(phrase)), key=lambda position: len(phrase[position]))
        table[phrase[offset]] = (*table.get(phrase[offset], ()), Wording(list(phrase), offset, is_opposite))
    return table


def _stance(stems: Sequence[str], telling: Sequence[tuple[Phrase, Concept]], concepts: Concepts) -> str:
    """Return the stance that has to be said of the subject, by the words of the name; a concept may know better."""
    told = next((stance for word in stems if (stance := concepts.stance_of(word)) and not _is_part(word, telling)), "")
    own = next((concept.stance for _, concept in telling if concept.stance), "")
    return "" if own == "none" else own or told if told else ""


def _is_part(word: str, telling: Sequence[tuple[Phrase, Concept]]) -> bool:
    return any(word in phrase for phrase, _ in telling)


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


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the context: its marker prefix, its title for people, the fields of its schema and words of its headings.

    ``provider_name`` is the last name, in small letters, of the field that names the provider who was suggested, if the section has one.
    """

    name: str
    prefix: str
    title: str
    fields: frozenset[str]
    heading_stems: frozenset[str]
    provider_name: str = ""


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

    def names_provider(self, section: str, leaf: str) -> bool:
        """Return True for a field that names the provider who was suggested."""
        known = self.by_name.get(section)
        return known is not None and known.provider_name != "" and known.provider_name == leaf.lower()


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
