"""Verdicts on fields that hold a figure: a number, money, a day, a clock time, a code, a dose."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.assertion import AssertionKind
from attribution.binding.assignment import Bond
from attribution.binding.company import LEFT
from attribution.comparison.exchanged import exchanged_in, is_sure
from attribution.comparison.figures import Relation, compare, fit
from attribution.comparison.frames import is_said_of_it
from attribution.comparison.results import Results
from attribution.comparison.standing import Standing, standing_of
from attribution.comparison.stated import Stated, all_days, is_by_another_period, is_explained, is_of_closing, is_of_opening, stated_of
from attribution.comparison.turn import ENOUGH, NAMED, Turn
from attribution.comparison.unsaid import denied_label, other_code, without_limit
from attribution.mentions.measures import PART, PERIOD
from attribution.mentions.mention import Mention, MentionKind
from attribution.model import FieldType, Span, contains
from attribution.schema.names import ADDRESS, CHANGE
from attribution.schema.target import Target
from attribution.text import words

_HARDLY_ELSE = frozenset({"code", "date", "time", "weekday", "dose"})
"""Kinds of value of which an answer has few that are not about the record."""
_TOLD_OTHERWISE = _HARDLY_ELSE | {"duration"}
_OFTEN_ELSE = frozenset({"time", "weekday"})
"""Kinds whose values also stand for what no field holds, such as how long something takes: they contradict only where a label is."""
_ROUGH = frozenset({"hour", PERIOD, PART})
"""Units of days and hours that only a label binds."""
_DOUBTFUL = frozenset({"money", "number", "percent", "duration"})
_NAMED = frozenset({"nothing"})
_NAMED_BY_RULE = {FieldType.NUMERIC: _NAMED | {"in_words", "party", "with_unit"}}
"""Rules that find a value only beside words of the field's name."""
_SEVERAL = 2
_GIVEN_WITHIN, _WHOM = 2, ("her", "him", "them", "it")
_HALF_DAY, _DAY = 720, 1_440
"""Minutes."""
_CLOSED = words("closed closes close closure shut off")
_USED = words("used spent paid met")
_LOOSE_DAYS = frozenset({"weekday", "relative_day"})
_MOST_SIBLINGS = 40
_TURNED_WITHIN = 4
_RISING = words("gained gain gaining up increased increase rose risen climbed added higher heavier more")
_FALLING = words("lost lose losing down decreased decrease dropped fell fallen lower lighter less off not t no")


def judge_figure(target: Target, turn: Turn, results: Results) -> None:
    """Say of a figure's field whether its value is found, contradicted or only mentioned."""
    row = turn.given[target.row]
    if other := exchanged_in(turn).get(target.row):
        results.keep(target, [])
        results.contradict(target, other.span, _as_stated(other, turn), "is said of this one, and recorded of another")
        return
    if row.evidence is None and not _may_be_stated(target, turn):
        return
    standing = standing_of(target, turn)
    kept = [span for span in standing.kept if not _is_other(span, target, turn)]
    stated = stated_of(target, turn)
    if target.kind == "weekday" and len(target.values) > 1:
        stated = Stated(all_days(target, turn), stated.against)
    if not kept and row.evidence is None and _is_found(target, stated.agreeing, turn):
        kept = [bond.mention.span for bond in stated.agreeing]
        is_guess = all(bond.mention.unit == "hour" for bond in stated.agreeing)
        results.found(target, kept, "open_half_day" if is_guess and target.kind == "time" else "")
    elif row.evidence is not None:
        results.keep(target, kept)
        if kept and _is_unnamed(target, kept, turn):
            results.doubt(target, "nothing near names the field, and others are of its kind")
    if stated.against and (target.kind == "date" or not (kept or stated.agreeing)):
        best = max(stated.against, key=_weight)
        places = [bond.mention.span for bond in stated.against if bond.mention.values == best.mention.values]
        results.contradict(target, best.mention.span, _as_stated(best.mention, turn), "stands where this field is named", places)
    elif (other := _only_other(target, turn)) and not any(bond.mention.kind is other.kind for bond in stated.agreeing):
        results.contradict(target, other.span, turn.answer.as_written(other.span), "is another value, and no other field is of its kind")
    elif not kept:
        _judge_unstated(target, standing, turn, results)


def _is_replaced(span: Span, target: Target, turn: Turn) -> bool:
    """Return True if a figure is what the field's was, and the sentence tells what it has come to: "down to 12.5 mg from 25"."""
    if target.name.is_past:
        return False
    for bond in turn.by_row.get(target.row, ()):
        old = bond.mention.follows
        if old is not None and old.span in turn.reading.outdated and contains(old.span, span):
            return compare(bond.mention, target) is Relation.DIFFERENT and turn.is_affirmed(bond.mention.span)
    return False


