"""From mentions to rows: what is found, what is contradicted, and what is only mentioned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from attribution.answer import Answer
from attribution.assertion import AssertionKind
from attribution.binding.assignment import Bond
from attribution.comparison.contradictions import rivals_of
from attribution.comparison.contradictions.name_runs import TELLING, cues_of
from attribution.comparison.contradictions.turn import ARRANGING, Rival, contradiction_of
from attribution.comparison.contradictions.turn import Turn as Unexplained
from attribution.comparison.figure_rows import judge_figure
from attribution.comparison.figures import Relation, compare, fit
from attribution.comparison.flag_doubts import is_of_oneself, is_unsure, is_word_of_another
from attribution.comparison.flag_rows import judge_flag
from attribution.comparison.frames import is_general
from attribution.comparison.ownership import is_owned_by_another
from attribution.comparison.results import Results, without_evidence
from attribution.comparison.stated import is_explained, is_of_opening
from attribution.comparison.translated import find_translated
from attribution.comparison.turn import DENIED, ENOUGH, MOST_COMPARED, NAMED, SILENT, Turn
from attribution.comparison.value_rows import judge_value
from attribution.comparison.wording import other_words
from attribution.mentions.measures import PART, PERIOD
from attribution.mentions.mention import Mention, MentionKind
from attribution.model import FieldAttribution
from attribution.profile import Profile
from attribution.reading import FIGURES
from attribution.schema.target import Target
from attribution.schema.terms import Hit
from attribution.text import words

# Figures that no field explains, as another value of the one field of their kind that the answer shows nothing of.

_TELLING = frozenset({"money", "date", "time", "code", "year", "measure"})
"""Kinds of which an answer has few figures that are about nothing on record."""
_DAYS = (MentionKind.DATE, MentionKind.WEEKDAY)
_BEFORE_THE_DAY = (["next"], ["this"], ["coming"])
"""Words before a weekday that make it one day."""
_VAGUE = frozenset({"hour", "month", "day", "second", PERIOD, PART})
_FIRST_YEAR, _LAST_YEAR = 1_900, 2_100
_MOST = 60
_MODALS = words("could may might would can")
_TIME = ("time", "months")
_NEAR, _REACH = 4, 8
_ALIKE = 0.02
_MOST_TIMES = 12
_BOUNDS = words("earliest latest")
_PRICES = words("price cost fee fees rent fare rate charge total amount copay tuition ticket")
"""Words for something that costs money, without its name."""


def mark_left_over(turn: Turn, results: Results) -> None:
    """Contradict a field by a figure that nothing explains, where a label or the want of any other field says which it is of."""
    targets = [target for target in turn.reading.targets if _kind(target) in _TELLING][:MOST_COMPARED]
    open_ = [target for target in targets if _is_open(target, results)]
    if not open_:
        return
    for mention in _unexplained(targets, turn):
        if not turn.answer.affords(len(targets)):
            return
        bond = turn.owner.get(id(mention))
        if bond is not None and bond.target not in open_:
            continue
        rivals = [target for target in open_ if _may_be_meant(mention, target, turn)]
        chosen = _named(mention, rivals, targets, turn) or _only(mention, rivals, turn)
        for target in chosen:
            results.contradict(
                target, mention.span, turn.answer.as_written(mention.span), "is another value, and no other field of its kind is left"
            )
        if chosen:
            open_ = [target for target in open_ if target not in chosen]


def _kind(target: Target) -> str:
    """The kind of a field's value; a year is one by the name of its field, and what is no length of time is a measure."""
    if target.kind == "duration" and target.unit not in _TIME:
        return "measure"
    return "year" if target.kind == "number" and "year" in target.name.words else target.kind


def _is_open(target: Target, results: Results) -> bool:
    """Return True if the answer shows nothing of a field, and another value could be said of it."""
    row = results.rows[target.row]
    if row.is_used or row.contradiction or row.mentioned:
        return False
    return not (target.name.is_past or target.values[:1] == (0,)) and _BOUNDS.isdisjoint(target.name.words)


def _unexplained(targets: Sequence[Target], turn: Turn) -> Iterator[Mention]:
    """The figures that are stated of the record, which no field and no word of the user says."""
    for mention in turn.reading.figures[:_MOST]:
        bond = turn.owner.get(id(mention))
        if mention.follows is not None and mention.follows.kind is mention.kind:
            continue
        if mention.is_loose or mention.unit in _VAGUE or not _is_one_day(mention, turn) or not turn.is_affirmed(mention.span):
            continue
        if (mention.other_end is not None and mention.kind is not MentionKind.DATE) or _is_supposed(mention, turn):
            continue
        if (bond is not None and bond.weight >= ENOUGH) or turn.is_known(mention.span) or _is_the_users(mention, turn):
            continue
        if not turn.answer.affords(len(targets)):
            return
        if not any(_fits(mention, target) and compare(mention, target) is not Relation.DIFFERENT for target in targets):
            yield mention


