"""Events about profiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Model

from reviewers.accounts.announcements import Actor
from reviewers.calibration.models import CalibrationProfile
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.ledger.rows import rows_of


def tell(
    action: Action,
    profile: CalibrationProfile,
    by: Actor,
    now: datetime,
    details: Mapping[str, Any] | None = None,
    rows: Sequence[Model] = (),
) -> None:
    """Names and counts are told; nodes, labels and reasons are committed to with their rows."""
    told = {"profile": profile.name} | dict(details or {})
    record(Event(action, profile.organisation_id, by, now, "profile", profile.id, told, rows=rows_of(rows)))