def _is_turned(span: Span, target: Target, turn: Turn) -> bool:
    """Return True if something is said to have risen by what the record has as a fall: "gained 12 pounds" of -12."""
    value = target.field.value
    if not isinstance(value, int | float) or value >= 0 or CHANGE.isdisjoint(target.name.words):
        return False
    first, last = turn.words_at(span)
    around = {*turn.answer.words[max(0, first - _TURNED_WITHIN) : first], *turn.answer.words[last : last + _TURNED_WITHIN]}
    return not _RISING.isdisjoint(around) and _FALLING.isdisjoint(around)


def _is_unnamed(target: Target, kept: Sequence[Span], turn: Turn) -> bool:
    """Return True if no label stands near a value, nothing else binds it, and the answer may mean another field of its kind."""
    row = turn.given[target.row]
    if target.kind not in _DOUBTFUL or turn.reading.counts[target.kind] < _SEVERAL or row.is_cited:
        return False
    if row.evidence is not None and row.evidence.rule in _NAMED_BY_RULE.get(row.evidence.method, _NAMED):
        return False
    for span in kept:
        for mention in turn.mentions_at(*turn.words_at(span)):
            bond = turn.owner.get(id(mention))
            if bond is not None and bond.target is target:
                return False
            if turn.reading.labels.affinity(mention, target).weight >= NAMED:
                return False
    return any(turn.given[other.row].evidence is None for other in turn.others(target, target.kind))


def _may_be_stated(target: Target, turn: Turn) -> bool:
    """Return True if a figure is bound to a field, or may be told to be its without that."""
    if (
        target.row in turn.by_row
        or target.kind in ("code", "weekday")
        or (turn.denies and (_is_deniable(target) or _is_of_nothing(target)))
    ):
        return True
    is_told_otherwise = bool(target.entity) or target.kind in _TOLD_OTHERWISE or turn.reading.language != "en"
    return is_told_otherwise and bool(turn.reading.figures)


def _judge_unstated(target: Target, standing: Standing, turn: Turn, results: Results) -> None:
    """Say of a field whose value is not asserted whether it is another's, denied, or only mentioned."""
    if told := _told_otherwise(target, standing, turn):
        results.contradict(target, told[0], turn.answer.as_written(told[0]), told[1])
    elif standing.denied:
        results.mention(target, standing.denied)
        if _is_denied_here(target, standing.denied, turn):
            results.deny(target, standing.denied[0])
    elif standing.aside:
        results.mention(target, standing.aside)
    elif _is_deniable(target) and (span := denied_label(target, turn)):
        results.contradict(target, span, f"no {turn.answer.as_written(span)}", "is denied")
    elif _is_deniable(target) and (span := without_limit(target, turn)):
        results.contradict(target, span, turn.answer.as_written(span), "says that there is no limit")
    elif _is_of_nothing(target) and (span := denied_label(target, turn)):
        results.found(target, [span])
    elif target.kind == "code" and (found := other_code(target, turn)):
        results.contradict(target, found[0], turn.answer.as_written(found[0]), found[1])


def _told_otherwise(target: Target, standing: Standing, turn: Turn) -> tuple[Span, str] | None:
    """Return where the answer says another thing of the field than its record, and how it differs, or None."""
    if span := next((span for span in standing.kept if _is_turned(span, target, turn)), None):
        return span, "is said to have risen, and is recorded to have fallen"
    if span := _of_a_sibling(target, turn):
        return span, "is said of this one, and recorded of another"
    span = _other_weekday(target, turn) or _other_half_day(target, turn)
    return (span, "is said instead") if span else None


def _is_deniable(target: Target) -> bool:
    """Return True if what is denied by its name would be nought: an amount of money, or things that are counted."""
    if target.entity or not target.values or not target.values[0]:
        return False
    return target.kind == "money" or (target.kind == "number" and (target.name.is_count or target.name.is_limit))


def _is_of_nothing(target: Target) -> bool:
    """Return True if a text says of an amount that there is none."""
    return target.kind == "money" and isinstance(target.field.value, str) and target.values == (0,)


def _is_other(span: Span, target: Target, turn: Turn) -> bool:
    """Return True if what is seen is not the field's value after all, for what stands around it."""
    if _is_of_another_value(span, target, turn) or _is_any_day(span, target, turn) or _is_used_up(span, target, turn):
        return True
    return _is_turned(span, target, turn) or _is_replaced(span, target, turn) or is_by_another_period(turn.words_at(span)[1], target, turn)


