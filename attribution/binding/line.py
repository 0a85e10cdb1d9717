"""The answer's words on one line, on which the end of a clause or a sentence counts as distance; its tables; the entity in focus."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from attribution.answer import Answer

_WORDS = {"and": 1.5, "but": 4.0, "while": 4.0, "whereas": 4.0, "although": 3.0, "though": 3.0, "because": 3.0, "y": 1.5, "pero": 4.0}
_SAME_THING = (["yours"], ["hers"], ["theirs"], ["mine"])
"""Behind "but", words that go on about the thing before: "copays vary, but yours is"."""
_SIGNS = {",": 1.5, "(": 1.0, ")": 1.5, ";": 8.0, ":": 0.3, "—": 2.0, "–": 0.5, "|": 3.0, ".": 7.0, "!": 7.0, "?": 7.0, "\n": 9.0}
_PARAGRAPH = 12.0


class Cell(NamedTuple):
    """The number of a table, of a row in it and of a column; a table's first row is its head."""

    table: int
    row: int
    column: int

    def is_before(self, other: Cell) -> bool:
        """Return True if this cell is further left in the row of another."""
        return self.row == other.row and self.column < other.column

    def is_above(self, other: Cell) -> bool:
        """Return True if this cell is the head of another's column."""
        return self.row == 0 and self.column == other.column


class Line:
    """The place of each word: ``at`` on the line, in which ``sentence``, and in which cell of a table.

    ``heads`` are the stems that stand in each first cell of a row or column.
    """

    __slots__ = ("at", "cells", "heads", "sentence")

    def __init__(self, answer: Answer) -> None:
        self.sentence = _sentences(answer)
        self.at = _positions(answer, self.sentence)
        self.cells: dict[int, Cell] = _cells(answer) if "|" in answer.text else {}
        self.heads: dict[Cell, set[str]] = _heads(self.cells, answer)


def _sentences(answer: Answer) -> list[int]:
    """The number of the sentence of each word."""
    numbers: list[int] = []
    starts, ends = answer.starts, answer.sentence_ends
    for number, end in enumerate(ends):
        numbers += [number] * (bisect_left(starts, end) - len(numbers))
    return numbers + [len(ends)] * (len(starts) - len(numbers))


def _positions(answer: Answer, sentence: list[int]) -> list[float]:
    text, words, starts = answer.text, answer.words, answer.starts
    at: list[float] = []
    place, end = 0.0, 0
    for number, start in enumerate(starts):
        place += 1.0
        if start - end > 1 or (number and text[start - 1] != " "):
            place += _gap(text[end:start], is_new=number > 0 and sentence[number] != sentence[number - 1])
        word = words[number]
        if word in _WORDS and words[number + 1 : number + 2] not in _SAME_THING:
            place += _WORDS[word]
        at.append(place)
        end = start + len(word)
    return at


def _gap(between: str, *, is_new: bool) -> float:
    """Return what stands between two words, as distance. A full stop that ends no sentence counts nothing."""
    total = 0.0
    for sign in between[:40]:
        if sign in _SIGNS and (is_new or sign not in ".!?"):
            total += _SIGNS[sign]
    return total + (_PARAGRAPH if "\n\n" in between or "\n#" in between else 0.0)


def _cells(answer: Answer) -> dict[int, Cell]:
    cells: dict[int, Cell] = {}
    table, row, offset = 0, 0, 0
    for line in answer.text.split("\n"):
        stripped = line.strip()
        if stripped.startswith("|"):
            if stripped.strip("|-: \t"):
                _cells_of_row(line, offset, table, row, answer, cells)
                row += 1
        elif stripped:
            table, row = table + 1, 0
        offset += len(line) + 1
    return cells


def _heads(cells: dict[int, Cell], answer: Answer) -> dict[Cell, set[str]]:
    heads: dict[Cell, set[str]] = {}
    for place, cell in cells.items():
        if cell.row == 0 or cell.column == 0:
            heads.setdefault(cell, set()).add(answer.stem_words[place])
    return heads


def _cells_of_row(line: str, offset: int, table: int, row: int, answer: Answer, cells: dict[int, Cell]) -> None:
    bars = [offset + number for number, sign in enumerate(line) if sign == "|"]
    for place in answer.places_in((offset, offset + len(line))):
        cells[place] = Cell(table, row, bisect_right(bars, answer.starts[place]) - 1)


# The entity in focus: which of several providers or people the words around a place are about.

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

    def _in_table(self, cell: Cell) -> str | None:
        for place, entity in zip(self._places, self._entities, strict=True):
            there = self._line.cells.get(place)
            if there and there.table == cell.table and (there.is_before(cell) or there.is_above(cell)):
                return entity
        return None
