"""Verdicts on fields that hold words: values of a class, names, codes, lists and other short texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attribution.assertion import AssertionKind
from attribution.binding.assignment import Bond
from attribution.binding.values import names_the_field
from attribution.comparison.directions import HOW_OFTEN, Directions, are_directions, is_time_of_day, tells_to_take
from attribution.comparison.figures import DOSES
from attribution.comparison.frames import is_said_of_it
from attribution.comparison.instead import is_a_shade, is_limited_to, is_wider, moved_on, one_more, only_one, only_other, said_to_be
from attribution.comparison.names import is_alike, other_pronoun
from attribution.comparison.results import Results
from attribution.comparison.standing import Standing, is_of_no_need, is_their_plan, standing_of
from attribution.comparison.turn import DENIED, ENOUGH, NAMED, RIVAL, Turn
from attribution.comparison.unsaid import contradict_unsaid, exchanged_name
from attribution.comparison.wording import other_words, texts_of
from attribution.mentions.mention import Mention
from attribution.model import Span
from attribution.schema.target import NAMES, Target
from attribution.schema.terms import shipped_terms, stems_of
from attribution.text import words, words_of

_LONGEST_EVERYDAY = 9
_SURE_PLACE = 0.5
"""The least binding with which another value contradicts, unless its class is a scale: labels have other words near them too."""
_MEDICATION_STATE, _NOT_TAKEN = "medication_state", ("discontinued", "on hold", "completed", "not started")
_OF_HAVING = words("eligible eligibility qualifies qualified enrolled covered approved accepted included active available offered")
_COMPETING = ("value", "number", "list", "money")


class Said(NamedTuple):
    """The values of a field's classes in an answer: its own, its own on a scale that nothing names, its own denied, and others instead."""

    own: list[Span]
    unnamed: list[Span]
    denied: list[Span]
    against: list[Bond]


class Seen(NamedTuple):
    """The places of a field of words: those that show it, deny it, or assert nothing."""

    kept: list[Span]
    denied: list[Span]
    aside: list[Span]


def judge_value(target: Target, turn: Turn, results: Results) -> None:
    """Say of a field of words whether its value is found, contradicted or only mentioned."""
    if are_directions(target):
        _judge_directions(target, turn, results)
        return
    standing = standing_of(target, turn)
    if (standing.kept or standing.aside) and (span := exchanged_name(target, turn)):
        results.keep(target, [])
        results.contradict(target, span, turn.answer.as_written(span), "stands where this field is named, and is another's")
        return
    if turn.given[target.row].evidence is not None:
        results.keep(target, standing.kept)
    said = _said(target, turn)
    _conclude(target, _seen(target, standing, said, turn, results), said.against, turn, results)


def _seen(target: Target, standing: Standing, said: Said, turn: Turn, results: Results) -> Seen:
    """Say what shows a field: its value, a phrase for it, or other words; and return where that is."""
    kept = standing.kept
    denied = [*standing.denied, *[span for span in said.denied if span not in standing.denied]]
    own, unnamed = ([span for span in spans if span not in denied] for spans in (said.own, said.unnamed))
    if not kept and own:
        results.found(target, own)
        kept = own
    elif not kept and unnamed:
        results.found(target, unnamed)
        results.doubt(target, "nothing near names the field")
        kept = unnamed
    elif not kept and turn.given[target.row].evidence is None:
        words = other_words(target, turn)
        kept = words.asserted
        denied += words.denied
        if kept:
            results.found(target, kept)
    return Seen(kept, denied, standing.aside)


def _conclude(target: Target, seen: Seen, against: Sequence[Bond], turn: Turn, results: Results) -> None:
    """Say what contradicts a field by what shows it, denies it and is in its place."""
    kept, denied, aside = seen
    if denied and (not kept or target.kind == "list"):
        results.mention(target, denied)
        if not _is_denied_by_state(target, turn):
            results.deny(target, denied[0])
    elif kept:
        _judge_rest(target, turn, results)
    elif against:
        best = max(against, key=lambda bond: bond.weight)
        places = [bond.mention.span for bond in against if bond.mention.values == best.mention.values]
        results.contradict(target, best.mention.span, _as_stated(best.mention, turn), "stands where this field is named", places)
    elif aside:
        results.mention(target, aside)
        if span := moved_on(target, turn, aside):
            results.contradict(target, span, turn.answer.as_written(span), "has taken its place")
    else:
        _judge_unseen(target, turn, results)


def _is_denied_by_state(target: Target, turn: Turn) -> bool:
    """Return True if the record says itself that a medicine is no longer taken, or that somebody does not get what it names."""
    states = {(_MEDICATION_STATE, each) for each in _NOT_TAKEN}
    beside = [other for other in turn.others(target) if other.field.section == target.field.section and other.entity == target.entity]
    if any(other.kind == "flag" and other.answer is False and not _OF_HAVING.isdisjoint(other.name.words) for other in beside):
        return True
    return any(
        (shipped_terms().classes[entry].name, shipped_terms().classes[entry].values[step]) in states
        for other in beside
        for entry, step in other.classes
    )


