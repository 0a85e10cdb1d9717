"""Registers with the slices below: releases leases at sign-out, and keeps blind reviews out of the ledger and the API."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID

from django.contrib.auth.signals import user_logged_out
from django.db.models import F, Func, IntegerField, Q, QuerySet, Value
from django.db.models.lookups import GreaterThan
from django.dispatch import receiver
from django.utils import timezone

from reviewers.accounts.audit import Announcement
from reviewers.accounts.models import Membership, User
from reviewers.accounts.permissions import ROLE_PERMISSIONS, Permission
from reviewers.accounts.sessions import entered_in
from reviewers.accounts.sign_in.reauthentication import Purpose
from reviewers.ledger.events import Action
from reviewers.ledger.models import AuditEvent
from reviewers.review.leases import release_all, take_away
from reviewers.review.models import QueueItem, Submission
from reviewers.review.signing.queries import SignatureRow, signatures_of
from reviewers.review.visibility import (
    OF_WORK,
    PROGRAM,
    Viewer,
    hides_engine_from,
    hides_turn_beside,
    hides_work_from,
    is_of_engine,
    that_drew_hidden,
    viewer_of,
)
from reviewers.snapshots.models import Snapshot
from reviewers.web.tenancy import tenant


@receiver(user_logged_out)
def _release_leases(*, user: User | None, request: Any = None, session: Any = None, **_: Any) -> None:
    if user is not None:
        entered = entered_in(request.session if request else session or {})  # leases in other organisations belong to other sessions
        with tenant.outside():
            memberships = list(Membership.objects.filter(user=user, organisation_id__in=entered).select_related("user"))
        release_all(user_id=user.pk, memberships=memberships, now=timezone.now())


def take_leases_away(announcement: Announcement) -> None:
    """Release the leases of a member who has left or may not label any more."""
    told = announcement.details
    is_out = announcement.action == "member.role_changed" and Permission.LABEL_ITEMS not in ROLE_PERMISSIONS[told["to"]]
    if announcement.action == "member.ended" or is_out:
        take_away(holder_id=UUID(told["user"]), organisation_id=announcement.organisation_id, by=announcement.by, now=announcement.at)


# Events that are hidden from members who review blind.

_HARMLESS = frozenset(
    {
        Action.SNAPSHOT_FROZEN,
        Action.SNAPSHOT_VIEWED,
        Action.TURN_VIEWED,
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
"""Events that reveal neither what the engine says nor what a reviewer thinks: somebody opened an answer, or works on it."""

_TELLING = frozenset({Action.REDACTION_APPROVED, Action.PLAN_STARTED})
"""Events that reveal something to whoever caused them: a redaction names the tables of all rows that it changed, colleagues' among
them, and the start of a plan how many rows were seeded and how many answers its triggers called."""

_LISTS = frozenset({Action.QUEUE_VIEWED, Action.QUEUE_SEARCHED, Action.QUALITY_VIEWED})
_PROOFS = frozenset({Action.PROOF_GIVEN, Action.PROOF_REFUSED})


def hides_anything_from(member: Membership) -> bool:
    """Return True while the work on some answer of the organisation is hidden from a member."""
    viewer = viewer_of(member)
    return viewer.may_label and QueueItem.objects.filter(hides_work_from(viewer), organisation=member.organisation_id).exists()


def hidden_from(member: Membership, events: Sequence[AuditEvent]) -> set[UUID]:
    """Return the events about others' labels, plans and signatures that a member who reviews blind may not read yet."""
    viewer = viewer_of(member)
    others = [each for each in events if each.action not in _HARMLESS and (each.actor_id != member.user_id or each.action in _TELLING)]
    if not others or not viewer.may_label:
        return set()
    about = {each.object_id for each in others}
    own = QueueItem.objects.filter(organisation=member.organisation_id)
    hidden = set(own.filter(hides_work_from(viewer), pk__in=about).values_list("pk", flat=True))
    hidden.update(that_drew_hidden(viewer, about))
    found = {each.pk for each in others if each.object_id in hidden}
    found |= _narrowed([each for each in others if each.action in _LISTS], own, viewer)
    return found | _to_sign([each for each in others if each.action in _PROOFS], own.filter(hides_work_from(viewer)), member.user_id)


