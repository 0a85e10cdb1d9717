"""A cursor that tells the database whose rows may be seen, with the statement that first needs it and in the same round trip.

``SET LOCAL`` ends with the transaction. Outside of one, a statement and what is told before it are a transaction of their own. So each
transaction begins by seeing nothing, whoever had the connection before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db import ProgrammingError
from django.db.backends.postgresql.base import Cursor  # type: ignore[attr-defined]  # one that Django's types leave out
from psycopg import Connection
from psycopg.pq import PipelineStatus, TransactionStatus
from psycopg.pq.abc import PGconn

from reviewers.web import walls
from reviewers.web.postgresql.preparing import Prepared, is_worth_it

_READY = {TransactionStatus.IDLE, TransactionStatus.INTRANS}
_UNKNOWN = UUID(int=0)
"""After a savepoint was rolled back, which takes back what was told since."""


class WalledCursor(Cursor):  # type: ignore[misc]  # the same
    """Everything that Django sends goes through one of these."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        """Tell whose rows may be seen where this transaction was not told yet, and run the statement."""
        wanted = walls.current()
        is_due = _is_due(self.connection, wanted)
        called = _call(self.connection, query, params)
        if not is_due:
            return super().execute(*((called,) if called else (query, params)), **options)
        super().execute(_statement(wanted).encode() + b"; " + (called or self.mogrify(query, params).encode()), **options)
        self.nextset()
        _note(self.connection, wanted)
        return self

    def executemany(self, query: Any, params_seq: Iterable[Sequence[Any]], **options: Any) -> Any:
        """The same for a statement that is run many times."""
        tell(self.connection)
        return super().executemany(query, params_seq, **options)

    def copy(self, *arguments: Any, **options: Any) -> Any:
        """The same for COPY, which stands alone."""
        tell(self.connection)
        return super().copy(*arguments, **options)

    def stream(self, *arguments: Any, **options: Any) -> Any:
        """The same for rows that come one at a time."""
        tell(self.connection)
        return super().stream(*arguments, **options)


def tell(connection: Connection[Any]) -> None:
    """Tell a transaction whose rows may be seen, for statements that nothing can be put before."""
    wanted = walls.current()
    if not _is_due(connection, wanted):
        return
    if connection.autocommit and connection.pgconn.transaction_status == TransactionStatus.IDLE:
        raise ProgrammingError("This statement needs a transaction around it: what it may see is told to a transaction.")
    with connection.cursor() as cursor:
        Cursor.execute(cursor, _statement(wanted))
    _note(connection, wanted)


def forget(connection: Connection[Any]) -> None:
    """What this transaction was told may have been taken back."""
    _note(connection, _UNKNOWN)


def _is_due(connection: Connection[Any], wanted: UUID | None) -> bool:
    """Whether the transaction has to be told. One that has failed cannot be told anything, and shows nothing more."""
    status = connection.pgconn.transaction_status
    if status == TransactionStatus.IDLE:
        _note(connection, None)
    elif status != TransactionStatus.INTRANS:
        return False
    return getattr(connection, "told", None) != wanted


def _note(connection: Connection[Any], told: UUID | None) -> None:
    connection.told = told  # type: ignore[attr-defined]


def _call(connection: Connection[Any], query: Any, params: Any) -> bytes | None:
    """The statement by the name under which the connection has prepared it, if it has."""
    prepared: Prepared | None = getattr(connection, "prepared", None)
    if prepared is None or not _is_ready(connection.pgconn) or not is_worth_it(query, params):
        return None
    return prepared.call(connection, query, params)


def _is_ready(pgconn: PGconn) -> bool:
    """Whether it takes commands of its own: neither within a transaction that has failed nor while statements go over without waiting."""
    return pgconn.transaction_status in _READY and pgconn.pipeline_status == PipelineStatus.OFF


def _statement(wanted: UUID | None) -> str:
    return f"SET LOCAL {walls.SETTING} = '{wanted or ''}'"