def _is_one_day(mention: Mention, turn: Turn) -> bool:
    """Return True if a figure is no day of the week that any week has."""
    return mention.kind is not MentionKind.WEEKDAY or turn.answer.words[mention.first - 1 : mention.first] in _BEFORE_THE_DAY


def _is_supposed(mention: Mention, turn: Turn) -> bool:
    """Return True if a figure only may be so: "you could pay $90"."""
    return not _MODALS.isdisjoint(turn.answer.words[max(0, mention.first - _NEAR) : mention.first])


def _is_the_users(mention: Mention, turn: Turn) -> bool:
    return bool(turn.answer.asked) and turn.answer.as_written(mention.span).lower() in turn.answer.asked.lower()


def _fits(mention: Mention, target: Target) -> bool:
    if _kind(target) == "year":
        value = mention.values[0]
        is_year = mention.kind is MentionKind.NUMBER and not (mention.unit or mention.counted)
        return is_year and _FIRST_YEAR <= value < _LAST_YEAR
    if mention.kind is MentionKind.WEEKDAY:
        return target.kind == "date" and fit(mention, target) > 0
    return mention.kind is not MentionKind.NUMBER and fit(mention, target) == 1


def _may_be_meant(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if a figure fits a field of the entity in focus, and no marker or longer name says that it is another's."""
    if not _fits(mention, target) or _is_elsewhere(mention, target, turn) or is_of_opening(mention, target, turn):
        return False
    return not is_explained(Bond(mention, target, ENOUGH, is_near=False), turn)


def _is_elsewhere(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if an entity has the field, and another or none is in focus."""
    return bool(target.entity) and turn.reading.focus.at(mention.first, mention.last) != target.entity


def _named(mention: Mention, rivals: Sequence[Target], targets: Sequence[Target], turn: Turn) -> list[Target]:
    """The fields that the words around name, if they name no other of the kind more."""
    weights = {target.row: turn.reading.labels.affinity(mention, target).weight for target in targets if _fits(mention, target)}
    most = max(weights.values(), default=0.0)
    found = [target for target in rivals if weights.get(target.row, 0.0) > most - _ALIKE] if most >= NAMED else []
    fewest = min((len(target.name.stems) for target in found), default=0)
    found = [target for target in found if len(target.name.stems) == fewest]
    return found if len({target.field.leaf for target in found}) == 1 else []


def _only(mention: Mention, rivals: Sequence[Target], turn: Turn) -> list[Target]:
    """The fields of the one name that is left, if the record is spoken of there or the user asked for them."""
    rivals = _first_of(mention, rivals)
    if len({target.field.leaf for target in rivals}) != 1 or mention.unit == "relative" or _is_of_another_part(mention, rivals[0], turn):
        return []
    return [
        target
        for target in rivals
        if not _is_named_otherwise(mention, target, turn) and not _is_total(mention, target) and _is_told(mention, target, turn)
    ]


def _first_of(mention: Mention, rivals: Sequence[Target]) -> Sequence[Target]:
    """Return the fields of a first day, if nothing but a first and a last day is left: a day that nothing names is the first."""
    first = [target for target in rivals if target.end == "low"]
    is_day = mention.kind in _DAYS and not mention.end
    return first if is_day and first and all(target.end for target in rivals) else rivals


def _is_told(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if the record is spoken of, something is arranged, or the user has asked for the field."""
    if turn.is_of_the_record(mention.first, mention.span, target, or_before=True):
        return True
    answer = turn.answer
    said = [answer.stem_words[place] for place in answer.places_around(mention.first, answer.sentence_at(mention.span[0]))]
    return not ARRANGING.isdisjoint(said) or not answer.asked_stems.isdisjoint(target.name.stems)


def _is_named_otherwise(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if what stands right before an amount names another thing than a field: "it costs you $40" is no deductible."""
    if mention.kind is not MentionKind.MONEY or not _PRICES.isdisjoint(target.name.words):
        return False
    labels: list[Hit] = []
    for hit in turn.labels_before(mention):
        labels.append(hit)
        if any(item >= 0 and item in target.items for item in hit.meaning.items):
            return False
    return bool(labels)


def _is_total(mention: Mention, target: Target) -> bool:
    """Return True if an amount is what is recorded for one, several times."""
    if mention.kind is not MentionKind.MONEY or not target.values[0]:
        return False
    times = Fraction(mention.values[0]) / Fraction(target.values[0])
    return times.denominator == 1 and 1 < times <= _MOST_TIMES


def _is_of_another_part(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if a day or a clock time is when something else begins or ends than what the field is about."""
    if mention.kind not in (MentionKind.DATE, MentionKind.TIME):
        return False
    before = slice(max(0, mention.first - _REACH), mention.first)
    parts = TELLING.intersection(turn.answer.stem_words[before])
    return not cues_of(target.field.leaf).issuperset(parts)


_NOT_SAID = frozenset({AssertionKind.CORRECTED, AssertionKind.HYPOTHETICAL, AssertionKind.OTHER_SUBJECT, AssertionKind.QUOTED})
_NOT_STATED = SILENT | DENIED | {AssertionKind.POSSIBLE}

_STEPS_OF_PLACE = 4


def judge(rows: Sequence[FieldAttribution], answer: Answer, profile: Profile) -> list[FieldAttribution]:
    """The rows as their values were seen, after the answer has been read."""
    if answer.is_spent:
        return _contradicted(rows, rivals_of(Unexplained(rows, answer, profile)), answer)
    turn = Turn(rows, answer, profile)
    results = Results(turn)
    for target in turn.reading.targets:
        evidence = turn.given[target.row].evidence
        places = len(evidence.spans) if evidence is not None else 0
        if not answer.affords(1 + _STEPS_OF_PLACE * places + len(turn.by_row.get(target.row, ()))):
            continue
        if target.kind in FIGURES:
            judge_figure(target, turn, results)
            _judge_words(target, turn, results)
            _judge_answer(target, turn, results)
        elif target.kind == "flag":
            judge_flag(target, turn, results)
        else:
            judge_value(target, turn, results)
            _judge_answer(target, turn, results)
    if turn.reading.language != "en":
        find_translated(turn, results)
    if turn.is_read:
        mark_left_over(turn, results)
        return _contradicted(results.rows, _free_rivals(turn, results), answer)
    return results.rows


def _judge_words(target: Target, turn: Turn, results: Results) -> None:
    """Find a length of time, of which no figure is seen, by other words for it: "within the week"."""
    row = results.rows[target.row]
    is_unseen = row.evidence is None and row.contradiction is None and row.mentioned is None
    if target.kind == "duration" and is_unseen and (worded := other_words(target, turn).asserted):
        results.found(target, worded)


def _judge_answer(target: Target, turn: Turn, results: Results) -> None:
    """Say of what only tells whether there is any, of which nothing else is seen, whether the answer agrees: ``chest_pain: denies``."""
    row = results.rows[target.row]
    if target.answer is not None and row.evidence is None and row.contradiction is None and row.mentioned is None:
        judge_flag(target, turn, results)


def _free_rivals(turn: Turn, results: Results) -> Iterator[tuple[int, Rival]]:
    """Yield the values that nothing names, where one field is left that they can be of."""
    targets = {target.row: target for target in turn.reading.targets}
    for number, rival in rivals_of(Unexplained(results.rows, turn.answer, turn.profile)):
        target = targets.get(number)
        if target is None or target.kind in FIGURES or results.rows[number].contradiction is not None:
            continue
        if _is_free(rival, target, turn):
            yield number, rival


def _contradicted(rows: Sequence[FieldAttribution], rivals: Iterable[tuple[int, Rival]], answer: Answer) -> list[FieldAttribution]:
    """Return the rows, contradicted by the values that the answer states of their fields; not found where their own is denied."""
    found: dict[int, list[Rival]] = {}
    for number, rival in rivals:
        found.setdefault(number, []).append(rival)
    marked = list(rows)
    for number, its in found.items():
        row = rows[number]
        if row.evidence is not None and any(rival.denies_own for rival in its):
            row = without_evidence(row)
        marked[number] = row._replace(contradiction=contradiction_of(row.field, its, answer))
    return marked


def _is_no_answer(rival: Rival, place: int, target: Target, turn: Turn) -> bool:
    """Return True if what a yes-or-no field would be contradicted by is general, unsure, the family's, or somebody else's word."""
    if is_word_of_another(rival.span, turn):
        return True
    is_open = is_general(place, turn) or is_of_oneself(place, target, turn) or is_unsure(rival.span, target, turn)
    return rival.stated == "true" and is_open


def _is_free(rival: Rival, target: Target, turn: Turn) -> bool:
    """Return True if another value is asserted, of this entity, and bound to no other field; of what costs nothing all prices differ."""
    not_stated = _NOT_SAID if target.kind == "flag" else _NOT_STATED
    kind = turn.assertion(rival.span).kind
    if (target.field.value == 0 and target.kind != "flag") or (kind in not_stated and not rival.denies_own):
        return False
    place, last = turn.words_at(rival.span)
    if kind is AssertionKind.QUOTED or (target.kind == "flag" and _is_no_answer(rival, place, target, turn)):
        return False
    if target.kind in FIGURES:
        bonds = [Bond(mention, target, 1.0, is_near=True) for mention in turn.mentions_at(place, last)]
        if any(fit(bond.mention, target) and is_explained(bond, turn) for bond in bonds):
            return False
    return not (turn.reading.is_stray(place, last, target) or is_owned_by_another(place, last, target, turn))
