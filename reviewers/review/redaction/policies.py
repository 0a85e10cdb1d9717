"""Rules on redaction: what may be redacted, and who may decide it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from reviewers.accounts.approval import check_two_people
from reviewers.accounts.permissions import Permission
from reviewers.accounts.policies import Invalid, Refused
from reviewers.ledger.models import Redaction, RedactionOutcome
from reviewers.review.redaction.parts import Part


def check_is_there(parts: Sequence[Part], names: Collection[str]) -> None:
    """Refuse a proposal without parts, or with parts that do not exist."""
    check_is_anything(names)
    if not set(names) <= {part.name for part in parts}:
        raise Refused("Some of these parts are not there, or were redacted since you opened this page. Choose again.")


def check_is_anything(names: Collection[str]) -> None:
    """Refuse a proposal without parts."""
    if not names:
        raise Invalid("Choose at least one part.")


def check_is_open(redaction: Redaction) -> None:
    """Refuse a proposal that has been decided."""
    decision = getattr(redaction, "decision", None)
    if decision is not None:
        raise Refused(f"This proposal has been decided already: {RedactionOutcome(decision.outcome).label.lower()}.")


def check_may_approve(redaction: Redaction, user_id: UUID, now: datetime) -> None:
    """Refuse to approve a proposal unless two people do it (see ``check_two_people``)."""
    check_is_open(redaction)
    check_two_people(redaction, permission=Permission.REDACT, proposed_by=redaction.proposed_by, decided_by=user_id, now=now)
