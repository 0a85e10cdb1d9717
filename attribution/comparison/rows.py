"""From mentions to rows: what is found, what is contradicted, and what is only mentioned."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.answer import Answer
from attribution.assertion import AssertionKind
from attribution.binding.assignment import Bond
from attribution.comparison.contradictions import mark_contradictions, rivals_of
from attribution.comparison.contradictions.turn import Rival, contradiction_of
from attribution.comparison.contradictions.turn import Turn as Unexplained
from attribution.comparison.figure_rows import is_explained, judge_figure
from attribution.comparison.figures import fit
from attribution.comparison.flag_rows import judge_flag
from attribution.comparison.frames import is_general
from attribution.comparison.left_over import mark_left_over
from attribution.comparison.results import Results
from attribution.comparison.turn import DENIED, SILENT, Turn
from attribution.comparison.value_rows import judge_value
from attribution.model import FieldAttribution
from attribution.profile import Profile
from attribution.reading import FIGURES
from attribution.schema.target import Target

_NOT_SAID = frozenset({AssertionKind.CORRECTED, AssertionKind.HYPOTHETICAL, AssertionKind.OTHER_SUBJECT, AssertionKind.QUOTED})
_NOT_STATED = SILENT | DENIED | {AssertionKind.POSSIBLE}

_STEPS_OF_PLACE = 4


def judge(rows: Sequence[FieldAttribution], answer: Answer, profile: Profile) -> list[FieldAttribution]:
    """The rows as their values were seen, after the answer has been read."""
    if answer.is_spent:
        return list(mark_contradictions(rows, answer, profile))
    turn = Turn(rows, answer, profile)
    results = Results(turn)
    for target in turn.reading.targets:
        evidence = turn.given[target.row].evidence
        places = len(evidence.spans) if evidence is not None else 0
        if not answer.affords(1 + _STEPS_OF_PLACE * places + len(turn.by_row.get(target.row, ()))):
            continue
        if target.kind in FIGURES:
            judge_figure(target, turn, results)
            _judge_answer(target, turn, results)
        elif target.kind == "flag":
            judge_flag(target, turn, results)
        else:
            judge_value(target, turn, results)
            _judge_answer(target, turn, results)
    if turn.is_read:
        mark_left_over(turn, results)
        _mark_rivals(turn, results)
    return results.rows


def _judge_answer(target: Target, turn: Turn, results: Results) -> None:
    """Say of what only tells whether there is any, of which nothing else is seen, whether the answer agrees: ``chest_pain: denies``."""
    row = results.rows[target.row]
    if target.answer is not None and row.evidence is None and row.contradiction is None and row.mentioned is None:
        judge_flag(target, turn, results)


def _mark_rivals(turn: Turn, results: Results) -> None:
    """Contradict by values that nothing names, where one field is left that they can be of."""
    targets = {target.row: target for target in turn.reading.targets}
    found: dict[int, list[Rival]] = {}
    for number, rival in rivals_of(Unexplained(results.rows, turn.answer, turn.profile)):
        target = targets.get(number)
        if target is None or target.kind in FIGURES or results.rows[number].contradiction is not None:
            continue
        if _is_free(rival, target, turn):
            found.setdefault(number, []).append(rival)
    for number, rivals in found.items():
        if any(rival.denies_own for rival in rivals):
            results.keep(targets[number], [])
        row = results.rows[number]
        results.rows[number] = row._replace(contradiction=contradiction_of(row.field, rivals, turn.answer))


def _is_free(rival: Rival, target: Target, turn: Turn) -> bool:
    """Return True if another value is asserted, of this entity, and bound to no other field; of what costs nothing all prices differ."""
    not_stated = _NOT_SAID if target.kind == "flag" else _NOT_STATED
    if (target.field.value == 0 and target.kind != "flag") or (turn.assertion(rival.span).kind in not_stated and not rival.denies_own):
        return False
    place, last = turn.words_at(rival.span)
    if rival.stated == "true" and is_general(place, turn):
        return False
    if target.kind in FIGURES:
        bonds = [Bond(mention, target, 1.0, is_near=True) for mention in turn.mentions_at(place, last)]
        if any(fit(bond.mention, target) and is_explained(bond, turn) for bond in bonds):
            return False
    return not (turn.reading.is_stray(place, last, target) or turn.is_owned_by_another(place, last, target))