_NAMED = b'"filters":['
_OF_SENDERS = (b'"filters":[]', b'"filters":["model"]', b'"filters":["prompt"]', b'"filters":["model","prompt"]')
"""How the bytes of a list's event name its filters if none of them follows from what the engine found; the names are sorted."""


def most_hidden_from(member: Membership) -> Q | None:
    """Return a condition for the events that there may be very many of: others' work on hidden answers, and the lists they filtered."""
    viewer = viewer_of(member)
    own = QueueItem.objects.filter(organisation=member.organisation_id)
    if not viewer.may_label or not own.filter(hides_work_from(viewer)).exists():
        return None
    found = ~Q(action__in=_HARMLESS) & Q(object_id__in=own.filter(hides_work_from(viewer)).values("pk"))
    if own.filter(hides_engine_from(viewer)).exists():
        of_senders: list[Q] = [Q(GreaterThan(_place_of(each), 0)) for each in _OF_SENDERS]
        found |= Q(action__in=_LISTS) & Q(GreaterThan(_place_of(_NAMED), 0)) & ~reduce(or_, of_senders)
    return found & ~Q(actor_id=member.user_id)


def _place_of(sought: bytes) -> Func:
    return Func(Value(sought), F("body"), function="position", arg_joiner=" IN ", output_field=IntegerField())


def _narrowed(events: Sequence[AuditEvent], own: QuerySet[QueueItem], viewer: Viewer) -> set[UUID]:
    """Return the lists that others filtered by something hidden from the viewer.

    That an answer was or was not in such a list would reveal it.
    """
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
    """Return the proofs by which others who have submitted hidden work went to sign.

    Their times would reveal that the review was changed.
    """
    signing = {each.pk: each.object_id for each in proofs if each.object_id != viewer_id and _is_to_sign(each)}
    if not signing:
        return set()
    submitted = Submission.objects.filter(reviewer__in=set(signing.values()), snapshot__in=hidden.values("pk"))
    who = set(submitted.values_list("reviewer_id", flat=True))
    return {pk for pk, person in signing.items() if person in who}


def _is_to_sign(event: AuditEvent) -> bool:
    return bool(json.loads(bytes(event.body))["details"].get("purpose") == Purpose.SIGN)


# Attributions and signatures in the API.

BLIND_REVIEW_REASON = "under blind review: given again once all reviews are in"


def hidden_from_programs(snapshot_ids: Collection[UUID]) -> set[UUID]:
    """Return the snapshots whose attribution is hidden from programs now. Keys may be shared, so a program is treated like a reviewer."""
    return set(QueueItem.objects.filter(hides_engine_from(PROGRAM), pk__in=snapshot_ids).values_list("pk", flat=True))


def has_hidden_turn(snapshot_id: UUID) -> bool:
    """Return True if a turn that a snapshot's record may repeat is hidden from programs now."""
    names = Snapshot.objects.only("organisation_id", "conversation_id", "client_reference")
    return hides_turn_beside(names.get(pk=snapshot_id), PROGRAM)


def signatures_in_answer(organisation_id: UUID, snapshot_id: UUID) -> list[dict[str, Any]]:
    """Return the signatures of a snapshot as plain values for the API.

    The API withholds them all while the snapshot is under blind review.
    """
    return [_told(row) for row in signatures_of(organisation_id, snapshot_id)]


def _told(row: SignatureRow) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "printed_name": row.printed_name,
        "meaning": row.meaning.value,
        "signed_at": row.signed_at.isoformat(),
        "zone": row.zone,
        "review": str(row.review_id),
        "digest": row.digest,
        "standing": row.standing.value,
        "changed_since": list(row.changes),
        "is_replaced": row.is_replaced,
    }
