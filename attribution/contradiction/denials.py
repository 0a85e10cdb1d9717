"""The field's own value, denied: "the risk is not high" where it is high. What looks like a use is a contradiction."""

from __future__ import annotations

from collections.abc import Iterator

from attribution.answer import Answer
from attribution.contradiction.families import families_of
from attribution.contradiction.rival import Rival
from attribution.contradiction.standing import first_place, is_asked, is_supposed
from attribution.contradiction.turn import Turn
from attribution.lexicon import CONTRACTED_BEFORE_NOT
from attribution.model import Evidence, FieldAttribution, FieldType, Span

_BETWEEN = ("a", "an", "at", "currently", "really", "actually", "considered", "longer", "means")
_DENIALS = ("not", "never", "isnt", "arent", "wasnt", "no")


def denials(turn: Turn) -> Iterator[tuple[int, Rival]]:
    """Each value of a closed set that is denied wherever it stands."""
    for number in (*turn.of(FieldType.ENUM), *turn.of(FieldType.FIELD_VALUE)):
        if turn.answer.is_spent:
            return
        row = turn.rows[number]
        evidence = row[8]
        if evidence is not None and _is_of_a_set(row):
            yield from _denied(evidence, number, turn)


def _is_of_a_set(row: FieldAttribution) -> bool:
    return row.field.type is FieldType.ENUM or bool(families_of(str(row.field.value)))


def _denied(evidence: Evidence, number: int, turn: Turn) -> Iterator[tuple[int, Rival]]:
    answer = turn.answer
    words = [_denial(span, answer) for span in evidence.spans]
    if all(words) and not any(_is_open(span, answer) for span in evidence.spans):
        for span, word in zip(evidence.spans, words, strict=True):
            yield number, Rival(f"not {answer.as_written(span)}", span, f"denied by ‘{word}’", denies_own=True)


def _denial(span: Span, answer: Answer) -> str:
    """The negation before a value, at most one word between."""
    place = first_place(span, answer)
    before = place - 1 if place and answer.words[place - 1] not in _BETWEEN else place - 2
    if before < 0 or answer.starts[before] < answer.clause_at(span[0])[0]:
        return ""
    word: str = answer.words[before]
    if word == "t" and before and answer.words[before - 1] in CONTRACTED_BEFORE_NOT:
        return f"{answer.words[before - 1]}’t"
    return word if word in _DENIALS else ""


def _is_open(span: Span, answer: Answer) -> bool:
    return is_asked(answer.sentence_at(span[0]), answer) or is_supposed(span, answer)
