"""How often the database is asked."""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection
from django.test.utils import CaptureQueriesContext
from psycopg.sql import Composable

_NOT_COUNTED = ("SAVEPOINT", "RELEASE SAVEPOINT", "SET LOCAL footnote.organisation")


def statements_of(call: Callable[[], object]) -> list[str]:
    """Return the statements of a call. Savepoints, which tests make of transactions, and naming the tenant are not counted."""
    with CaptureQueriesContext(connection) as captured:
        call()
    statements = [_as_text(query["sql"]) for query in captured.captured_queries]
    return [statement for statement in statements if not statement.startswith(_NOT_COUNTED)]


def _as_text(statement: str | Composable) -> str:
    """COPY is composed, and asked for as it is."""
    return statement if isinstance(statement, str) else statement.as_string()
