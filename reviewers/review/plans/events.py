"""What the ledger may not tell somebody who reviews blind: what others did with the answer, and by what its plan drew answers."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from reviewers.accounts.models import Membership
from reviewers.ledger.events import Action
from reviewers.ledger.models import AuditEvent
from reviewers.ledger.withholding import hide_events
from reviewers.review.models import QueueItem
from reviewers.review.plans.visibility import hides_engine_from, hides_work_from, viewer_of

_HARMLESS = frozenset(
    {
        Action.SNAPSHOT_FROZEN,
        Action.SNAPSHOT_VIEWED,
        Action.RECORD_VIEWED,
        Action.ACCESS_EXPLAINED,
        Action.TEXT_REVEALED,
        Action.WHY_VIEWED,
        Action.LEASE_TAKEN,
        Action.LEASE_RENEWED,
        Action.LEASE_RELEASED,
        Action.LEASE_EXPIRED,
    }
)
"""These tell neither what the engine says nor what anybody thinks of it: that somebody opened an answer, or works on it."""


def hidden_from(member: Membership, events: Sequence[AuditEvent]) -> set[UUID]:
    """Return the events of others about answers whose labels are hidden from a member, and about the plans of such answers."""
    viewer = viewer_of(member)
    others = [each for each in events if each.actor_id != member.user_id and each.action not in _HARMLESS]
    if not others or not viewer.may_label:
        return set()
    about = {each.object_id for each in others}
    own = QueueItem.objects.filter(organisation=member.organisation_id)
    hidden = set(own.filter(hides_work_from(viewer), pk__in=about).values_list("pk", flat=True))
    hidden |= set(own.filter(hides_engine_from(viewer), plan__in=about).values_list("plan_id", flat=True).distinct())
    return {each.pk for each in others if each.object_id in hidden}


hide_events(hidden_from)
