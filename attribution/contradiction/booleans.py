"""Yes-or-no fields: the opposite stated, and the field's own polarity nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from attribution.contradiction.rival import Rival
from attribution.contradiction.turn import Turn
from attribution.matchers import boolean
from attribution.model import FieldAttribution, FieldType

_REPLIED = "replied"


def booleans(turn: Turn) -> Iterator[tuple[int, Rival]]:
    """A statement of the field's subject with the other polarity."""
    for number in turn.of(FieldType.BOOLEAN):
        if _is_said(turn.rows[number], number, turn):
            yield from _opposite(number, turn)


def _is_said(row: FieldAttribution, number: int, turn: Turn) -> bool:
    """Whether the answer may speak of a field and does not state its own value outright; a reply states it less than a sentence does."""
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
        ):
            word = each.reply or each.negation
            because = f"‘{word}’" if word else "said without a negation"
            yield number, Rival(str(each.is_affirmed).lower(), each.span, because, denies_own=row.evidence is not None)
