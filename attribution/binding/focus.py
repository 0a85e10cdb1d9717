"""The entity in focus: which of several providers or people the words around a place are about."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from attribution.binding.line import Line

_LINKED = 2.5
"""The longest distance from a place to the entity behind it that it belongs to, as in "10 mg of lisinopril"."""


class Focus:
    """The places at which each entity is named. ``groups`` are the entities that are beside each other."""

    __slots__ = ("_entities", "_line", "_places")

    def __init__(self, named: Iterable[tuple[int, str]], line: Line) -> None:
        ordered = sorted(named)
        self._places = [place for place, _ in ordered]
        self._entities = [entity for _, entity in ordered]
        self._line = line

    def at(self, place: int, last: int) -> str | None:
        """The entity that a place speaks of: of its row or column; the last one named before it, or one named behind it in its sentence."""
        if not self._places:
            return None
        cell = self._line.cells.get(place)
        if cell:
            return self._in_table(cell)
        number = bisect_right(self._places, place) - 1
        sentence = self._line.sentence
        behind = number + 1
        if behind < len(self._places) and sentence[self._places[behind]] == sentence[place]:
            before_here = number >= 0 and sentence[self._places[number]] == sentence[place]
            gap = self._line.at[self._places[behind]] - self._line.at[last - 1]
            if not before_here and (gap < 8 or number < 0):
                return self._entities[behind]
            if gap < _LINKED and self._line.at[place] - self._line.at[self._places[number]] > gap + 1:
                return self._entities[behind]
        return self._entities[number] if number >= 0 else None

    def _in_table(self, cell: tuple[int, int, int]) -> str | None:
        table, row, column = cell
        for place, entity in zip(self._places, self._entities, strict=True):
            there = self._line.cells.get(place)
            if there and there[0] == table and ((there[1] == row and there[2] < column) or (there[2] == column and there[1] == 0)):
                return entity
        return None
