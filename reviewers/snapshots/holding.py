"""A snapshot never changes but by a redaction: what would write down words of it that were read before takes turns with that."""

from __future__ import annotations

from uuid import UUID

from reviewers.web.turns import wait_for_turn


def hold(snapshot_id: UUID) -> None:
    """Until the end of the transaction nobody else holds this snapshot."""
    wait_for_turn(f"snapshot {snapshot_id}")
