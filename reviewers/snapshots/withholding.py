"""What slices above this one keep from programs for a while, such as an attribution under blind review.

They stand above and may not be imported here, so they say here which snapshots they mean. Every answer to a program asks, whether the
snapshot was asked for or its record was sent once more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from uuid import UUID

Withholds = Callable[[Collection[UUID]], Collection[UUID]]
"""Picks out of some snapshots those whose attribution is kept back now."""

_reasons: dict[str, Withholds] = {}


def withhold(reason: str, check: Withholds) -> None:
    """Keep back attributions, and say why."""
    _reasons[reason] = check


def reasons_among(snapshot_ids: Collection[UUID]) -> Mapping[UUID, str]:
    """Return why the attributions of some snapshots are kept back, of those that are."""
    return {pk: reason for reason, check in _reasons.items() for pk in (check(snapshot_ids) if snapshot_ids else ())}


def why_withheld(snapshot_id: UUID) -> str:
    """Return why the attribution of a snapshot is kept back; nothing where it is not."""
    return reasons_among([snapshot_id]).get(snapshot_id, "")
