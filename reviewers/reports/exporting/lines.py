"""Writes a report whose pieces are put behind each other: a step for the head, one for each batch, one for the end."""

from __future__ import annotations

from django.db import transaction

from reviewers.reports.exporting import chunks
from reviewers.reports.exporting.asking import Asked
from reviewers.reports.exporting.chunks import Measured
from reviewers.reports.exporting.concluding import conclude
from reviewers.reports.exporting.events import open_logs
from reviewers.reports.exporting.formats.every import BUNDLE, FORMATS
from reviewers.reports.exporting.loading import Key, key_of, written
from reviewers.reports.exporting.model import Part
from reviewers.reports.exporting.pieces import Piece, write_pieces
from reviewers.reports.exporting.reading import head
from reviewers.reports.exporting.steps import Steps, restore, state_of
from reviewers.reports.models import Export


class Lines:
    """A report of lines, or of other pieces. What is one document says by itself how it begins and ends, see ``Documents``."""

    def __init__(self, export: Export, asked: Asked) -> None:
        self._export, self._asked = export, asked
        self._logs = open_logs(export.organisation_id)
        self._steps = Steps(export)

    def make(self) -> tuple[list[str], Measured]:
        """Go on to the end; returns the identifiers of its answers, and the file's measures."""
        state = self._steps.resume()
        if state is None:
            self._begin()
            self._go_on(None)
        elif not state["end"]:
            restore(self._logs, state["logs"])
            self._take_up()
            self._go_on(key_of(state["after"]))
        return self._steps.seen, self._steps.measured

    def _go_on(self, after: Key | None) -> None:
        for piece in write_pieces(self._asked, self._export.form, after=after, number=len(self._steps.seen)):
            self._keep(piece)
        self._end()

    def _begin(self) -> None:
        self._step(self._write(head(self._asked)))

    def _take_up(self) -> None:
        """What else was kept."""

    def _end(self) -> None:
        self._step(self._write(conclude(self._asked, len(self._steps.seen), self._logs)), is_end=True)

    def _write(self, part: Part) -> bytes:
        return chunks.packed(b"".join(FORMATS[self._export.form].write([part])))

    @transaction.atomic
    def _keep(self, piece: Piece) -> None:
        chunks.wait_for_no_disk()
        self._logs.add(piece.logs)
        if self._export.form == BUNDLE:
            chunks.keep_packed(self._export, chunks.EVENTS, self._steps.number, piece.events)
            chunks.keep_packed(self._export, chunks.DOCUMENTS, self._steps.number, piece.documents)
        self._step(piece.content, piece)

    def _step(self, content: bytes, piece: Piece | None = None, *, is_end: bool = False) -> None:
        self._steps.keep(content, self._state(piece, is_end=is_end), piece.answers if piece else ())

    def _state(self, piece: Piece | None, *, is_end: bool) -> dict[str, object]:
        return {"after": written(piece.after) if piece else "", "end": is_end, "logs": state_of(self._logs)}
