"""The standing of each place at which a field's value is seen: it is evidence, is denied, or asserts nothing."""

from __future__ import annotations

from typing import NamedTuple

from attribution.assertion import Assertion, AssertionKind
from attribution.comparison.figures import is_of_other_unit
from attribution.comparison.ownership import is_owned_by_another
from attribution.comparison.turn import DENIED, NAMED, NEEDED, OPEN, Turn
from attribution.lexicon.words import SEARCHED
from attribution.mentions.figures import COUNTABLE
from attribution.mentions.mention import MentionKind
from attribution.mentions.names import find_names
from attribution.model import FieldType, Span, contains
from attribution.reading import FIGURES
from attribution.schema.target import ASKING, LINES, Target
from attribution.schema.terms import shipped_terms
from attribution.text import spaced, stems, words, words_of

_REPLACED_WITHIN = 160
_LOOKED_FOR = 3
_FOUND_WITHIN = 10
_FINDING = words("find found see showing show seeing have any locate list")
_US = words("i we")
"""Whoever looks for something: "I have nothing in the west"."""
_ONE_SEARCHED = frozenset(word.removesuffix("s") for word in SEARCHED)
_TO_AVOID = words("allergens allergen allergies allergy intolerances intolerance sensitivities triggers trigger avoid")
_AVOIDING = ("leave out", "avoid", "skip", "stay away", "keep away", "stay clear", "steer clear", "cut out", "do without", "leave off")
"""Words of names whose values are to be avoided, and denials that tell to do that."""
_DIALLING = (["call"], ["dial"], ["text"], ["phone"], ["calling"], ["dialing"], ["texting"])
_CALLED = words("number call text contact extension code")
_ALLERGIES = words("allergens allergen allergies allergy allergic alergia alergias")
_TOLERATED_WITHIN, _TOLERATING = 3, words("tolerates tolerated tolerate tolerating")
_NOT = words("not t never no cannot poorly badly")
_ENDED = words("discontinued stopped ended former past previous prior")
_GOING_ON_WITHIN, _GOING_ON = 4, words("still currently continue continues continuing keep keeps")
_USING = words("take takes taking on use uses using to with")
_AT_NO_TIME = words("never nunca history")
_INSURER = "insurer"
_OF_THE_INSURED = ASKING | words("coverage insurance benefits eligibility plan policy enrollment subscriber insured demographics")
"""Sections of whom a plan covers."""
_DEALING = stems("take accept bill network contract panel participate credential work")
"""Stems of words for what a provider does with a plan, or does not."""
_DEALT_WITHIN = 5
_YOURS = ("your", "su")
"""Words before a plan that say whose it is, whatever is denied of it."""


class Standing(NamedTuple):
    """The places at which a value is seen: those that are evidence, those that are denied, and those that assert nothing."""

    kept: list[Span]
    denied: list[Span]
    aside: list[Span]


_UNSEEN = Standing([], [], [])
"""The standing of a value that is seen nowhere; nobody changes it."""


def standing_of(target: Target, turn: Turn) -> Standing:
    """Return what becomes of the places at which a field's value is seen."""
    evidence = turn.given[target.row].evidence
    if evidence is None:
        return _UNSEEN
    standing = Standing([], [], [])
    is_figure = target.kind in FIGURES
    for span in evidence.spans:
        place, last = turn.words_at(span)
        if target.entity and target.field.type is not FieldType.NAME and turn.reading.is_stray(place, last, target):
            continue
        if is_owned_by_another(place, last, target, turn) or _is_end_of_range(place, last, target, turn):
            continue
        if _is_measured(place, last, target, turn) or _is_dialled(place, target, turn) or turn.is_in_compound(place, last, target):
            continue
        if turn.is_part_of_other(place, last, target) or turn.reading.is_in_relative(place, last):
            continue
        stands = _stands(turn.assertion(span, is_figure=is_figure), span, target, turn)
        (standing.aside if stands is None else standing.kept if stands else standing.denied).append(span)
    return standing


