"""What slices above this one keep from programs for a while, such as an attribution under blind review.

They stand above and may not be imported here, so they say here which snapshots they mean.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

Withholds = Callable[[UUID], bool]
"""Whether the attribution of a snapshot is kept back now."""

_reasons: dict[str, Withholds] = {}


def withhold(reason: str, check: Withholds) -> None:
    """Keep back attributions, and say why."""
    _reasons[reason] = check


def why_withheld(snapshot_id: UUID) -> str:
    """Why the attribution of a snapshot is kept back; empty where it is not."""
    return next((reason for reason, check in _reasons.items() if check(snapshot_id)), "")
