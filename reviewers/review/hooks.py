"""Hooks that slices above this one register when the site starts, because they may not be imported here."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from reviewers.review.inbox import InboxSource
    from reviewers.review.models import QueueItem

RedactionHook = Callable[[UUID, UUID, datetime], None]
"""Called with the organisation, the item and the time, in the transaction of a redaction. An exception undoes the redaction."""

redaction_hooks: list[RedactionHook] = []

conflict_listeners: list[Callable[[QueueItem, datetime], None]] = []
"""Called when the labels of an item have come to conflict, in the transaction of the label that does."""

inbox_sources: list[InboxSource] = []
"""Further kinds of things that wait for members in their inbox."""


def run_redaction_hooks(organisation_id: UUID, item_id: UUID, at: datetime) -> None:
    """Call every hook after parts of an item were redacted."""
    for hook in redaction_hooks:
        hook(organisation_id, item_id, at)
