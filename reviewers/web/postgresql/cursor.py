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
from psycopg.pq import TransactionStatus

from reviewers.web import walls

_UNKNOWN = UUID(int=0)
"""After a savepoint was rolled back, which takes back what was told since."""

_IN_ORDER, _IN_ANY_ORDER = "SET LOCAL join_collapse_limit = 1", "SET LOCAL join_collapse_limit = DEFAULT"


class AsWritten(str):
    """A statement whose joins the planner takes in the order in which they stand.

    For one that begins at few rows and looks the others up by their keys: weighing all orders of eight tables takes longer than reading.
    """

    __slots__ = ()


class WalledCursor(Cursor):  # type: ignore[misc]  # the same
    """Everything that Django sends goes through one of these."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        """Tell whose rows may be seen where this transaction was not told yet, and run the statement."""
        wanted = walls.current()
        is_due, is_as_written = _is_due(self.connection, wanted), isinstance(query, AsWritten)
        if not is_due and not is_as_written:
            return super().execute(query, params, **options)
        before = [_statement(wanted)] * is_due + [_IN_ORDER] * is_as_written
        super().execute("; ".join([*before, self.mogrify(query, params), *[_IN_ANY_ORDER] * is_as_written]), **options)
        for _ in before:
            self.nextset()
        if is_due:
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


def _statement(wanted: UUID | None) -> str:
    return f"SET LOCAL {walls.SETTING} = '{wanted or ''}'"
