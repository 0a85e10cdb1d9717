"""Yes-or-no fields: the opposite stated, and the field's own polarity nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from attribution.contradiction.rival import Rival
from attribution.contradiction.turn import Turn
from attribution.matchers import boolean
from attribution.model import FieldType


def booleans(turn: Turn) -> Iterator[tuple[int, Rival]]:
    """A statement of the field's subject with the other polarity."""
    for number, row in enumerate(turn.rows):
        field = row[0]
        if (
            field[3] is FieldType.BOOLEAN
            and not row[8]
            and not field.is_hidden
            and boolean.is_spoken_of(turn.name(number).subject, turn.answer)
        ):
            for each in boolean.statements(field, turn.answer, turn.profile):
                if each.is_affirmed is not field.value and not turn.is_explained(each.span):
                    word = each.reply or each.negation
                    yield number, Rival(str(each.is_affirmed).lower(), each.span, f"‘{word}’" if word else "said without a negation")
