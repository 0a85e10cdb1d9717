"""Adds endpoints, chooses mail, switches them, and has deliveries sent again. Each action is one transaction with its event."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.shortcuts import get_object_or_404

from reviewers.accounts.audit import SYSTEM, Actor, user_actor
from reviewers.accounts.encryption import encrypt
from reviewers.accounts.models import Membership
from reviewers.accounts.policies import Refused
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.ledger.mutable_rows import current_row
from reviewers.web.models import advisory_lock
from reviewers.webhooks.jobs import defer
from reviewers.webhooks.messages import new_secret
from reviewers.webhooks.models import Attempt, Delivery, DueDelivery, Endpoint, OffReason
from reviewers.webhooks.outbox import due


@transaction.atomic
def add_endpoint(*, address: str, kinds: Sequence[str], by: Membership, now: datetime, includes_text: bool = False) -> tuple[Endpoint, str]:
    """Add an endpoint; return it with its secret, which is not shown again. It stays marked for protected text, or not, for good."""
    advisory_lock(f"endpoints {by.organisation_id}")
    check_can_be_added(by.organisation_id)
    secret = new_secret()
    endpoint = Endpoint.objects.create(
        organisation_id=by.organisation_id,
        address=address,
        kinds=sorted(kinds),
        includes_text=includes_text,
        sealed_secret=encrypt(secret),
        created_by_id=by.user_id,
        created_at=now,
    )
    _record(Action.ENDPOINT_ADDED, endpoint, user_actor(by.user_id), now, {"kinds": endpoint.kinds, "text": includes_text})
    return endpoint, secret


@transaction.atomic
def choose_mail(*, kinds: Sequence[str], is_daily: bool, by: Membership, now: datetime) -> None:
    """Choose what a member gets mail about, at once or once a day; with no kinds the mail is turned off."""
    advisory_lock(f"endpoints {by.organisation_id}")
    endpoint = Endpoint.objects.filter(organisation=by.organisation_id, subscriber=by.user_id).select_for_update(no_key=True).first()
    actor = user_actor(by.user_id)
    if not kinds:
        if endpoint is not None:
            _switch(endpoint, OffReason.PERSON, actor, now)
        return
    if endpoint is None:
        made = {"organisation_id": by.organisation_id, "subscriber_id": by.user_id, "created_by_id": by.user_id, "created_at": now}
        endpoint = Endpoint.objects.create(**made, kinds=sorted(kinds), is_daily=is_daily)
        _record(Action.ENDPOINT_ADDED, endpoint, actor, now, {"kinds": endpoint.kinds})
    else:
        endpoint.kinds, endpoint.is_daily = sorted(kinds), is_daily
        endpoint.save(update_fields=["kinds", "is_daily"])
    _record(Action.MAIL_CHOSEN, endpoint, actor, now, {"kinds": endpoint.kinds, "daily": is_daily})
    _switch(endpoint, "", actor, now)


@transaction.atomic
def switch_endpoint(*, endpoint_id: UUID, on: bool, by: Membership, now: datetime) -> Endpoint:
    """Switch an endpoint on or off. What waits for it is kept, and sent when it is on again. Mail is turned on by its reader alone."""
    endpoint = _locked(endpoint_id, by.organisation_id)
    if on and endpoint.subscriber_id:
        raise Refused("Mail is turned on by whoever gets it, under “your account”.")
    _switch(endpoint, "" if on else OffReason.PERSON, user_actor(by.user_id), now)
    if on:
        DueDelivery.objects.filter(endpoint=endpoint).update(due_at=now, failures=0)
        defer(endpoint.pk, endpoint.organisation_id)
    return endpoint


@transaction.atomic
def send_again(*, delivery_id: UUID, by: Membership, now: datetime) -> Delivery:
    """Have a delivery sent again, with the identifier and the body that it had."""
    found = get_object_or_404(Delivery, pk=delivery_id, organisation=by.organisation_id)
    _locked(found.endpoint_id, by.organisation_id)
    check_can_be_sent_again(found)
    due(found, now).save(force_insert=True)
    event = Event(Action.DELIVERY_ASKED_AGAIN, by.organisation_id, user_actor(by.user_id), now, "delivery", found.pk)
    record(event)
    defer(found.endpoint_id, by.organisation_id)
    return found


@transaction.atomic
def store_attempt(*, attempt: Attempt, next_at: datetime | None, off: OffReason | None) -> None:
    """Store an attempt; its event commits to the delivery, too, as what was sent.

    The delivery is due again at ``next_at``, or no longer; with ``off`` its endpoint goes off, for that reason.
    """
    endpoint = _locked(attempt.delivery.endpoint_id, attempt.organisation_id)
    attempt.save(force_insert=True)
    details = {"delivered": not attempt.reason}
    told: dict[str, Any] = {"details": details, "rows": rows_of([attempt.delivery, attempt])}
    record(Event(Action.DELIVERY_ATTEMPTED, attempt.organisation_id, SYSTEM, attempt.ended_at, "delivery", attempt.delivery_id, **told))
    rows = DueDelivery.objects.filter(pk=attempt.delivery_id)
    if next_at is None:
        rows.delete()
    else:
        rows.update(due_at=next_at, failures=F("failures") + 1)
    if off and not endpoint.off_reason:
        _switch(endpoint, off, SYSTEM, attempt.ended_at)


def _locked(endpoint_id: UUID, organisation_id: UUID) -> Endpoint:
    locked = Endpoint.objects.select_for_update(no_key=True)
    return get_object_or_404(locked, pk=endpoint_id, organisation=organisation_id)


def _switch(endpoint: Endpoint, off_reason: str, by: Actor, now: datetime) -> None:
    if endpoint.off_reason == off_reason:
        return
    endpoint.off_reason, endpoint.switched_at = off_reason, now
    endpoint.save(update_fields=["off_reason", "switched_at"])
    _record(Action.ENDPOINT_SWITCHED, endpoint, by, now, {"on": not off_reason, "reason": str(off_reason)})


def _record(action: Action, endpoint: Endpoint, by: Actor, now: datetime, details: dict[str, Any]) -> None:
    record(Event(action, endpoint.organisation_id, by, now, "endpoint", endpoint.pk, details, rows=[current_row(endpoint)]))


MOST_ENDPOINTS = 20


def check_can_be_added(organisation_id: UUID) -> None:
    """Refuse another endpoint while there are very many: each costs a message for everything that happens."""
    if Endpoint.objects.filter(organisation=organisation_id, subscriber=None).count() >= MOST_ENDPOINTS:
        raise Refused(f"There are {MOST_ENDPOINTS} endpoints already, which is the most.")


def check_can_be_sent_again(delivery: Delivery) -> None:
    """Refuse to send a delivery again that is still to be sent, or whose endpoint is off."""
    if delivery.endpoint.off_reason:
        raise Refused("The endpoint is off. Switch it on first; what waits is sent then.")
    if DueDelivery.objects.filter(pk=delivery.pk).exists():
        raise Refused("This delivery waits to be sent already.")
