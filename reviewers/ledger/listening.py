"""Writes down what accounts announce."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from reviewers.accounts.announcements import Announcement, announced
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.ledger.standing import rows_standing


@receiver(announced)
def _write_down(*, announcement: Announcement, **_: Any) -> None:
    record(
        Event(
            action=Action(announcement.action),
            organisation_id=announcement.organisation_id,
            by=announcement.by,
            at=announcement.at,
            object_type=announcement.object_type,
            object_id=announcement.object_id,
            details=announcement.details,
            parts=announcement.parts,
            kept=frozenset(name for name, _ in announcement.parts),
            rows=rows_standing(announcement),
        )
    )
