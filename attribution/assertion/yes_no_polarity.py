"""The polarity of what a text says of a yes-or-no field: affirmed or denied, and by which word.

For all other fields ``reading.py`` decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import NamedTuple

from attribution.answer import Answer
from attribution.assertion.statements import Mention
from attribution.assertion.words import (
    ADVERBS,
    AFTER_OVER,
    ANSWERING,
    BEFORE_OVER,
    CLOSING_AT,
    DENYING_AFTER_ALL,
    ENDING,
    FORWARD_DENIALS,
    FREEING,
    HARMLESS,
    KNOWING,
    NAMING,
    OVER,
    OVER_PAIRS,
    PREPOSITIONS,
    PRONOUNS,
    QUANTIFIED_DENIALS,
    REFUSING,
    REVERSING,
    REVERSING_BEFORE,
    REVERSING_PAIRS,
    SUBJECTS,
    VERBAL_DENIALS,
    VERBS,
)
from attribution.lexicon.words import CONTRACTED_BEFORE_NOT
from attribution.schema.registry import Subject
from attribution.text import stem

_REACH = 5
_CLOSING = stem("close")


class Reach(Enum):
    """The effect of a negation on a mention. A thing denied to cost or to trouble anything is taken to be so: "no charge for pets"."""

    DENIES = 1
    PASSES_BY = 2
    LEAVES_OPEN = 3
    CONCEDES = 4


class Polarity(NamedTuple):
    """``denial`` is the word that denies. ``is_settled``: it needs no more to be said, as in "no pets" and "no charge for pets"."""

    is_affirmed: bool
    denial: str = ""
    is_settled: bool = False


def polarity_of(mention: Mention, scope: range, subject: Subject, answer: Answer) -> Polarity | None:
    """Affirmed or denied; nothing where a negation leaves it open, as "not sure" does."""
    own = {form for topic in subject.topics for form in topic.forms}
    reached = [
        (Reach.DENIES if _denies_own(place, mention, own, answer) else _reach(place, mention, scope, answer), place)
        for place in _negations(mention, scope, answer)
        if not _is_of_another(place, mention, own, answer)
    ]
    if any(reach is Reach.LEAVES_OPEN for reach, _ in reached):
        return None
    denials = [place for reach, place in reached if reach is Reach.DENIES]
    reversal = _reversal(mention, scope, subject, answer)
    is_denied = bool(denials) != bool(reversal)
    word = answer.words[denials[0]] if denials else reversal
    is_direct = mention.is_denied or any(answer.words[place] in FORWARD_DENIALS for place in denials)
    is_settled = is_direct or any(reach is Reach.CONCEDES for reach, _ in reached)
    return Polarity(is_denied if mention.is_opposite else not is_denied, word if is_denied else "", is_settled)


def _denies_own(place: int, mention: Mention, own: AbstractSet[str], answer: Answer) -> bool:
    """Return True if what a negation behind a mention denies is a word of the name: "the form hasn't been signed" of ``form_signed``."""
    behind = place + 1 + (answer.words[place + 1 : place + 2] == ["been"])
    return place >= mention.stop and is_verbal(place, answer) and not own.isdisjoint(answer.stem_words[behind : behind + 1])


def _is_of_another(place: int, mention: Mention, own: AbstractSet[str], answer: Answer) -> bool:
    """Return True if a later clause that ends in a denied verb is of something else: "the form came back signed; the release didn't"."""
    around = answer.places_around(mention.place, answer.sentence_at(answer.starts[mention.place]))
    if place + 1 < around.stop and place + 1 not in answer.clause_starts:
        return False
    start = place
    while start > mention.stop and start not in answer.clause_starts:
        start -= 1
    subject = range(start, place - 1)
    if start <= mention.stop or not subject or answer.words[place - 2] in SUBJECTS:
        return False
    return own.isdisjoint(answer.stem_words[subject.start : subject.stop])


def _negations(mention: Mention, scope: range, answer: Answer) -> list[int]:
    outside = [*range(scope.start, mention.place), *range(mention.stop, scope.stop)]
    denials = [place for place in outside if answer.words[place] in FORWARD_DENIALS or is_verbal(place, answer)]
    return [place for place in denials if not (answer.words[place] in NAMING and _begins_name(place, answer))]


def _begins_name(place: int, answer: Answer) -> bool:
    """Return True if a word and the one behind it have capitals."""
    both = answer.starts[place : place + 2]
    return len(both) > 1 and all(answer.text[start].isupper() for start in both)


def is_verbal(place: int, answer: Answer) -> bool:
    """Return True if a word denies a verb: "not", or the "t" of "don't"."""
    word = answer.words[place]
    return word in VERBAL_DENIALS or (word == "t" and place > 0 and answer.words[place - 1] in CONTRACTED_BEFORE_NOT)


def _reach(place: int, mention: Mention, scope: range, answer: Answer) -> Reach:
    word = answer.words[place]
    if word == "no" and answer.words[place + 1 : place + 2] == ["longer"]:
        return _of_verbal(place + 1, mention, scope, answer)
    if word in FORWARD_DENIALS:
        return _of_forward(place, mention, answer)
    return _of_verbal(place, mention, scope, answer)


def _of_verbal(place: int, mention: Mention, scope: range, answer: Answer) -> Reach:
    """Return how far the negation of a verb reaches: the next word that says something tells."""
    following = [each for each in range(place + 1, min(scope.stop, place + 1 + _REACH)) if answer.words[each] not in ADVERBS]
    if place < mention.place:
        return _before(place, following, mention, answer)
    if not following or answer.stem_words[following[0]] in ANSWERING | REVERSING or _ends_it(following[0], scope.stop, answer):
        return Reach.DENIES
    return Reach.LEAVES_OPEN


def _before(place: int, following: Sequence[int], mention: Mention, answer: Answer) -> Reach:
    if answer.words[place] in QUANTIFIED_DENIALS:
        return Reach.DENIES
    target = answer.stem_words[following[0]] if following else ""
    if target in FREEING and DENYING_AFTER_ALL.isdisjoint(answer.words[place + 1 : place + 4]):
        return Reach.PASSES_BY
    if following and following[0] < mention.place:
        return _through(target, place, mention, answer)
    return Reach.DENIES


def _through(target: str, place: int, mention: Mention, answer: Answer) -> Reach:
    """Return how far a negation reaches that has other words between it and the mention."""
    if target in KNOWING or any(_ends_loosely(each, mention, answer) for each in range(place + 1, mention.place)):
        return Reach.LEAVES_OPEN
    return Reach.CONCEDES if target in HARMLESS or _is_of_something_harmless(place, mention, answer) else Reach.DENIES


def _is_of_something_harmless(place: int, mention: Mention, answer: Answer) -> bool:
    """Return True if something harmless and a preposition lead to the mention: "no extra charge for pets"."""
    between = range(place + 1, mention.place)
    last = max((each for each in between if answer.words[each] in PREPOSITIONS), default=place)
    return any(answer.stem_words[each] in HARMLESS for each in range(place + 1, last))


def _of_forward(place: int, mention: Mention, answer: Answer) -> Reach:
    """Return how far "no" or "without" reaches: it denies what is named behind it, or the verb before it, as in "takes no clients"."""
    if place > mention.place:
        is_object = place == mention.stop and answer.stem_words[mention.place] in VERBS
        return Reach.DENIES if is_object else Reach.PASSES_BY
    between = range(place + 1, mention.place)
    if answer.words[place] == "non" and between:
        return Reach.PASSES_BY
    if between and answer.words[between[0]] in PRONOUNS:
        return Reach.PASSES_BY
    if between and (answer.stem_words[between[0]] in HARMLESS or _is_of_something_harmless(place, mention, answer)):
        return Reach.CONCEDES
    if any(answer.stem_words[each] in KNOWING for each in between):
        return Reach.LEAVES_OPEN
    return Reach.DENIES if len(between) <= _REACH else Reach.PASSES_BY


def _reversal(mention: Mention, scope: range, subject: Subject, answer: Answer) -> str:
    """The word that denies without a negation: the mention itself, "prohibited", "stopped" before another verb."""
    if mention.is_denied:
        return " ".join(answer.words[mention.place : mention.stop])
    reversing = subject.stance.reversing
    for place in (*range(scope.start, mention.place), *range(mention.stop, scope.stop)):
        word = answer.stem_words[place]
        is_said = word in REVERSING or (word in reversing and not _tells_when(place, answer))
        if is_said or (place < mention.place and _reverses_ahead(place, mention, answer)):
            reversal: str = answer.words[place]
            return reversal
        if tuple(answer.words[place : place + 2]) in REVERSING_PAIRS:
            return " ".join(answer.words[place : place + 2])
    return _over(mention, scope, {form for topic in subject.topics for form in topic.forms}, answer)


def _over(mention: Mention, scope: range, own: AbstractSet[str], answer: Answer) -> str:
    """Return the verb behind a mention by which it is there no more: "the fever broke", "her headaches are gone".

    A field that asks for the verb, as ``symptoms_resolved`` does, is affirmed by it. ``own`` are the words of its name.
    """
    place = mention.stop
    while place < scope.stop and (answer.words[place] in BEFORE_OVER or answer.words[place] in CONTRACTED_BEFORE_NOT):
        place += 1
    if place >= scope.stop or answer.stem_words[place] in own or not _ends_it(place, scope.stop, answer):
        return ""
    found: str = answer.words[place]
    return found


def _ends_it(place: int, stop: int, answer: Answer) -> bool:
    """Return True if a word is a verb without an object by which its subject is there no more."""
    if tuple(answer.words[place : place + 2]) in OVER_PAIRS:
        return True
    behind = place + 1
    ends = behind >= stop or behind in answer.clause_starts or answer.words[behind] in AFTER_OVER
    return answer.words[place] in OVER and ends


def _tells_when(place: int, answer: Answer) -> bool:
    """Return True if "closes at 6" only tells until when something is open."""
    return answer.stem_words[place] == _CLOSING and not CLOSING_AT.isdisjoint(answer.words[place + 1 : place + 2])


def _reverses_ahead(place: int, mention: Mention, answer: Answer) -> bool:
    word = answer.stem_words[place]
    return word in REVERSING_BEFORE or (word in ENDING and _ends(place, mention, answer))


def _ends(place: int, mention: Mention, answer: Answer) -> bool:
    """Return True if a verb that ends something has its object at once: "stopped taking", "refuses to see", "refuses pets"."""
    following = answer.words[place + 1]
    return place + 1 == mention.place or following.endswith("ing") or (following == "to" and answer.stem_words[place] in REFUSING)


def _ends_loosely(place: int, mention: Mention, answer: Answer) -> bool:
    return answer.stem_words[place] in ENDING and not _ends(place, mention, answer)
