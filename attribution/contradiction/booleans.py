"""Yes-or-no fields: the opposite stated, and the field's own polarity nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from attribution.contradiction.rival import Rival
from attribution.contradiction.turn import Turn
from attribution.matchers import boolean
from attribution.model import FieldAttribution, FieldType
from attribution.text import stem

_REPLIED = "replied"
_MOST_ROWS = 200


def booleans(turn: Turn) -> Iterator[tuple[int, Rival]]:
    """A statement of the field's subject with the other polarity."""
    for number in turn.of(FieldType.BOOLEAN):
        if turn.answer.is_spent:
            return
        if _is_said(turn.rows[number], number, turn):
            yield from _opposite(number, turn)


def _is_said(row: FieldAttribution, number: int, turn: Turn) -> bool:
    """Return True if the answer may speak of a field and does not state its own value outright, as a reply does not."""
    if row[8] and row[8].rule != _REPLIED:
        return False
    return boolean.is_spoken_of(turn.name(number).subject, turn.answer)


def _opposite(number: int, turn: Turn) -> Iterator[tuple[int, Rival]]:
    row = turn.rows[number]
    for each in boolean.statements(row.field, turn.answer, turn.profile):
        if (
            each.is_affirmed is not row.field.value
            and not (row.evidence and each.question)
            and not turn.is_explained_by_another(each.span, number)
            and not (each.question and _may_ask_for_another(each.question, number, turn))
        ):
            word = each.reply or each.negation
            because = f"‘{word}’" if word else "said without a negation"
            yield number, Rival(str(each.is_affirmed).lower(), each.span, because, denies_own=row.evidence is not None)


def _may_ask_for_another(word: str, number: int, turn: Turn) -> bool:
    """Return True if the word by which a question names a field is also one of another that is about more: daycare, and returning to it."""
    asked, own = stem(word), turn.name(number).subject.topics
    others = [turn.name(other).subject.topics for other in turn.of(FieldType.BOOLEAN)[:_MOST_ROWS] if other != number]
    return any(len(topics) > len(own) and any(asked in topic.forms for topic in topics) for topics in others)
