"""The backend that ``DATABASES`` names for the web's role."""

from __future__ import annotations

from math import inf
from select import POLLIN, poll
from time import monotonic
from typing import Any

from django.conf import settings
from django.db.backends.postgresql import base, operations
from django.db.backends.postgresql.base import ServerBindingCursor  # type: ignore[attr-defined]  # one that Django's types leave out
from psycopg import Error as PsycopgError

from reviewers.web.postgresql.cursor import WalledCursor, forget, tell
from reviewers.web.postgresql.preparing import Prepared

_BELIEVED = 10
"""Seconds for which a connection that was used is taken to work still."""


class DatabaseOperations(operations.DatabaseOperations):
    """Django's own, but for what it says of a statement that was sent by its name."""

    def last_executed_query(self, cursor: Any, sql: Any, params: Any) -> str:
        """The statement with its values; empty where it went over in another form."""
        del cursor
        try:
            return str(self.compose_sql(sql, params))
        except PsycopgError:
            return ""


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own, whose cursors tell the database whose rows may be seen."""

    ops_class = DatabaseOperations
    _used_at = -inf

    def get_connection_params(self) -> dict[str, Any]:
        """With the cursors of this house."""
        return super().get_connection_params() | {"cursor_factory": WalledCursor}

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """One that prepares what it is sent often, unless that is switched off."""
        connection = super().get_new_connection(conn_params)
        connection.prepared = Prepared() if settings.PREPARED_STATEMENTS else None
        return connection

    def create_cursor(self, name: str | None = None) -> Any:
        """One that stays in the database cannot tell by itself."""
        if name:
            tell(self.connection)
        return super().create_cursor(name)

    def told(self) -> Any:
        """The connection, once the database knows whose rows may be seen. In a transaction."""
        with self.wrap_database_errors:
            self.ensure_connection()
            tell(self.connection)
            return self.connection

    def binary_cursor(self) -> Any:
        """A cursor whose values go over beside the statement, in binary form where it says so. In a transaction."""
        return self._prepare_cursor(ServerBindingCursor(self.told()))  # type: ignore[attr-defined]  # the same

    def is_usable(self) -> bool:
        """Not asked where it answered a moment ago and its other end has not hung up since: each request begins with this."""
        now = monotonic()
        is_fresh = now - self._used_at < _BELIEVED and not self.errors_occurred and not _has_something_to_say(self.connection)
        if is_fresh or super().is_usable():
            self._used_at = now
            return True
        return False

    def _savepoint_rollback(self, sid: str) -> None:
        super()._savepoint_rollback(sid)  # type: ignore[misc]  # one of Django's own, which its types leave out
        forget(self.connection)


def _has_something_to_say(connection: Any) -> bool:
    """Whether anything came that nobody asked for: a connection whose other end hangs up, or says that it will."""
    if connection is None or connection.closed:
        return True
    waiting = poll()
    waiting.register(connection.fileno(), POLLIN)
    return bool(waiting.poll(0))
