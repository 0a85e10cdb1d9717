"""What the ledger may not tell somebody who reviews blind: what others did with an answer or found it by, and what its plan drew it by."""

from __future__ import annotations

import json
from collections.abc import Sequence
from uuid import UUID

from django.db.models import QuerySet

from reviewers.accounts.models import Membership
from reviewers.accounts.stepping_up import Purpose
from reviewers.ledger.events import Action
from reviewers.ledger.models import AuditEvent
from reviewers.ledger.withholding import hide_events
from reviewers.review.models import QueueItem, Submission
from reviewers.review.plans.visibility import OF_WORK, Viewer, hides_engine_from, hides_work_from, is_of_engine, viewer_of

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


_LISTS = frozenset({Action.QUEUE_VIEWED, Action.QUEUE_SEARCHED})
_PROOFS = frozenset({Action.PROOF_GIVEN, Action.PROOF_REFUSED})


def hidden_from(member: Membership, events: Sequence[AuditEvent]) -> set[UUID]:
    """Return the events of others about answers whose labels are hidden from a member, about their plans, and their proofs to sign them."""
    viewer = viewer_of(member)
    others = [each for each in events if each.actor_id != member.user_id and each.action not in _HARMLESS]
    if not others or not viewer.may_label:
        return set()
    about = {each.object_id for each in others}
    own = QueueItem.objects.filter(organisation=member.organisation_id)
    hidden = set(own.filter(hides_work_from(viewer), pk__in=about).values_list("pk", flat=True))
    hidden |= set(own.filter(hides_engine_from(viewer), plan__in=about).values_list("plan_id", flat=True).distinct())
    found = {each.pk for each in others if each.object_id in hidden}
    found |= _narrowed([each for each in others if each.action in _LISTS], own, viewer)
    return found | _to_sign([each for each in others if each.action in _PROOFS], own.filter(hides_work_from(viewer)), member.user_id)


def _narrowed(events: Sequence[AuditEvent], own: QuerySet[QueueItem], viewer: Viewer) -> set[UUID]:
    """Return the lists that others narrowed by what is hidden from a viewer: that an answer was in one, or was not, tells it."""
    narrowed = {each.pk: _filters_of(each) for each in events}
    by_work = {pk for pk, names in narrowed.items() if names & set(OF_WORK)}
    by_engine = {pk for pk, names in narrowed.items() if any(map(is_of_engine, names - set(OF_WORK)))}
    found: set[UUID] = set()
    if by_work and own.filter(hides_work_from(viewer)).exists():
        found |= by_work
    if by_engine and own.filter(hides_engine_from(viewer)).exists():
        found |= by_engine
    return found


def _filters_of(event: AuditEvent) -> set[str]:
    return set(json.loads(bytes(event.body)).get("details", {}).get("filters", ()))


def _to_sign(proofs: Sequence[AuditEvent], hidden: QuerySet[QueueItem], viewer_id: UUID) -> set[UUID]:
    """Return the proofs by which others who have submitted hidden work went to sign: when they did tells what they changed before."""
    signing = {each.pk: each.object_id for each in proofs if each.object_id != viewer_id and _is_to_sign(each)}
    if not signing:
        return set()
    submitted = Submission.objects.filter(reviewer__in=set(signing.values()), snapshot__in=hidden.values("pk"))
    who = set(submitted.values_list("reviewer_id", flat=True))
    return {pk for pk, person in signing.items() if person in who}


def _is_to_sign(event: AuditEvent) -> bool:
    return bool(json.loads(bytes(event.body))["details"].get("purpose") == Purpose.SIGN)


hide_events(hidden_from)
