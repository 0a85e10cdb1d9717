"""The backend that ``DATABASES`` names for the web's role."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.backends.postgresql import base
from django.db.backends.postgresql.base import ServerBindingCursor  # type: ignore[attr-defined]  # one that Django's types leave out

from reviewers.web.postgresql.cursor import WalledCursor, forget, tell
from reviewers.web.postgresql.preparing import Prepared


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own, whose cursors tell the database whose rows may be seen."""

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

    def binary_cursor(self) -> Any:
        """One whose values go over beside the statement, in binary form where it says so. In a transaction."""
        with self.wrap_database_errors:
            self.ensure_connection()
            tell(self.connection)
            return self._prepare_cursor(ServerBindingCursor(self.connection))  # type: ignore[attr-defined]  # the same

    def _savepoint_rollback(self, sid: str) -> None:
        super()._savepoint_rollback(sid)  # type: ignore[misc]  # one of Django's own, which its types leave out
        forget(self.connection)