def _stands(assertion: Assertion, span: Span, target: Target, turn: Turn) -> bool | None:
    """Return whether a place is evidence; no where it is denied, nothing where it asserts nothing.

    Names and figures keep their sense in questions and conditions: what is asked or supposed there is something about them.
    """
    kind = turn.of_whom(assertion, target)
    if kind is AssertionKind.AFFIRMED or kind is AssertionKind.POSSIBLE:
        return not (_is_tolerated(span, target, turn) or _goes_on(span, target, turn))
    is_name = _is_proper(span, target, turn)
    if kind is AssertionKind.CORRECTED and target.field.type is FieldType.NAME:
        return not _is_replaced(span, turn)
    if kind in DENIED:
        return _stands_denied(assertion, span, target, turn)
    is_telling = target.kind in FIGURES and (target.kind != "number" or not LINES.isdisjoint(target.name.words))
    if kind in OPEN and (is_name or is_telling or (_is_proposal(assertion, span) and not _is_common(span, target, turn))):
        return True
    is_figure = target.kind in FIGURES and (target.name.is_past or not _is_outdated(span, turn))
    return True if kind is AssertionKind.HISTORICAL and (is_name or is_figure) else None


def _stands_denied(assertion: Assertion, span: Span, target: Target, turn: Turn) -> bool | None:
    """Return whether a denied place is evidence after all, as of a field that says what to avoid; nothing where it asserts nothing."""
    if is_their_plan(span, target, turn):
        return _is_yours(span, turn) or None
    if is_of_no_need(span, turn) or _is_pointed_at(span, target, turn):
        return None
    is_avoided = not _TO_AVOID.isdisjoint(target.name.words) and assertion.trigger_text.lower().startswith(_AVOIDING)
    is_of_old = target.name.is_negative and not (target.name.is_former and _is_of_all_times(assertion))
    is_name = _is_proper(span, target, turn) and not _is_beside(assertion, span, turn)
    return is_avoided or (turn.of_whom(assertion, target) is AssertionKind.NEGATED and (is_of_old or is_name))


def _is_tolerated(span: Span, target: Target, turn: Turn) -> bool:
    """Return True if somebody is said to bear well what the record has as an allergy: "she tolerates penicillin"."""
    if not is_of_allergies(target) or target.name.is_negative:
        return False
    place, last = turn.words_at(span)
    said = turn.answer.words
    before, behind = said[max(0, place - _TOLERATED_WITHIN) : place], said[last : last + _TOLERATED_WITHIN]
    return not _TOLERATING.isdisjoint((*before, *behind)) and _NOT.isdisjoint((*before, *behind))


def _goes_on(span: Span, target: Target, turn: Turn) -> bool:
    """Return True if what the record has as ended is said to go on: "still taking" of a discontinued medicine."""
    place = turn.words_at(span)[0]
    before = turn.answer.words[max(0, place - _GOING_ON_WITHIN) : place]
    is_ended = not _ENDED.isdisjoint(target.name.words)
    return is_ended and not (_GOING_ON.isdisjoint(before) or _USING.isdisjoint(before)) and (_NOT | {"off"}).isdisjoint(before)


def is_of_allergies(target: Target) -> bool:
    """Return True if a field's name or its section is about allergies."""
    return not _ALLERGIES.isdisjoint((*target.name.words, *words_of(spaced(target.field.section))))


def _is_outdated(span: Span, turn: Turn) -> bool:
    """Return True if a figure is what something was, and the sentence says what it has come to."""
    return any(contains(old, span) for old in turn.reading.outdated)


def is_of_no_need(span: Span, turn: Turn) -> bool:
    """Return True if what is denied is a need, or that there is any of what was looked for.

    "No interpreter is needed" does not say that there is none, and "there are no German restaurants" denies no wish for one.
    """
    place, last = turn.words_at(span)
    words = turn.answer.words
    if not NEEDED.isdisjoint(words[last : last + 3]):
        return True
    trigger = turn.assertion(span).trigger_text.lower()
    before = words[max(0, place - _FOUND_WITHIN) : place]
    if trigger == "nothing" and not _US.isdisjoint(before) and not _FINDING.isdisjoint(before):
        return True
    searched = SEARCHED if _US.isdisjoint(before) else SEARCHED | _ONE_SEARCHED
    if searched.isdisjoint(words[max(0, place - _LOOKED_FOR) : last + _LOOKED_FOR]):
        return False
    is_plain = trigger.endswith(("no", "not", "n't", "n’t", "none of"))
    return is_plain and ("there" in before or not _FINDING.isdisjoint(before))


