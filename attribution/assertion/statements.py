"""Places where a yes-or-no subject is mentioned, the words that belong to it, and whether something is stated of it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from attribution.answer import Answer
from attribution.assertion.words import (
    ABOUT,
    ASKING,
    CHECKING,
    CONDITIONS,
    DISORDERS,
    FORWARD_DENIALS,
    HARD_DIVIDERS,
    NOUNS_TOO,
    OTHER_HEADS,
    POSSIBLE,
    REQUESTING,
    SEEKING_ASSENT,
    SOFT_DIVIDERS,
    SUBJECTS,
    VERBS,
    WANTING,
    YES_WORDS,
)
from attribution.figures import MOST_PLACES
from attribution.model import Span
from attribution.schema.registry import Subject, Topic, Wording

_FREE = "free"


class Mention(NamedTuple):
    """A place of an answer and its number of words. ``is_complete``: the phrase says by itself that it is so, or ``is_opposite``.

    ``is_denied``: the word has a denial in it, as "unfurnished" and "pet-free" have.
    """

    place: int
    length: int
    is_complete: bool = False
    is_opposite: bool = False
    is_denied: bool = False

    @property
    def stop(self) -> int:
        """The word behind it."""
        return self.place + self.length


def find_mentions(subject: Subject, answer: Answer) -> list[Mention]:
    """The mentions in their order; of two that overlap the longer."""
    found = [*_complete(subject.complete, answer), *_of_all_topics(subject.topics, answer)]
    return _apart(found) if len(found) > 1 else found


def _apart(found: Iterable[Mention]) -> list[Mention]:
    taken: set[int] = set()
    kept: list[Mention] = []
    for mention in sorted(found, key=lambda each: (-each.length, each.place))[:MOST_PLACES]:
        places = range(mention.place, mention.stop)
        if taken.isdisjoint(places):
            taken.update(places)
            kept.append(mention)
    return sorted(kept)


def _complete(phrases: Mapping[str, Sequence[Wording]], answer: Answer) -> list[Mention]:
    return [
        Mention(place, len(wording.stems), is_complete=True, is_opposite=wording.is_opposite)
        for place, wording in _phrases_in(answer, phrases)
    ]


def _of_all_topics(topics: Sequence[Topic], answer: Answer) -> list[Mention]:
    """The mentions of the topic that is spoken of least, in sentences that speak of all."""
    if any(answer.stems.keys().isdisjoint(topic.keys) for topic in topics):
        return []
    by_topic = [sorted(_of_topic(topic, answer))[:MOST_PLACES] for topic in topics]
    fewest = min(by_topic, key=len)
    others = [[each.place for each in mentions] for mentions in by_topic if mentions is not fewest]
    return [mention for mention in fewest if all(_is_near(mention, places, answer) for places in others)]


def _is_near(mention: Mention, places: Sequence[int], answer: Answer) -> bool:
    """Return True if one of the places is in the sentence of a mention."""
    around = answer.places_around(mention.place, answer.sentence_at(answer.starts[mention.place]))
    first = bisect_left(places, around.start)
    return first < len(places) and places[first] < around.stop


def _of_topic(topic: Topic, answer: Answer) -> Iterator[Mention]:
    for word in answer.stems.keys() & topic.forms:
        for place in answer.stems[word][:MOST_PLACES]:
            is_free = _is_free(place, answer)
            yield Mention(place, 2 if is_free else 1, is_denied=is_free or word in topic.denied)
    for place, wording in _phrases_in(answer, topic.phrases):
        yield Mention(place, len(wording.stems))


def _is_free(place: int, answer: Answer) -> bool:
    """Return True if "-free" follows a word, as in "pet-free"."""
    return answer.words[place + 1 : place + 2] == [_FREE] and answer.text[answer.starts[place + 1] - 1] == "-"


def _phrases_in(answer: Answer, phrases: Mapping[str, Sequence[Wording]]) -> Iterator[tuple[int, Wording]]:
    """Return where phrases stand, looked for around the word by which each is known."""
    stems, stem_words = answer.stems, answer.stem_words
    for word in stems.keys() & phrases.keys():
        for wording in phrases[word]:
            wanted, offset = wording.stems, wording.offset
            begins = [place - offset for place in stems[word][:MOST_PLACES] if place >= offset]
            yield from [(begin, wording) for begin in begins if stem_words[begin : begin + len(wanted)] == wanted]


_BEGINNING = 2
"""Behind "and" at most, a part of a sentence of its own begins with who does something, whatever its verb is."""


def scope_of(mention: Mention, answer: Answer) -> range:
    """The words around a mention up to what divides it from other things said.

    A part without a verb shares that of its neighbours: those before it in "no pool, parking or wifi", else those behind it in
    "smoking and pets are not allowed".
    """
    limits = _limits(mention, answer)
    start, stop = _left(mention.place, limits, answer), _right(mention.stop, limits, answer)
    is_noun = stop == mention.stop + 1 and answer.words[mention.stop] in NOUNS_TOO
    if _says_something(range(start, mention.stop if is_noun else stop), answer):
        return range(start, stop)
    first = start
    while first > limits.start and not _has_verb(range(first, start), answer):
        first = _left(first - 1, limits, answer)
    if _has_verb(range(first, start), answer):
        return range(first, stop)
    while stop < limits.stop and not _has_verb(range(mention.stop, stop), answer):
        stop = _right(stop + 1, limits, answer)
    return range(first, stop)


def _limits(mention: Mention, answer: Answer) -> range:
    """The words of the sentence near a mention that no hard divider keeps from it."""
    around = answer.places_around(mention.place, answer.sentence_at(answer.starts[mention.place]))
    start, stop = mention.place, mention.stop
    brackets = "()" if "(" in answer.text else ""
    while start > around.start and answer.words[start - 1] not in HARD_DIVIDERS and not _has_sign(brackets, start, answer):
        start -= 1
    while stop < around.stop and answer.words[stop] not in HARD_DIVIDERS and not _has_sign(brackets, stop, answer):
        stop += 1
    return range(start, stop)


def _has_sign(signs: str, place: int, answer: Answer) -> bool:
    """Return True if one of the signs stands between a word and the one before it."""
    return bool(signs) and place > 0 and any(sign in signs for sign in answer.text[answer.word_end(place - 1) : answer.starts[place]])


def _left(place: int, limits: range, answer: Answer) -> int:
    """The first word of the part in which ``place`` stands."""
    while place > limits.start and not _divides(place, answer):
        place -= 1
    return place


def _right(place: int, limits: range, answer: Answer) -> int:
    """The word behind the part in which the word before ``place`` stands."""
    while place < limits.stop and not _divides(place, answer):
        place += 1
    return min(place, limits.stop)


def _divides(place: int, answer: Answer) -> bool:
    """Return True if a part begins at a word."""
    return answer.words[place] in SOFT_DIVIDERS or place in answer.clause_starts


def _says_something(part: range, answer: Answer) -> bool:
    has_subject = any(answer.words[place] in SUBJECTS for place in part[:_BEGINNING])
    return has_subject or _has_verb(part, answer) or any(answer.words[place] in FORWARD_DENIALS for place in part)


def _has_verb(part: range, answer: Answer) -> bool:
    return any(answer.stem_words[place] in VERBS for place in part)


_NEAR = 3
_NOT_YET = frozenset(("not", "t", "no", "never", "nor", "until", "be"))
"""Words before "ruled out" by which it is not so, or not yet."""


def states(mention: Mention, scope: range, answer: Answer) -> bool:
    """Return True if what is said in ``scope`` is said to be so, or not to be so."""
    return not (
        _names_another_thing(mention, answer)
        or _is_open(mention, scope, answer)
        or _is_asked(mention, answer.sentence_at(answer.starts[mention.place]), answer)
    )


def _names_another_thing(mention: Mention, answer: Answer) -> bool:
    behind = mention.stop
    if behind >= len(answer.words) or answer.stem_words[behind] not in OTHER_HEADS or answer.words[behind - 1] in DISORDERS:
        return False
    return answer.starts[behind] - answer.word_end(behind - 1) == 1


def _is_open(mention: Mention, scope: range, answer: Answer) -> bool:
    """Return True if a condition, a wish, a possibility or a request to check leads to the mention."""
    clause = answer.places_around(mention.place, answer.clause_at(answer.starts[mention.place]))
    words = answer.words
    if any(words[place] in CONDITIONS for place in range(min(clause.start, scope.start), mention.place)):
        return True
    if any(words[place] in ABOUT for place in range(max(scope.start, mention.place - _NEAR), mention.place)):
        return True
    return any(words[place] in POSSIBLE or _is_not_excluded(place, scope, answer) for place in scope) or any(
        _wants(place, scope, answer) for place in range(scope.start, mention.place)
    )


def _is_not_excluded(place: int, scope: range, answer: Answer) -> bool:
    """Return True if something is not ruled out, which leaves it open."""
    words = answer.words
    if not words[place].startswith("rul") or words[place + 1 : place + 2] != ["out"]:
        return False
    return words[place] == "rule" or not _NOT_YET.isdisjoint(words[max(scope.start, place - _NEAR) : place])


def _wants(place: int, scope: range, answer: Answer) -> bool:
    word = answer.words[place]
    if word == "confirm":
        return place == scope.start or answer.words[place - 1] in REQUESTING
    if word == "let":
        return answer.words[place + 1] == "me"
    return word in CHECKING or word in WANTING


def _is_asked(mention: Mention, sentence: Span, answer: Answer) -> bool:
    """Return True if a question asks about the mention. "It has wifi, would you like it?" states it first."""
    if not answer.is_question(sentence):
        return False
    words = answer.places_around(mention.place, sentence)
    if not words or answer.words[words.start] in YES_WORDS or _has_instance(mention, words, answer):
        return False
    asking = [place for place in words if answer.words[place] in ASKING and _begins(place, words, answer)]
    later = [place for place in asking if place > mention.place]
    if not later or asking[0] < mention.place:
        return True
    return not SEEKING_ASSENT.isdisjoint(answer.words[later[0] : words.stop])


def _has_instance(mention: Mention, words: range, answer: Answer) -> bool:
    """Return True if a question names behind a mention what has it: "Do you want a therapist with evening hours, such as Dr. Ade?"."""
    for place in range(mention.stop, words.stop - 1):
        word, behind = answer.words[place], place + 1
        if (word == "like" or answer.words[place : place + 2] == ["such", "as"]) and behind < words.stop:
            named = behind + (word == "such")
            return named < words.stop and answer.text[answer.starts[named]].isupper()
    return False


def _begins(place: int, words: range, answer: Answer) -> bool:
    """Return True if a word begins a sentence, a clause or what "and" joins to it."""
    return place == words.start or place in answer.clause_starts or answer.words[place - 1] in SOFT_DIVIDERS
