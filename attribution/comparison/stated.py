"""The figures bound to a field: those that agree with the record, and those that state another value and are not explained."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from attribution.assertion import AssertionKind
from attribution.binding.assignment import Bond
from attribution.comparison.exchanged import is_sure
from attribution.comparison.figures import Relation, compare, fit, recurs
from attribution.comparison.ownership import is_priced_generally
from attribution.comparison.turn import DENIED, ENOUGH, NAMED, OPEN, SILENT, Turn
from attribution.lexicon.words import WEEKDAYS
from attribution.mentions.days_and_hours import days_between
from attribution.mentions.measures import PERIOD
from attribution.mentions.mention import Mention, MentionKind
from attribution.mentions.rates import PERIODS
from attribution.reading import FIGURES
from attribution.schema.names import Item
from attribution.schema.target import ASKING, LINES, Target
from attribution.text import spaced, words, words_of

_DAY_AND_HOUR = frozenset({MentionKind.DATE, MentionKind.TIME})

_CRISIS = words("emergency crisis lifeline hotline suicide suicidal 911 988")
_BY_TIME = (["a"], ["per"], ["each"], ["every"])
_CLEAR = 0.6
_RULES = ("as long as", "so long as", "unless", "provided", "provided that", "only if")
_UNREAL, _DEPENDING = words("were had would could might should"), words("it it's that you you'd you'll they")
_CLOSED = words("closed closes close closure shut off")
_OPENING = words("open opens opened opening close closes closed closing hours")
_OPENS_WITHIN = 4
_EACH, _PERIOD_WITHIN = ("a", "an", "per", "each", "every"), 4
_ANY, _HEDGING = (
    words("a an some another other many most"),
    words("would can could may might often usually typically generally traditional common standard typical usual"),
)
"""At the start of a sentence, and in it, words by which it tells of any such thing."""
_PRICE = words("fee fees rate cost price charge")
_CHARGED_APART = words("""
    show shows noshow late missed cancellation cancellations cancel canceling cancelling first initial intake evaluation evaluations
    consultation consult intro introductory assessment form forms letter letters records paperwork copies parking deposit materials workbook
""")
"""Words for services and events that are charged by themselves, besides sessions."""
_COSTING, _APART_WITHIN = words("cost costs is are runs"), 5
_WEEK, _DAY_WITHIN = frozenset(WEEKDAYS), 3
_AIMING = words("""
    keep stay aim aims goal goals target targets limit limits should must need needs try want wants wish wishes ask asked prefer when once
    call tell scores readings levels values results anything anyone people patients most many some
    mean means meaning indicates suggests considered called
""")
"""Words in whose sentence a bound is what is aimed at, wished or a rule for everybody."""
_TIMED = frozenset({"time", "date"})
_SURE_DAY = 0.75
"""The least binding with which a day that another field has contradicts: many days of an answer stand near a "since"."""


class Stated(NamedTuple):
    """The figures bound to a field: those that agree with the record, and those that state another value."""

    agreeing: list[Bond]
    against: list[Bond]


def is_by_another_period(last: int, target: Target, turn: Turn) -> bool:
    """Return True if a figure is told by another period than the field counts by: "two sessions a week" of those a month."""
    period = target.period
    if not period:
        return False
    behind = turn.answer.words[last : last + _PERIOD_WITHIN]
    for one, other in pairwise(behind):
        if one in _EACH and other in PERIODS:
            return other != period
    return False


def is_of_closing(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if a sentence says that something is closed exactly where the field's name does."""
    around = [turn.answer.words[place] for place in turn.answer.places_around(mention.first, turn.answer.sentence_at(mention.span[0]))]
    return _CLOSED.isdisjoint(around) == _CLOSED.isdisjoint(target.name.words)


def stated_of(target: Target, turn: Turn) -> Stated:
    """Return the figures that are stated of a field, as far as nothing explains them."""
    agreeing: list[Bond] = []
    against: list[Bond] = []
    for bond in turn.by_row.get(target.row, ()):
        relation = compare(bond.mention, target)
        kind = _kind_of(bond, target, turn)
        is_then = kind is AssertionKind.HISTORICAL and target.name.is_past
        if relation is Relation.EQUAL and is_by_another_period(bond.mention.last, target, turn):
            relation = Relation.DIFFERENT
        if relation is Relation.EQUAL and (is_then or _may_agree(kind, target)):
            agreeing.append(bond)
        elif relation is Relation.DIFFERENT and (is_then or kind is AssertionKind.AFFIRMED) and _may_contradict(bond, turn):
            against.append(bond)
    agreeing += _unlabelled(target, turn) if turn.reading.language != "en" else _alone(target, turn)
    if target.kind == "date":
        agreeing = [bond for bond in agreeing if not _repeats_a_date(bond.mention)]
        against = [bond for bond in against if not _repeats_a_date(bond.mention) or _is_of_its_day(bond.mention, target)]
    if target.kind == "date" and against:
        agreed = {bond.mention.kind for bond in agreeing if bond.mention.unit != PERIOD}
        against = [
            bond
            for bond in against
            if bond.mention.kind not in agreed and (bond.mention.kind in _DAY_AND_HOUR or not agreed or bond.mention.follows)
        ]
    return Stated(agreeing, against)