def _is_pointed_at(span: Span, target: Target, turn: Turn) -> bool:
    """Return True if a denial only points at a value, which is so: "they see no children in this coffee shop"."""
    place, _ = turn.words_at(span)
    return not target.is_ordered and place > 0 and turn.answer.words[place - 1] in ("this", "these")


def _is_yours(span: Span, turn: Turn) -> bool:
    place = turn.words_at(span)[0]
    return place > 0 and turn.answer.words[place - 1] in _YOURS


def is_their_plan(span: Span, target: Target, turn: Turn) -> bool:
    """Return True if what is denied is that somebody takes the plan of the insured: "she is out of network with your Aetna plan"."""
    if target.kind != "value" or _OF_THE_INSURED.isdisjoint(words_of(spaced(target.field.section))):
        return False
    if not any(shipped_terms().classes[entry].name == _INSURER for entry, _ in target.classes):
        return False
    place, last = turn.words_at(span)
    around = turn.answer.places_around(place, turn.answer.sentence_at(span[0]))
    near = range(max(around.start, place - _DEALT_WITHIN), min(around.stop, last + _DEALT_WITHIN))
    return any(turn.answer.stem_words[each] in _DEALING for each in near)


def _is_proper(span: Span, target: Target, turn: Turn) -> bool:
    """Return True if a place is a name, which is not denied by what is denied of its owner; but that of a medicine is."""
    if target.field.type is FieldType.NAME:
        return not target.classes and not turn.answer.as_written(span).islower()
    words = turn.answer.as_written(span).split()
    return target.kind == "value" and len(words) > 1 and words[0][:1].isupper() and words[-1][:1].isupper()


def _is_replaced(span: Span, turn: Turn) -> bool:
    """Return True if another name with a title follows one that is taken back."""
    return any(run.is_titled and 0 <= run.span[0] - span[1] < _REPLACED_WITHIN for run in find_names(turn.answer.text))


def _is_beside(assertion: Assertion, span: Span, turn: Turn) -> bool:
    trigger = assertion.trigger
    return trigger is not None and trigger[1] <= span[0] and not turn.answer.text[trigger[1] : span[0]].split()


def _is_common(span: Span, target: Target, turn: Turn) -> bool:
    places = turn.answer.places_in(span)
    return target.field.type is FieldType.ENUM or turn.are_common(places.start, places.stop)


def _is_end_of_range(place: int, last: int, target: Target, turn: Turn) -> bool:
    """Return True if a plain number is one end of a range that nothing near says to be the field's: "15 to 19 is moderate"."""
    if target.kind != "number" or target.end:
        return False
    at = [mention for mention in turn.mentions_at(place, last) if mention.kind is MentionKind.NUMBER]
    return bool(at) and all(
        mention.other_end is not None and turn.reading.labels.affinity(mention, target).weight < NAMED for mention in at
    )


def _is_dialled(place: int, target: Target, turn: Turn) -> bool:
    """Return True if a number is one to call, and the field holds none: "call 911" is no room 911."""
    if target.kind != "number" or turn.answer.words[max(0, place - 1) : place] not in _DIALLING:
        return False
    return (LINES | _CALLED).isdisjoint(target.name.words)


def _is_measured(place: int, last: int, target: Target, turn: Turn) -> bool:
    """Return True if a number has another unit: "40 minutes" are no 40 sessions, "7 months" no age of 7, "4 km" no 4 miles."""
    at = turn.mentions_at(place, last)
    if target.kind == "duration" or target.name.is_age:
        return any(mention.kind is MentionKind.DURATION and is_of_other_unit(mention, target) for mention in at)
    if target.kind != "number" or not target.name.is_count:
        return False
    return any(mention.kind is MentionKind.DURATION and mention.unit not in COUNTABLE for mention in at)


def _is_of_all_times(assertion: Assertion) -> bool:
    """Return True if a denial holds of the past as well: "has never taken", "no history of"."""
    return not _AT_NO_TIME.isdisjoint(assertion.trigger_text.lower().split())


def _is_proposal(assertion: Assertion, span: Span) -> bool:
    """Return True if only a question mark asks for a value: "A quiet café?" has one in mind, "Do you have any allergies" does not."""
    return assertion.kind is AssertionKind.ASKED and assertion.trigger is not None and assertion.trigger[0] >= span[1]
