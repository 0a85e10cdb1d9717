"""Figures in the clause before a field's marker: what the model reports to be of the field."""

from __future__ import annotations

from collections.abc import Iterator

from attribution.contradiction.recorded import candidates_of, is_comparable, readings_of
from attribution.contradiction.rival import Rival
from attribution.contradiction.standing import is_stated
from attribution.contradiction.turn import Turn


def claims(turn: Turn) -> Iterator[tuple[int, Rival]]:
    """Another value before the marker of a field whose own value is not found."""
    for number, recorded in candidates_of(turn.cited, turn):
        for claim in turn.rows[number].claims:
            for figure in turn.answer.figures_in(*claim):
                agrees = any(recorded.agrees(each) for each in readings_of(figure, turn) if is_comparable(each, recorded))
                if (
                    is_comparable(figure, recorded)
                    and not agrees
                    and not turn.is_explained(figure.span)
                    and is_stated(figure.span, turn.answer)
                ):
                    sign = "%" if figure.kind == "percent" else ""
                    yield number, Rival(turn.answer.as_written(figure.span) + sign, figure.span, "before its marker")
