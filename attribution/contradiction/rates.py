"""Another rate than the record's: "three times a day" where ``times_per_day`` is 2."""

from __future__ import annotations

from collections.abc import Iterator

from attribution.contradiction.rival import Rival
from attribution.contradiction.standing import is_asked, is_denied, is_supposed
from attribution.contradiction.turn import Turn
from attribution.matchers.rate import is_meant, period_of, rates_in
from attribution.model import FieldType, Span
from attribution.numbers import canonical_value

_MOST_ROWS = 200


def rates(turn: Turn) -> Iterator[tuple[int, Rival]]:
    """Another number of times for each field that counts by a period and is not shown."""
    rows = [(number, period) for number in turn.of(FieldType.NUMERIC)[:_MOST_ROWS] if (period := period_of(turn.rows[number].field.leaf))]
    recorded = {canonical_value(turn.rows[number].field.value) for number, _ in rows}
    for period in dict.fromkeys([period for _, period in rows]):
        for rate in rates_in(turn.answer, period):
            meant = [number for number, its in rows if its == period and is_meant(rate, turn.rows[number].field.leaf)]
            is_open = len(meant) == 1 and turn.rows[meant[0]].evidence is None and rate.key not in recorded
            if is_open and _is_said(rate.span, turn):
                yield meant[0], Rival(turn.answer.as_written(rate.span), rate.span, f"so often in a {period}")


def _is_said(span: Span, turn: Turn) -> bool:
    answer = turn.answer
    asked = is_asked(answer.sentence_at(span[0]), answer)
    return not (asked or is_supposed(span, answer) or is_denied(span, answer))
