"""Statements on yes-or-no fields that are not meant of the record: general, of a relative, offered, unsure, or somebody else's word."""

from __future__ import annotations

from typing import NamedTuple

from attribution.assertion import AssertionKind
from attribution.comparison.frames import is_general
from attribution.comparison.turn import Turn
from attribution.model import Span
from attribution.schema.target import OTHERS, Target
from attribution.schema.truth import state_told_by, yes_no_of
from attribution.text import spaced, words, words_of

_PERMITTED = words("ok okay allowed permitted consent permission allow allows may can")
"""Words of names that ask what one may do: there "may" leaves nothing open."""
_THEIRS = ("his", "her", "their", "my", "s")
_WHOSE = ("your", *_THEIRS)
_FAMILY = words("family familial fhx hereditary")
_OF_ONESELF = words("you i he she")
_KIN = OTHERS | words("families runs run side sides mom dad grandparents cousin cousins")
"""Words of a sentence by which something is told of relatives too."""
_ACQUAINTED = OTHERS | words("cousin mom dad neighbor neighbour friend roommate coworker colleague boss")
"""Words for those who may tell the user something that the record does not say."""
_SPEAKING = words("says said thinks thought claims claimed wrote writes swears believes heard insists told mentioned")
_HABITS = words("""
    smoker smokes smoking tobacco nicotine vapes vaping cigarette drinker drinks drinking alcohol substance drug drugs cannabis marijuana
    exercise exercises diet
""")
"""Words of the names of fields that tell what somebody does, and a relative may do instead."""
_OF_SOMEBODY = words("you your yours he his him she her hers they their them patient client resident child baby mom dad mother father i my")
_FORMERLY = "used to"
_MANY = words("many most some several few certain people patients adults women men children")
_OPENING = ("the", "there", "this", "that", "it")
_IN_GENERAL = words("""
    cause causes causing prevent prevents avoid lower lowers raise raises reduce reduces risk risks effect effects can may could might
    should watch stop call tell ask if when unless lead leads trigger triggers
""")
"""Words before a finding that is only spoken of."""
_CHANCES = words("risk chance chances odds likelihood danger signs screening screened testing tested test")
"""Before "of" and what somebody may have: "the risk of diabetes goes up"."""
_HAVING = ("had", "has")
_MAY, _MAY_BEFORE = words("can could may might"), 3
"""Words before a finding by which it only may be: "cats can make you trip"."""
_OFFERS = ("would you", "do you want", "shall ", "should i", "should we", "can i ", "can we", "could i ", "could we", "may i ", "may we")
_NOT_KNOWING = (
    "i haven",
    "i don't know",
    "i don’t know",
    "i'm not sure",
    "i’m not sure",
    "i can't tell",
    "i couldn't",
    "not sure",
    "we haven",
)
_LONGEST_OFFER = 40
"""The most characters of a sentence in which an offer begins, and in which its question mark stands: a sentence may have no end."""
_AT_A_TIME = words("once as until till after before when whenever")
"""First words of triggers by which something is told of a time at which something else is so."""


class Answered(NamedTuple):
    """A yes or a no, where it is said, whether the two ways of reading it disagree, and whether a word beside it answers or denies."""

    is_yes: bool
    span: Span
    is_doubted: bool = False
    is_denial: bool = False


def is_state(target: Target) -> bool:
    """Return True if a value is one of several states, as "lapsed" is: only phrases tell of them, not the name of their field."""
    said = target.field.value
    return isinstance(said, str) and yes_no_of(said.strip()) is None and state_told_by(target.field.leaf, said) is not None


def is_word_of_another(span: Span, turn: Turn) -> bool:
    """Return True if a sentence only passes on what somebody has said: "your daughter wrote that the vomiting has passed"."""
    places = turn.answer.places_in(turn.answer.sentence_at(span[0]))
    first = turn.answer.words[places.start : places.start + 3]
    return len(first) > len(("your", "daughter")) and first[0] in _WHOSE and first[1] in _ACQUAINTED and first[2] in _SPEAKING


def is_offered(span: Span, turn: Turn) -> bool:
    """Return True if a sentence offers to do something, which says that it is not done yet: "Shall we set up autopay?"."""
    start, end = turn.answer.sentence_at(span[0])
    begun = turn.answer.lowered[start : min(end, start + _LONGEST_OFFER)].lstrip()
    return begun.startswith(_OFFERS) and turn.answer.text[max(start, end - _LONGEST_OFFER) : end].rstrip().endswith("?")