def _kind_of(bond: Bond, target: Target, turn: Turn) -> AssertionKind:
    """Return what a sentence does with a figure; what only seems to tell of the past, to suppose or to leave open is affirmed."""
    kind = turn.kind_for(bond.mention.span, target, is_figure=True)
    is_affirmed = (
        (kind is AssertionKind.HISTORICAL and turn.is_told_by_its_label(bond.mention.span, target))
        or (kind is AssertionKind.HYPOTHETICAL and _is_its_condition(bond, turn))
        or (kind is AssertionKind.POSSIBLE and _is_allowed(bond, turn))
    )
    return AssertionKind.AFFIRMED if is_affirmed else kind


def _is_allowed(bond: Bond, turn: Turn) -> bool:
    """Return True if "may" says how much or how often is allowed: "you may take 13 doses home", "may be repeated every two hours"."""
    if turn.assertion(bond.mention.span).trigger_text.lower() != "may":
        return False
    return bond.target.kind in ("rate", "dose") or recurs(bond.target) or (bond.target.name.is_count and bond.mention.counted)


def _is_its_condition(bond: Bond, turn: Turn) -> bool:
    """Return True if the field is what a condition is about, as "If you go through insurance it's $84", or a rule that it sets."""
    trigger, text = turn.assertion(bond.mention.span).trigger, turn.assertion(bond.mention.span).trigger_text.lower()
    if trigger is None or trigger[1] > bond.mention.span[0]:
        return False
    if text in _RULES:
        return bond.target.kind == "duration" and bond.weight >= _CLEAR
    first, said = turn.answer.place_at(trigger[0]) + 1, turn.answer.words
    end = next((place for place in range(first + 2, bond.mention.first) if _ends_condition(place, turn)), first)
    if bond.target.kind != "money" or not _UNREAL.isdisjoint(said[first : bond.mention.first]):
        return False
    named = [place for item, weight in bond.target.labels.items() if weight > NAMED for place in turn.reading.labels.places.get(item, ())]
    return any(first <= start and last <= end for start, last in named)


def _ends_condition(place: int, turn: Turn) -> bool:
    """Return True if what depends on a condition begins at a word."""
    return turn.answer.words[place] in _DEPENDING or "," in turn.answer.text[turn.answer.word_end(place - 1) : turn.answer.starts[place]]


def _may_agree(kind: AssertionKind, target: Target) -> bool:
    """Return True if a figure is evidence: amounts, days and hours keep their sense in questions and conditions."""
    return kind not in DENIED and (
        kind not in SILENT or (kind in OPEN and (target.kind != "number" or not LINES.isdisjoint(target.name.words)))
    )


def _may_contradict(bond: Bond, turn: Turn) -> bool:
    """Return True if another value is bound so well that it contradicts, and nothing explains it."""
    if bond.mention.kind is MentionKind.WEEKDAY and bond.target.kind == "weekday" and not is_of_closing(bond.mention, bond.target, turn):
        return False
    if bond.mention.kind is MentionKind.TIME and is_of_opening(bond.mention, bond.target, turn):
        return False
    if not is_sure(bond) or (
        _is_of_a_band(bond) and not turn.is_of_the_user(bond.mention.first, turn.answer.sentence_at(bond.mention.span[0]))
    ):
        return False
    return not (_is_of_any(bond.mention, turn) or is_explained(bond, turn) or _counts_by_time_only(bond, turn) or _is_aim(bond, turn))


def _is_of_any(mention: Mention, turn: Turn) -> bool:
    """Return True if a sentence tells what may be or is usual of any such thing: "a taxi would cost about $30"."""
    places = turn.answer.places_around(mention.first, turn.answer.sentence_at(mention.span[0]))
    said = turn.answer.words[places.start : places.stop]
    return bool(said) and said[0] in _ANY and not _HEDGING.isdisjoint(said)


