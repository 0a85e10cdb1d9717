"""Find the subject of a yes-or-no field by its name: the words that speak of it, those that deny it, and what has to be said of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from attribution.concepts import Concept, Concepts, Phrase, Stance, denied, single
from attribution.lexicon.words import NAMES_THAT_DENY, WEAK_TOPICS
from attribution.text import stem

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


NO_SUBJECT = Subject((), {}, _NOTHING, Stance(), is_negated=False)


def subject_of(stems: Sequence[str], generic: Collection[str], concepts: Concepts) -> Subject:
    """The subject that the words of a name tell; none where all of them are general."""
    parts = concepts.read([each for each in stems if each not in NAMES_THAT_DENY])
    content = [(phrase, concept) for phrase, concept in parts if len(phrase) > 1 or _tells(phrase[0], generic, concepts)]
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
        is_negated=sum(each in NAMES_THAT_DENY for each in stems) % 2 == 1,
    )


def _tells(word: str, generic: Collection[str], concepts: Concepts) -> bool:
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