def _is_used_up(span: Span, target: Target, turn: Turn) -> bool:
    """Return True if an amount is said to be used, where the field is of what is left: "you have used $700"."""
    place = turn.words_at(span)[0]
    return not LEFT.isdisjoint(target.name.words) and not _USED.isdisjoint(turn.answer.words[max(0, place - 2) : place])


def _is_of_another_value(span: Span, target: Target, turn: Turn) -> bool:
    """Return True if what is seen is part of another value: the week of an amount by the month, "morning" of another hour.

    Of two values that a sentence tells of the user and of somebody else, only the one that is the user's is seen.
    """
    return any(
        compare(bond.mention, target) is Relation.DIFFERENT and (target.period or (bond.mention.span != span and is_sure(bond)))
        for bond in turn.by_row.get(target.row, ())
        if contains(bond.mention.span, span) or (ADDRESS in target.labels and _are_in_one_sentence(bond.mention.span, span, turn))
    )


def _are_in_one_sentence(one: Span, other: Span, turn: Turn) -> bool:
    start, end = turn.answer.sentence_at(one[0])
    return start <= other[0] < end


def _other_weekday(target: Target, turn: Turn) -> Span | None:
    """Another weekday that is said of the field's thing, where the context has one weekday or day: "the group meets on Fridays"."""
    if not _is_one_day(target, turn) or not turn.answer.affords(len(turn.reading.figures)):
        return None
    for mention in turn.reading.figures:
        is_other = mention.kind is MentionKind.WEEKDAY and mention.follows is None and compare(mention, target) is Relation.DIFFERENT
        if is_other and _is_told_of_closing(mention, target, turn) and is_of_closing(mention, target, turn):
            return mention.span
    return None


def _other_half_day(target: Target, turn: Turn) -> Span | None:
    """Return where the hour of the only clock time of the context is said of the other half of the day: "at seven in the evening"."""
    times = target.times if target.kind == "date" else target.values if target.kind == "time" else ()
    if len(times) != 1 or any(each.kind == "time" or each.times for each in turn.others(target)):
        return None
    if not turn.answer.affords(len(turn.reading.figures)):
        return None
    for mention in turn.reading.figures:
        is_other = mention.kind is MentionKind.TIME and not (mention.unit or mention.is_loose)
        if is_other and mention.values == ((times[0] + _HALF_DAY) % _DAY,) and turn.is_affirmed(mention.span):
            return None if is_of_opening(mention, target, turn) else mention.span
    return None


def _is_one_day(target: Target, turn: Turn) -> bool:
    """Return True if a field holds the only weekday of the context, or its only date, of which the answer has no date."""
    counts = turn.reading.counts
    if target.kind == "date":
        is_dated = any(mention.kind is MentionKind.DATE for mention in turn.reading.figures)
        return counts["date"] == 1 and not (counts["weekday"] or is_dated or target.name.is_past)
    return target.kind == "weekday" and counts["weekday"] == 1


