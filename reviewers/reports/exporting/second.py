"""The second process that writes pieces of a report. It ends with the pipe to it, however the first one ends.

It begins with this module, so nothing of the site can be imported before it has set itself up.
"""

from __future__ import annotations

from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

import django
from django.db import connection

if TYPE_CHECKING:
    from reviewers.reports.exporting.pieces import Piece


class Second:
    """The process, from the first one's side. ``begun`` counts what it was told of and has not given back."""

    def __init__(self, scope: dict[str, Any], member_id: UUID, organisation_id: UUID, form: str) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        told = (theirs, connection.settings_dict["NAME"], scope, member_id, organisation_id, form)
        self._process = context.Process(target=_serve, args=told, daemon=True)
        self._process.start()
        theirs.close()
        self.begun = 0
        self._done: SimpleQueue[Piece | None] = SimpleQueue()
        self._taking = Thread(target=self._take, daemon=True)
        self._taking.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is None:
            self._pipe.send(None)
        else:
            self._process.terminate()
        self._process.join()
        self._taking.join()
        self._pipe.close()

    def begin(self, turn: object) -> None:
        """Have a piece written."""
        self._pipe.send(turn)
        self.begun += 1

    @property
    def has_ended(self) -> bool:
        """Whether the next piece is there."""
        return not self._done.empty()

    def ended(self) -> Piece:
        """The next piece, waited for. Raises ``EOFError`` where the process came to an end of its own."""
        piece = self._done.get()
        if piece is None:
            raise EOFError
        self.begun -= 1
        return piece

    def _take(self) -> None:
        """Take what it writes out of the pipe at once, so that it never waits for somebody to read."""
        try:
            while True:
                self._done.put(self._pipe.recv())
        except (EOFError, OSError):
            self._done.put(None)


def _serve(pipe: Connection, database: str, scope: dict[str, Any], member_id: UUID, organisation_id: UUID, form: str) -> None:
    """Write what is asked for, until nobody can ask any more."""
    connection.settings_dict["NAME"] = database
    django.setup()
    from reviewers.accounts.models import Membership  # noqa: PLC0415 — see above
    from reviewers.reports.exporting.asking import ask  # noqa: PLC0415 — the same
    from reviewers.reports.exporting.pieces import write_piece  # noqa: PLC0415 — the same
    from reviewers.reports.exporting.scope import read_scope  # noqa: PLC0415 — the same
    from reviewers.web import walls  # noqa: PLC0415 — the same

    written: SimpleQueue[Piece | None] = SimpleQueue()
    sending = Thread(target=_send, args=(pipe, written), daemon=True)
    sending.start()
    with walls.within(organisation_id):
        asked = ask(read_scope(scope), Membership.objects.select_related("organisation", "user").get(pk=member_id))
        while (turn := _next(pipe)) is not None:
            written.put(write_piece(asked, form, *turn))
    written.put(None)
    sending.join()


def _send(pipe: Connection, written: SimpleQueue[Piece | None]) -> None:
    """Hand pieces over while the next is written: the first one may be too busy to take a piece out of the pipe at once."""
    with suppress(OSError):  # nobody is there any more
        while (piece := written.get()) is not None:
            pipe.send(piece)


def _next(pipe: Connection) -> Any:
    try:
        return pipe.recv()
    except EOFError:
        return None