def is_of_opening(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if an hour is when something opens or closes, and the field's is of something else: "we open at 8"."""
    if mention.kind not in _DAY_AND_HOUR:
        return False
    before = turn.answer.words[max(0, mention.first - _OPENS_WITHIN) : mention.first]
    named = (*target.name.words, *words_of(spaced(target.field.section)))
    return _OPENING.isdisjoint(named) and not _OPENING.isdisjoint(before)


def _is_aim(bond: Bond, turn: Turn) -> bool:
    """Return True if a bound is what somebody is to keep to, or where something else begins, and not what is so."""
    if not bond.mention.bound or bond.target.name.is_limit:
        return False
    start, end = turn.answer.sentence_at(bond.mention.span[0])
    return not _AIMING.isdisjoint(turn.answer.words[place] for place in turn.answer.places_around(bond.mention.first, (start, end)))


def _counts_by_time_only(bond: Bond, turn: Turn) -> bool:
    """Return True if only how often something is counted names the field, and the word before it is another thing: "three cups a day"."""
    mention, words = bond.mention, turn.answer.words
    if not (mention.counted and bond.target.name.is_count) or words[mention.last + 1 : mention.last + 2] not in _BY_TIME:
        return False
    return turn.answer.stem_words[mention.last] not in bond.target.name.stems


def _repeats_a_date(mention: Mention) -> bool:
    """Return True if a weekday is only beside a date, which says more."""
    return mention.kind is MentionKind.WEEKDAY and mention.follows is not None


def _is_of_its_day(mention: Mention, target: Target) -> bool:
    """Return True if a weekday is beside the field's date."""
    return mention.follows is not None and compare(mention.follows, target) is Relation.EQUAL


def _is_of_a_band(bond: Bond) -> bool:
    """Return True if a plain number is one end of a range, where the record has one number: "scores of 10 to 14 are moderate"."""
    mention = bond.mention
    return mention.kind is MentionKind.NUMBER and mention.other_end is not None and bond.target.kind == "number" and not bond.target.end


def is_explained(bond: Bond, turn: Turn) -> bool:
    """Return True if a field with more labels holds the value, a crisis line is named, or another field shows there."""
    mention, target = bond.mention, bond.target
    if turn.is_cited_for_another(mention.span, target) or _is_of_what_was_asked_for(mention, target, turn):
        return True
    if _is_price_of_another_service(mention, target, turn) or _is_hour_of_one_day(mention, target, turn):
        return True
    telling = _telling(target)
    is_slight = mention.counted and bond.weight < _CLEAR
    is_general = is_priced_generally(mention, target, turn)
    for other in turn.holders_of(mention, target.kind) if not target.entity else ():
        if other is target or _has_another(other, turn):
            continue
        is_unsure = target.kind == "date" and bond.weight < _SURE_DAY and not _is_told(other, turn)
        if is_slight or is_general or is_unsure or telling < _telling(other):
            return True
    if target.kind == "code":
        start, end = turn.answer.sentence_at(mention.span[0])
        if not _CRISIS.isdisjoint((*target.name.words, *words_of(spaced(target.field.section)))):
            return False
        return not _CRISIS.isdisjoint(turn.answer.words[place] for place in turn.answer.places_around(mention.first, (start, end)))
    return False


def _is_price_of_another_service(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if a price is told of what is charged by itself, and the field is of any session: "$40 for late cancellations"."""
    named = {*target.name.words, *words_of(spaced(target.field.section))}
    if target.kind != "money" or _PRICE.isdisjoint(target.name.words) or not _CHARGED_APART.isdisjoint(named):
        return False
    said, around = turn.answer.words, turn.answer.places_around(mention.first, turn.answer.clause_at(mention.span[0]))
    behind = said[mention.last : min(around.stop, mention.last + _APART_WITHIN)]
    before = said[max(around.start, mention.first - _APART_WITHIN) : mention.first]
    is_behind = "for" in behind and not _CHARGED_APART.isdisjoint(behind[behind.index("for") :])
    return is_behind or (not _CHARGED_APART.isdisjoint(before) and not _COSTING.isdisjoint(before))


def _is_hour_of_one_day(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if an hour is told of one day of the week, and the field's is that of every day: "until 8 on Thursdays"."""
    if mention.kind is not MentionKind.TIME or _OPENING.isdisjoint(target.name.words):
        return False
    behind = turn.answer.words[mention.last : mention.last + _DAY_WITHIN]
    days = [word.removesuffix("s") for word in behind if behind[0] == "on"]
    return not _WEEK.isdisjoint(days) and _WEEK.isdisjoint((*target.name.words, *words_of(spaced(target.field.section))))


def _is_of_what_was_asked_for(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if a field says what somebody asked for, and what is stated meets it or is the record's of the same name elsewhere."""
    if target.kind not in _TIMED or ASKING.isdisjoint(words_of(spaced(target.field.section))):
        return False
    if target.kind == "time" and "by" in target.name.words and mention.values[0] <= max(target.values):
        return turn.answer.words[mention.first - 1 : mention.first] != ["by"]
    return any(
        other is not target and other.field.leaf == target.field.leaf and ASKING.isdisjoint(words_of(spaced(other.field.section)))
        for other in turn.holders_of(mention, target.kind)
    )


def _is_told(target: Target, turn: Turn) -> bool:
    """Return True if another figure that is not its value is bound to a field: two days were exchanged."""
    return any(
        is_sure(bond) and bond.mention.kind is MentionKind.DATE and compare(bond.mention, target) is Relation.DIFFERENT
        for bond in turn.by_row.get(target.row, ())
    )


def _has_another(target: Target, turn: Turn) -> bool:
    """Return True if the sentence of an earlier figure gives a field that is about it another value: both were exchanged."""
    return target.name.is_past and any(
        is_sure(bond) and bond.mention.span in turn.reading.outdated and compare(bond.mention, target) is Relation.DIFFERENT
        for bond in turn.by_row.get(target.row, ())
    )


def _telling(target: Target) -> set[Item]:
    return {item for item, weight in target.labels.items() if weight > NAMED}


def all_days(target: Target, turn: Turn) -> list[Bond]:
    """Return the days of the week of a sentence that names those of a field, and no others."""
    in_sentence: dict[int, list[Mention]] = {}
    for each in turn.reading.figures:
        if each.kind is MentionKind.WEEKDAY and each.follows is None and turn.is_affirmed(each.span):
            in_sentence.setdefault(turn.reading.line.sentence[each.first], []).append(each)
    for days in in_sentence.values():
        is_free = all((bond := turn.owner.get(id(each))) is None or bond.target is target for each in days)
        if is_free and set(_days_said(days)) == set(target.values):
            return [Bond(each, target, ENOUGH, is_near=True) for each in days]
    return []


def _days_said(days: Sequence[Mention]) -> Iterator[int]:
    for each in days:
        if each.other_end is not None and each.end == "low":
            yield from days_between(each.values[0], each.other_end.values[0])
        yield from each.values


def _unlabelled(target: Target, turn: Turn) -> list[Bond]:
    """Figures with the field's value in a language whose labels are not known, where no other field has it."""
    if not turn.answer.affords(len(turn.reading.figures)):
        return []
    same = [each for each in turn.reading.figures if _fits_freely(each, target, turn) and compare(each, target) is Relation.EQUAL]
    others = [other for other in turn.others(target) if other.kind in FIGURES] if same else []
    return [
        Bond(mention, target, ENOUGH, is_near=False)
        for mention in same
        if not any(fit(mention, other) and compare(mention, other) is Relation.EQUAL for other in others)
    ]


def _alone(target: Target, turn: Turn) -> list[Bond]:
    """Hours from one to another that are those of two fields of one object, and a length of time that one field alone can have."""
    if target.kind not in ("time", "duration") or not turn.answer.affords(len(turn.reading.figures)):
        return []
    same = [each for each in turn.reading.figures if _fits_freely(each, target, turn) and compare(each, target) is Relation.EQUAL]
    if target.kind == "duration":
        is_alone = turn.reading.counts["duration"] == 1 and isinstance(target.field.value, str)
        is_bound = "within" in words_of(str(target.field.value))
        same = [each for each in same if is_alone and (not each.is_loose or (is_bound and each.bound == "below"))]
    else:
        same = [each for each in same if _is_of_two(each, target, turn)]
    return [Bond(each, target, ENOUGH, is_near=False) for each in same if turn.is_affirmed(each.span)]


def _is_of_two(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if the other end of a range is the hour of another field of the same object."""
    its = (target.field.section, target.field.path.rpartition(".")[0])
    return mention.other_end is not None and any(
        other is not target and (other.field.section, other.field.path.rpartition(".")[0]) == its
        for other in turn.holders_of(mention.other_end, "time")
    )


def _fits_freely(mention: Mention, target: Target, turn: Turn) -> bool:
    return id(mention) not in turn.owner and fit(mention, target) == 1