def _is_told_of_closing(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if a weekday is said of the field's thing; that of one that is closed may be denied by that word."""
    trigger = turn.assertion(mention.span).trigger_text.lower()
    is_told = turn.is_affirmed(mention.span) or not _CLOSED.isdisjoint(trigger.split())
    return is_told and is_said_of_it(mention, target, turn)


def _is_any_day(span: Span, target: Target, turn: Turn) -> bool:
    """Return True if the day is only a weekday or "today" of the past, and nothing near names the field."""
    evidence = turn.given[target.row].evidence
    if target.kind != "date" or not target.name.is_past or evidence is None or evidence.rule not in _LOOSE_DAYS:
        return False
    place, last = turn.words_at(span)
    if any(mention.follows is not None or mention.kind is MentionKind.DATE for mention in turn.mentions_at(place, last)):
        return False
    return turn.reading.labels.affinity(Mention(MentionKind.WEEKDAY, (), place, last, span), target).weight < NAMED


def _is_denied_here(target: Target, denied: Sequence[Span], turn: Turn) -> bool:
    """Return True if what is denied stands where the field is named, is taken back, or gives way to another value."""
    near = [bond.mention.span for bond in turn.by_row.get(target.row, ()) if bond.is_near]
    if any(contains(whole, span) for whole in near for span in denied):
        return True
    if target.kind in _HARDLY_ELSE and turn.assertion(denied[0]).kind is AssertionKind.CORRECTED:
        return True
    figures = turn.reading.figures
    heirs = [each for each in figures if each.follows is not None and each.follows.span in denied]
    before = [each.follows for each in figures if each.follows is not None and each.span in denied]
    heirs += [each for each in before if (bond := turn.owner.get(id(each))) is None or bond.target is target]
    return any(fit(each, target) == 1 and compare(each, target) is Relation.DIFFERENT and turn.is_affirmed(each.span) for each in heirs)


def _as_stated(mention: Mention, turn: Turn) -> str:
    written = turn.answer.as_written(mention.span)
    return f"{written}%" if mention.kind is MentionKind.PERCENT else written


def _weight(bond: Bond) -> float:
    return bond.weight


def _is_found(target: Target, agreeing: Sequence[Bond], turn: Turn) -> bool:
    """Return True if figures of the field's value are bound well enough, or the field is the only one that they can be of."""
    if not agreeing or (target.kind == "date" and all(bond.mention.kind is MentionKind.TIME for bond in agreeing)):
        return False
    return turn.reading.language != "en" or max(map(_weight, agreeing)) >= ENOUGH or _is_only(target, turn)


def _is_only(target: Target, turn: Turn) -> bool:
    """Return True if a field is the only one of a kind that hardly anything else has."""
    if target.kind not in _HARDLY_ELSE or target.entity:
        return False
    if target.kind == "code" and target.values:
        length = len(str(target.values[0]))
        return sum(turn.codes_by_length[each] for each in (length - 1, length, length + 1)) == 1
    return turn.reading.counts[target.kind] == 1


def _only_other(target: Target, turn: Turn) -> Mention | None:
    """Another value of a kind that the context has once: a telephone number, a day or a clock time that no other field explains."""
    is_shown = turn.given[target.row].evidence is not None and target.kind != "date"
    if is_shown or target.kind in _OFTEN_ELSE or not _is_only(target, turn) or not turn.answer.affords(len(turn.reading.figures)):
        return None
    found = [each for each in turn.reading.figures if each.unit not in _ROUGH and fit(each, target) == 1 and _is_free(each, target, turn)]
    if len(found) != 1 or found[0].is_loose or compare(found[0], target) is not Relation.DIFFERENT:
        return None
    other = found[0]
    if not turn.is_affirmed(other.span) or turn.is_known(other.span) or turn.is_in_the_question(other.span):
        return None
    if is_explained(Bond(other, target, ENOUGH, is_near=False), turn):
        return None
    is_told = target.kind == "code" or id(other) in turn.owner or turn.is_of_the_record(other.first, other.span, target)
    is_told = is_told or (target.kind == "dose" and _is_given(other, turn))
    return other if is_told else None


def _is_given(mention: Mention, turn: Turn) -> bool:
    """Return True if a sentence or clause tells somebody to take a dose, or to give it to the one whose it is: "Give her 10 mL"."""
    before = turn.answer.words[max(0, mention.first - _GIVEN_WITHIN) : mention.first]
    if len(before) < _GIVEN_WITHIN:
        before = ["", *before]
    return before[-1] in ("take", "inject") or (before[-2] == "give" and before[-1] in _WHOM)


def _of_a_sibling(target: Target, turn: Turn) -> Span | None:
    """A figure that stands where this entity is in focus, and is another's: "Elm Clinic is $95", which is what Oak Clinic asks."""
    if not target.entity:
        return None
    figures = turn.figures_of(target.entity)
    if not figures or turn.reading.size_of_group(target) > _MOST_SIBLINGS:
        return None
    siblings = turn.reading.siblings(target)
    if not turn.answer.affords(len(figures) + len(siblings)):
        return None
    for mention in figures:
        bond = turn.owner.get(id(mention))
        is_other = fit(mention, target) == 1 and compare(mention, target) is Relation.DIFFERENT and not mention.is_loose
        if not is_other or (bond is not None and bond.target is not target) or not turn.is_affirmed(mention.span):
            continue
        if any(compare(mention, each) is Relation.EQUAL for each in siblings) and not _is_of_its_entity(mention, target, turn):
            return mention.span
    return None


def _is_of_its_entity(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if another field of the same entity has the value."""
    return any(
        other.entity == target.entity and fit(mention, other) == 1 and compare(mention, other) is Relation.EQUAL
        for other in turn.others(target)
    )


def _is_free(mention: Mention, target: Target, turn: Turn) -> bool:
    bond = turn.owner.get(id(mention))
    is_day = target.kind != "date" or mention.kind is MentionKind.DATE
    return is_day and (bond is None or bond.target is target) and turn.assertion(mention.span).kind is not AssertionKind.CORRECTED
