"""Makes the file of an export, in steps that are each kept before the next: what ends the work in between is gone on from there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.db import transaction

from reviewers.accounts.models import Membership
from reviewers.reports.exporting import chunks
from reviewers.reports.exporting.asking import Asked, ask
from reviewers.reports.exporting.chunks import Measured, Measuring
from reviewers.reports.exporting.concluding import conclude
from reviewers.reports.exporting.events import Logs, open_logs
from reviewers.reports.exporting.formats.every import BUNDLE, FORMATS
from reviewers.reports.exporting.loading import Key, key_of, written
from reviewers.reports.exporting.model import Part
from reviewers.reports.exporting.pieces import Piece, write_pieces
from reviewers.reports.exporting.quickly import unpack
from reviewers.reports.exporting.reading import head, read_parts
from reviewers.reports.exporting.scope import read_scope
from reviewers.reports.exporting.two_processes import is_worth_it, write_pieces_by_two
from reviewers.reports.models import Export

AT_ONCE = 50
"""So many answers are written while somebody waits; more are written by the worker."""


def asked_by(export: Export, by: Membership) -> Asked:
    """What an export asks for. Raises ``Http404`` where that is not there."""
    return ask(read_scope(export.scope), by)


def make(export: Export, by: Membership) -> tuple[list[str], Measured]:
    """Write an export's file; returns the identifiers of its answers, and the file's measures."""
    asked = asked_by(export, by)
    if FORMATS[export.form].is_lines:
        return _Lines(export, asked).make()
    seen: list[str] = []
    with transaction.atomic():
        measured = chunks.keep_all(export, chunks.FILE, FORMATS[export.form].write(read_parts(asked, seen)))
    return seen, measured


class _Lines:
    """Writes a format whose pieces are put behind each other: a step for the head, one for each batch, one for the end."""

    def __init__(self, export: Export, asked: Asked) -> None:
        self._export, self._asked = export, asked
        self._logs = open_logs(export.organisation_id)
        self._seen: list[str] = []
        self._measuring = Measuring()

    def make(self) -> tuple[list[str], Measured]:
        after = self._resume()
        if not self._is_ended:
            self._go_on(after)
        return self._seen, self._measuring.measured

    def _go_on(self, after: Key | None) -> None:
        write = write_pieces_by_two if is_worth_it(self._asked) else write_pieces
        for piece in write(self._asked, self._export.form, after=after, number=len(self._seen)):
            self._keep(piece)
        self._step(self._write(conclude(self._asked, len(self._seen), self._logs)), is_end=True)

    def _write(self, part: Part) -> bytes:
        return chunks.packed(b"".join(FORMATS[self._export.form].write([part])))

    @transaction.atomic
    def _keep(self, piece: Piece) -> None:
        self._logs.add(piece.logs)
        self._seen += piece.answers
        if self._export.form == BUNDLE:
            chunks.keep_packed(self._export, chunks.EVENTS, self._number, piece.events)
            chunks.keep_packed(self._export, chunks.DOCUMENTS, self._number, piece.documents)
        self._step(piece.content, piece.answers, piece.after)

    def _resume(self) -> Key | None:
        """Behind what was kept already; the head first, where nothing was."""
        self._number, self._is_ended = 0, False
        last = chunks.last_of(self._export)
        if last is None:
            self._step(self._write(head(self._asked)))
            return None
        self._number = last.number + 1
        self._is_ended = last.state["end"]
        _restore(self._logs, last.state["logs"])
        for piece in chunks.pieces(self._export, chunks.FILE):
            self._measuring.add(piece)
        self._seen = [pk for chunk in self._states() for pk in chunk["answers"]]
        return key_of(last.state["after"])

    def _states(self) -> Iterator[dict[str, Any]]:
        kept = self._export.chunks.filter(name=chunks.FILE).order_by("number")
        yield from kept.values_list("state", flat=True)

    def _step(self, content: bytes, answers: Sequence[str] = (), after: Key | None = None, *, is_end: bool = False) -> None:
        state = {
            "after": written(after) if after else "",
            "end": is_end,
            "answers": list(answers),
            "logs": _state_of(self._logs),
        }
        chunks.keep_packed(self._export, chunks.FILE, self._number, content, state)
        self._measuring.add(unpack(content))
        self._number += 1


def _state_of(logs: Logs) -> dict[str, Any]:
    return {"reach": logs.reach, "waiting": logs.waiting, "places": logs.places, "many": logs.are_many}


def _restore(logs: Logs, state: dict[str, Any]) -> None:
    logs.add(Logs(logs.origins, state["reach"], state["waiting"], [tuple(each) for each in state["places"]], state.get("many", False)))
