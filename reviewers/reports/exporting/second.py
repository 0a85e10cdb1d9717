"""The second process that writes pieces of a report. It ends with the pipe to it, however the first one ends.

It begins with this module, so nothing of the site can be imported before it has set itself up.
"""

from __future__ import annotations

from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

import django
from django.db import connection

if TYPE_CHECKING:
    from reviewers.reports.exporting.pieces import Piece


class Second:
    """The process, from the first one's side."""

    def __init__(self, scope: dict[str, Any], member_id: UUID, organisation_id: UUID, form: str) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        told = (theirs, connection.settings_dict["NAME"], scope, member_id, organisation_id, form)
        self._process = context.Process(target=_serve, args=told, daemon=True)
        self._process.start()
        theirs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pipe.close()
        self._process.join()

    def begin(self, turn: object) -> None:
        """Have a piece written."""
        self._pipe.send(turn)

    def ended(self) -> Piece:
        """The piece. Raises ``EOFError`` where the process came to an end of its own."""
        piece: Piece = self._pipe.recv()
        return piece


def _serve(pipe: Connection, database: str, scope: dict[str, Any], member_id: UUID, organisation_id: UUID, form: str) -> None:
    """Write what is asked for, until nobody can ask any more."""
    connection.settings_dict["NAME"] = database
    django.setup()
    from reviewers.accounts.models import Membership  # noqa: PLC0415 — see above
    from reviewers.reports.exporting.asking import ask  # noqa: PLC0415 — the same
    from reviewers.reports.exporting.pieces import write_piece  # noqa: PLC0415 — the same
    from reviewers.reports.exporting.scope import read_scope  # noqa: PLC0415 — the same
    from reviewers.web import walls  # noqa: PLC0415 — the same

    with walls.within(organisation_id):
        asked = ask(read_scope(scope), Membership.objects.select_related("organisation", "user").get(pk=member_id))
        while (turn := _next(pipe)) is not None:
            pipe.send(write_piece(asked, form, *turn))


def _next(pipe: Connection) -> Any:
    try:
        return pipe.recv()
    except EOFError:
        return None
