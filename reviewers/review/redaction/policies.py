"""What may be redacted, and who may decide it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from reviewers.accounts.policies import why_not_two_people
from reviewers.ledger.models import Redaction, RedactionOutcome
from reviewers.review.policies import Invalid, Refused
from reviewers.review.redaction.parts import Part


def check_is_there(parts: Sequence[Part], names: Collection[str]) -> None:
    """Only what is there can be proposed, and something has to be."""
    if not names:
        raise Invalid("Choose at least one part.")
    if not set(names) <= {part.name for part in parts}:
        raise Refused("Some of these parts are not there, or were redacted since you opened this page. Choose again.")


def check_is_open(redaction: Redaction) -> None:
    """A proposal is decided once."""
    decision = getattr(redaction, "decision", None)
    if decision is not None:
        raise Refused(f"This proposal has been decided already: {RedactionOutcome(decision.outcome).label.lower()}.")


def check_may_approve(redaction: Redaction, user_id: UUID, now: datetime) -> None:
    """A redaction is approved by two people (see ``two_people``)."""
    check_is_open(redaction)
    reason = why_not_two_people(
        organisation_id=redaction.organisation_id,
        proposed_by=redaction.proposed_by,
        proposed_at=redaction.proposed_at,
        decided_by=user_id,
        now=now,
    )
    if reason:
        raise Refused(reason)
