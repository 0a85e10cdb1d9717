"""What slices above this one do once something was redacted, such as letting go of copies. They may not be imported here, so they say so.

They act in the same transaction; an exception of theirs undoes the redaction.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from uuid import UUID

RedactionHook = Callable[[UUID, UUID, datetime], None]
"""Called with the organisation, the item and the moment."""

_followers: list[RedactionHook] = []


def add_redaction_hook(follow: RedactionHook) -> None:
    """Have this called for every redaction that was approved."""
    _followers.append(follow)


def run_redaction_hooks(organisation_id: UUID, item_id: UUID, at: datetime) -> None:
    """Something was redacted of an item."""
    for follow in _followers:
        follow(organisation_id, item_id, at)
