"""How often the database is asked."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.db import connection
from django.test.utils import CaptureQueriesContext
from psycopg.sql import Composable

_TOLD = re.compile(r"^SET LOCAL footnote\.organisation = '[^']*'; ")


def statements_of(call: Callable[[], object]) -> list[str]:
    """The statements a call makes. Savepoints are not counted: they are only what tests make of transactions."""
    with CaptureQueriesContext(connection) as captured:
        call()
    statements = [_as_text(query["sql"]) for query in captured.captured_queries]
    return [statement for statement in statements if not statement.startswith(("SAVEPOINT", "RELEASE SAVEPOINT"))]


def _as_text(statement: str | Composable) -> str:
    """COPY is composed, and asked for as it is. What is told before a statement, in one round trip with it, is no statement of its own."""
    text = statement if isinstance(statement, str) else statement.as_string()
    return _TOLD.sub("", text)