def _judge_directions(target: Target, turn: Turn, results: Results) -> None:
    """Say of the directions for a medicine whether the answer gives them, or another number or time of taking it."""
    row, directions = turn.given[target.row], Directions(target, turn)
    if directions.against:
        results.keep(target, [])
        span = directions.against[0]
        results.contradict(target, span, turn.answer.as_written(span), "stands in the directions")
    elif row.evidence is not None:
        results.keep(target, standing_of(target, turn).kept)
    elif directions.agreeing:
        results.found(target, directions.agreeing)
        if not directions.is_whole:
            results.doubt(target, "only a part of the directions")


def _judge_rest(target: Target, turn: Turn, results: Results) -> None:
    """Contradict a list of which the answer says that one element is all: "speaks only English"."""
    if span := only_one(target, turn):
        results.contradict(target, span, f"only {turn.answer.as_written(span)}", "is said to be all")
    elif span := one_more(target, turn):
        results.contradict(target, span, turn.answer.as_written(span), "is none of them")


def _judge_unseen(target: Target, turn: Turn, results: Results) -> None:
    """Say of a field of words whose value nothing asserts or denies whether something else is in its place."""
    if span := only_other(target, turn):
        results.contradict(target, span, turn.answer.as_written(span), "is the only one")
    elif span := _of_a_sibling(target, turn):
        results.contradict(target, span, turn.answer.as_written(span), "is said of this one, and recorded of another")
    elif span := said_to_be(target, turn) or one_more(target, turn):
        results.contradict(target, span, turn.answer.as_written(span), "is said instead")
    elif span := other_pronoun(target, turn):
        results.contradict(target, span, turn.answer.as_written(span), "is said of this one")
    elif turn.given[target.row].evidence is None:
        contradict_unsaid(target, turn, results)


def _as_stated(mention: Mention, turn: Turn) -> str:
    """Return the value of its class that a mention means, or the mention as it is written if it does not contain that value."""
    value, written = _value_of(mention), turn.answer.as_written(mention.span)
    return value if value.lower() in written.lower() else written


def _value_of(mention: Mention) -> str:
    """Return the value of its class that a mention means."""
    return shipped_terms().classes[int(mention.unit)].values[int(str(mention.values[0]))]


def _said(target: Target, turn: Turn) -> Said:
    """Return what the mentions of the field's own value or bound to it say, where no nearer label gives them to another field."""
    said = Said([], [], [], [])
    is_bound = target.row in turn.by_row
    for entry, steps in target.steps.items():
        mentions = turn.values.of_class.get(entry, ())
        is_asked = is_bound or shipped_terms().classes[int(entry)].name == HOW_OFTEN
        own = mentions if is_asked else [mention for mention in mentions if mention.values[0] in steps]
        for mention in own if turn.answer.affords(len(mentions)) else ():
            bond = turn.owner.get(id(mention))
            if not _is_of_another(mention, bond, target, turn):
                _add(mention, bond if bond is not None and bond.target is target else None, said, target, turn)
    return said._replace(own=[]) if said.against and _are_all_lent(said.own, target, turn) else said


def _are_all_lent(own: Sequence[Span], target: Target, turn: Turn) -> bool:
    """Return True if each of a field's own values is bound to another field: two fields have each other's."""
    bonds = [bond for span in own for each in turn.mentions_at(*turn.words_at(span)) if (bond := turn.owner.get(id(each)))]
    return bool(bonds) and all(bond.target is not target and bond.is_near and bond.weight >= ENOUGH for bond in bonds)


def _is_of_another(mention: Mention, bond: Bond | None, target: Target, turn: Turn) -> bool:
    """Return True if a mention speaks of a sibling, or a nearer label names another field for it."""
    if names_the_field(mention, target, turn.answer) or (target.entity and turn.reading.is_stray(mention.first, mention.last, target)):
        return True
    if bond is None or bond.target is target or bond.weight < RIVAL:
        return False
    return turn.reading.labels.affinity(mention, target).weight < 0.75 * bond.weight


def _add(mention: Mention, bond: Bond | None, said: Said, target: Target, turn: Turn) -> None:
    """Add what a mention says, with what binds it to the field, if anything does."""
    kind = turn.kind_for(mention.span, target)
    if mention.values[0] not in target.steps[mention.unit]:
        if is_time_of_day(mention, target):
            return
        if kind is AssertionKind.AFFIRMED and bond and _is_against(bond, mention, target, turn):
            said.against.append(bond)
        elif kind is AssertionKind.AFFIRMED and _is_how_often(mention, target, turn):
            said.against.append(Bond(mention, target, _SURE_PLACE, is_near=True))
    elif kind in DENIED and not target.name.is_negative:
        if _where_told(mention, bond, said, target, turn) is not None and _is_its_own_denial(mention, bond, target, turn):
            said.denied.append(mention.span)
    elif kind is AssertionKind.AFFIRMED and (told := _where_told(mention, bond, said, target, turn)) is not None:
        told.append(mention.span)


