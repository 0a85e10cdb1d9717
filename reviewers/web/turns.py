"""Turns: of those who do the same thing at once, one after the other does it."""

from __future__ import annotations

from django.db import connection


def wait_for_turn(name: str) -> None:
    """Until the end of the transaction around, it is nobody else's turn at what has this name."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])
