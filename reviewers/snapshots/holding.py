"""A snapshot never changes but by a redaction: what would write down words of it that were read before takes turns with that."""

from __future__ import annotations

from uuid import UUID

from django.db import connection


def hold(snapshot_id: UUID) -> None:
    """Until the end of the transaction nobody else holds this snapshot."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"snapshot {snapshot_id}"])
