"""What a hold is to cover, and why, before it is placed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from uuid import UUID

from reviewers.review.hold_models import HoldKind


@dataclass(frozen=True, slots=True)
class HoldTerms:
    """One of a reference, a plan and a period, according to the kind."""

    kind: HoldKind
    reason: str
    reference: str = ""
    plan_id: UUID | None = None
    since: date | None = None
    until: date | None = None
