"""Writes a report that is one document: the elements of each batch are a step, kept by groups and put together at the end."""

from __future__ import annotations

from django.db import transaction

from reviewers.reports.exporting import chunks
from reviewers.reports.exporting.asking import Asked
from reviewers.reports.exporting.formats.document import Document, joined, put_together
from reviewers.reports.exporting.lines import Lines
from reviewers.reports.exporting.pieces import Piece
from reviewers.reports.exporting.reading import head
from reviewers.reports.models import Export


class Documents(Lines):
    """One document. Of each batch the file has no more than the state, until all of it is there."""

    def __init__(self, export: Export, asked: Asked, document: Document) -> None:
        super().__init__(export, asked)
        self._document = document
        self._count, self._once = 0, set[str]()

    def _begin(self) -> None:
        self._step(chunks.packed(b""))

    def _take_up(self) -> None:
        for state in self._steps.states():
            self._count += state.get("count", 0)
            self._once.update(state.get("once", ()))

    @transaction.atomic
    def _keep(self, piece: Piece) -> None:
        """What stands there once is left out where an earlier piece has it."""
        fresh = {key: element for key, element in piece.once.items() if key not in self._once}
        number = self._steps.number
        for group, content in piece.groups.items():
            chunks.keep_packed(self._export, group, number, content)
        for group in {element.group for element in fresh.values()}:
            contents = [element.content for element in fresh.values() if element.group == group]
            chunks.keep(self._export, group, number, joined(contents))
        self._count += piece.count
        self._once.update(fresh)
        self._logs.add(piece.logs)
        state = self._state(piece, is_end=False) | {"count": piece.count, "once": list(fresh)}
        self._steps.keep(piece.content, state, piece.answers)

    @transaction.atomic
    def _end(self) -> None:
        """All of it, in one transaction: it takes as long as copying does. The pieces are let go of."""
        groups = self._document.groups
        whole = put_together(self._document, head(self._asked), self._count, lambda group: chunks.pieces(self._export, group))
        self._steps.keep_long(whole, self._state(None, is_end=True))
        chunks.let_go(self._export, groups)