def _where_told(mention: Mention, bond: Bond | None, said: Said, target: Target, turn: Turn) -> list[Span] | None:
    """Return where the field's own value counts if it is asserted: as its own, as what nothing names, or not at all."""
    is_ordered = shipped_terms().classes[int(mention.unit)].is_ordered
    if not is_ordered and _says_it_alone(mention, target, turn):
        return said.own
    if (bond or turn.reading.labels.affinity(mention, target)).weight >= NAMED or is_said_of_it(mention, target, turn):
        return said.own
    is_alone = _says_it_alone(mention, target, turn) if is_ordered else _is_its_word_alone(mention, target, turn)
    return said.unnamed if is_alone else None


def _is_its_word_alone(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if a word is stated as the record has it, or more of them, and nothing else is of its class."""
    value = str(target.field.value).lower()
    is_own = turn.answer.as_written(mention.span).lower() in (value, f"{value}s")
    if target.kind == "list" or not is_own or turn.answer.is_question(turn.answer.sentence_at(mention.span[0])):
        return False
    others = [each for each in turn.others(target) if mention.unit in each.steps]
    is_exclusive = shipped_terms().classes[int(mention.unit)].is_exclusive
    return is_exclusive and not others and len(turn.values.with_class(mention.unit)) == 1


def _says_it_alone(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if a phrase tells a value where nothing names the field: no word for a step of a scale, nor an everyday word."""
    if is_limited_to(mention, turn):
        return True
    if turn.are_common(mention.first, mention.last):
        return False
    if shipped_terms().classes[int(mention.unit)].is_ordered and target.kind != "list":
        is_plain = stems_of(turn.answer.as_written(mention.span)) == stems_of(_value_of(mention)) or mention.last - mention.first > 1
        return is_plain and len(turn.values.with_class(mention.unit)) == 1
    written = turn.answer.as_written(mention.span)
    return mention.last - mention.first > 1 or len(written) >= _LONGEST_EVERYDAY or (written.isupper() and len(written) > 1)


def _is_its_own_denial(mention: Mention, bond: Bond | None, target: Target, turn: Turn) -> bool:
    """Return True if what is denied is written as the record writes it, or stands where the field is named."""
    if is_of_no_need(mention.span, turn) or is_their_plan(mention.span, target, turn):
        return False
    if target.kind == "list" or (bond is not None and bond.is_near and bond.weight >= ENOUGH):
        return True
    said = stems_of(turn.answer.as_written(mention.span))
    return any(said == stems_of(text) for text in texts_of(target.field.value))


def _is_against(bond: Bond, mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if another value of an exclusive class is in the field's place, and no other field is named more."""
    its_class = shipped_terms().classes[int(mention.unit)]
    is_like = len(words_of(str(target.field.value))) == 1 and is_alike(
        turn.answer.as_written(mention.span).lower(), str(target.field.value).lower()
    )
    enough = ENOUGH if its_class.is_ordered or is_like or target.is_all else _SURE_PLACE
    if target.kind == "list" or not (bond.is_near and bond.weight >= enough) or is_wider(mention, target):
        return False
    if not (its_class.is_exclusive or target.is_all) or (its_class.is_ordered and is_a_shade(mention, target, its_class.values)):
        return False
    return not any(
        turn.reading.labels.affinity(mention, other).weight > bond.weight for other in turn.others(target) if other.kind in _COMPETING
    )


def _is_how_often(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if a sentence tells a dose or another field of the section beside how often it is taken, and the record has both."""
    if shipped_terms().classes[int(mention.unit)].name != HOW_OFTEN or target.kind == "list":
        return False
    sentence = turn.answer.sentence_at(mention.span[0])
    if tells_to_take(mention, turn) and turn.shows_section(sentence, target):
        return True
    doses = [other for other in turn.others(target, "dose") if other.field.section == target.field.section]
    if not doses or not turn.answer.affords(len(doses) + len(turn.reading.figures)):
        return False
    spans = [each.span for each in turn.reading.figures if each.unit in DOSES]
    spans += [span for other in doses if (evidence := turn.given[other.row].evidence) for span in evidence.spans]
    start, end = sentence
    return tells_to_take(mention, turn) or any(start <= each < end for each, _ in spans)


def _of_a_sibling(target: Target, turn: Turn) -> Span | None:
    """A sibling's value where the words speak of this entity, which has not got it."""
    if not target.entity or target.field.leaf in NAMES:
        return None
    own = {stems_of(each) for each in texts_of(target.field.value)}
    siblings = turn.reading.siblings(target)
    for other in siblings if turn.answer.affords(len(siblings)) else ():
        evidence = turn.given[other.row].evidence
        for span in evidence.spans if evidence is not None else ():
            place, last = turn.words_at(span)
            is_here = turn.reading.focus.at(place, last) == target.entity
            if is_here and stems_of(turn.answer.as_written(span)) not in own and turn.is_affirmed(span):
                return span
    return None