def is_opposing(said: Answered, target: Target, turn: Turn) -> bool:
    """Return True if what says otherwise is meant of the record, known, and not only somebody else's word."""
    return not (_is_in_general(said, target, turn) or _is_unchecked(said, turn) or is_word_of_another(said.span, turn))


def is_unsure(span: Span, target: Target, turn: Turn) -> bool:
    """Return True if something only may be so, and is not merely permitted, or only used to be so, and the field asks for what is."""
    kind = turn.kind_for(span, target)
    if kind is AssertionKind.HISTORICAL and not (target.name.is_past or target.name.is_former):
        return turn.assertion(span).trigger_text.lower() == _FORMERLY
    return kind is AssertionKind.POSSIBLE and _PERMITTED.isdisjoint(target.name.words)


def _is_unchecked(said: Answered, turn: Turn) -> bool:
    """Return True if a question is answered with not knowing: "Is she in network? I haven't checked"."""
    end = turn.answer.sentence_at(said.span[0])[1]
    if not turn.answer.text[:end].rstrip().endswith("?"):
        return False
    behind = turn.answer.lowered[end : end + _LONGEST_OFFER].lstrip()
    return behind.startswith(_NOT_KNOWING)


def _is_in_general(said: Answered, target: Target, turn: Turn) -> bool:
    """Return True if what a text denies is spoken of, and not of the client: "Side effects include headache", ``headache: denies``."""
    sentence = turn.answer.sentence_at(said.span[0])
    place, last = turn.words_at(said.span)
    if said.is_yes and (is_general(place, turn) or is_general(last - 1, turn)):
        return True
    before = turn.answer.words[max(0, place - 2) : place]
    if said.is_yes and before[-1:] in (["of"], ["for"]) and before[0] in _CHANCES and _CHANCES.isdisjoint(target.name.words):
        return True
    if isinstance(target.field.value, bool) or not said.is_yes or is_state(target):
        return False
    if not _MAY.isdisjoint(turn.answer.words[max(0, place - _MAY_BEFORE) : place]):
        return True
    start = turn.answer.places_around(place, sentence).start
    told = turn.answer.words[start:last]
    is_of_somebody = not _OF_SOMEBODY.isdisjoint(told) or told[0] in _OPENING or turn.shows_section(sentence, target)
    return not is_of_somebody or not _IN_GENERAL.isdisjoint(turn.answer.words[start:place])


def is_yet_to_be(span: Span, turn: Turn) -> bool:
    """Return True if a sentence tells what holds when something will be so: "once your deductible is met"."""
    return not _AT_A_TIME.isdisjoint(turn.assertion(span).trigger_text.lower().split()[:1])


def is_of_a_relative(span: Span, target: Target, turn: Turn) -> bool:
    """Return True if something is said of somebody's relative, and the field is not about others: "his mother has diabetes"."""
    assertion = turn.assertion(span)
    if turn.kind_for(span, target) is not AssertionKind.OTHER_SUBJECT or assertion.trigger is None:
        return False
    before = turn.answer.place_at(assertion.trigger[0]) - 1
    return before >= 0 and turn.answer.words[before] in _THEIRS


def is_of_many(span: Span, kind: AssertionKind, turn: Turn) -> bool:
    """Return True if something is said of many, who need not be the user: "some people get headaches from it"."""
    said = turn.assertion(span).trigger_text.lower().split()
    return kind is AssertionKind.OTHER_SUBJECT and not _MANY.isdisjoint(said[:1])


def is_of_oneself(place: int, target: Target, turn: Turn) -> bool:
    """Return True if a field is of what the family has had, and a sentence tells it of the user: "you have high blood pressure"."""
    if _FAMILY.isdisjoint((*target.name.words, *words_of(spaced(target.field.section)))):
        return False
    places = turn.answer.places_around(place, turn.answer.sentence_at(turn.answer.starts[place]))
    return not _OF_ONESELF.isdisjoint(turn.answer.words[places.start : place]) and _KIN.isdisjoint(
        turn.answer.words[places.start : places.stop]
    )


def is_told_of_a_relative(first: int, target: Target, turn: Turn) -> bool:
    """Return True if somebody's relative has what is said or has the habit that the field is about: "her husband smokes"."""
    before = turn.answer.words[max(0, first - 2) : first]
    if target.is_of_others or (_HABITS.isdisjoint(target.name.words) and turn.answer.words[first] not in _HAVING):
        return False
    if len(before) <= 1 or before[0] not in _THEIRS or before[1] not in OTHERS:
        return False
    return not turn.answer.text[turn.answer.word_end(first - 1) : turn.answer.starts[first]].strip()
