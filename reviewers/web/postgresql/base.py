"""The backend that ``DATABASES`` names for the web's role."""

from __future__ import annotations

import select
import time
from typing import Any

from django.db.backends.postgresql import base
from django.db.backends.postgresql.base import ServerBindingCursor  # type: ignore[attr-defined]  # one that Django's types leave out

from reviewers.web.postgresql.cursor import WalledCursor, forget, tell

_TRUSTED_FOR = 10.0
"""Seconds for which a connection that answered is taken to be there still, unless it has something to say."""


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own, whose cursors tell the database whose rows may be seen."""

    _answered_at = float("-inf")

    def is_usable(self) -> bool:
        """Whether the connection is there still.

        A server that ends one says so on it: that nothing was said can be seen without asking. One is asked that was not for a while.
        """
        now = time.monotonic()
        if self.connection is not None and now - self._answered_at < _TRUSTED_FOR and _is_quiet(self.connection):
            return True
        is_usable: bool = super().is_usable()
        self._answered_at = now if is_usable else float("-inf")
        return is_usable

    def get_connection_params(self) -> dict[str, Any]:
        """With the cursors of this house."""
        return super().get_connection_params() | {"cursor_factory": WalledCursor}

    def create_cursor(self, name: str | None = None) -> Any:
        """One that stays in the database cannot tell by itself."""
        if name:
            tell(self.connection)
        return super().create_cursor(name)

    def binary_cursor(self) -> Any:
        """One whose values go over beside the statement, in binary form where it says so. In a transaction."""
        with self.wrap_database_errors:
            self.ensure_connection()
            tell(self.connection)
            return self._prepare_cursor(ServerBindingCursor(self.connection))  # type: ignore[attr-defined]  # the same

    def _savepoint_rollback(self, sid: str) -> None:
        super()._savepoint_rollback(sid)  # type: ignore[misc]  # one of Django's own, which its types leave out
        forget(self.connection)


def _is_quiet(connection: Any) -> bool:
    """Whether nothing waits to be read: neither the end of the connection nor why it was ended."""
    waiting = select.poll()
    waiting.register(connection.fileno(), select.POLLIN)
    return not connection.closed and not waiting.poll(0)
