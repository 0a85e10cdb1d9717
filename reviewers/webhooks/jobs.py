"""Background jobs of webhooks and mail: send what is due.

A job sends what is due at one endpoint. An organisation's jobs run one after the other, and at most one waits for each endpoint: however
late its endpoints answer, other organisations' messages do not wait for them. A delivery is due until an attempt at it is stored. One whose
worker was killed meanwhile is sent again, with the same identifier.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone
from procrastinate.contrib.django import app
from procrastinate.exceptions import AlreadyEnqueued

from reviewers.accounts.encryption import decrypt
from reviewers.accounts.jobs import in_each_organisation
from reviewers.review.models import QueueItem
from reviewers.review.visibility import is_under_blind_review
from reviewers.web.jobs import WEBHOOKS
from reviewers.web.tenancy import tenant
from reviewers.webhooks.messages import body_with_text, headers_of
from reviewers.webhooks.models import Attempt, Delivery, DueDelivery, Endpoint, OffReason

_log = structlog.get_logger(__name__)

RETRY_WAITS = [timedelta(minutes=each) for each in (1, 5, 30, 120, 240, 360, 720)]
"""The waits after each failed attempt, a day together; after the last attempt a delivery is given up."""

_MOST_IN_A_MAIL = 100
_LONGEST_TURN = 10
"""Seconds after which a job begins no other sending: the endpoints beside it have their turn, and a worker that is told to stop ends."""


@dataclass(frozen=True, slots=True)
class EndpointReply:
    """The result of a sending: a status, or the reason why there is none.

    ``wait`` is how long the endpoint asks to be left alone. After a final answer the delivery is not tried again, and with ``off`` the
    endpoint goes off for that reason.
    """

    status: int | None = None
    reason: str = ""
    wait: int = 0
    off: OffReason | None = None
    is_final: bool = False

    @property
    def is_delivered(self) -> bool:
        """True if the endpoint took the message."""
        return not self.reason


def defer(endpoint_id: UUID, organisation_id: UUID) -> None:
    """Queue the sending of what is due at an endpoint, once the transaction is committed, unless a job waits to do so."""
    transaction.on_commit(partial(_queue, endpoint_id, organisation_id), robust=True)


def _queue(endpoint_id: UUID, organisation_id: UUID) -> None:
    task = send_due.configure(lock=f"webhooks {organisation_id}", queueing_lock=f"endpoint {endpoint_id}")
    with suppress(AlreadyEnqueued), transaction.atomic():
        task.defer(endpoint=str(endpoint_id), organisation=str(organisation_id))


def defer_due(deliveries: Sequence[Delivery]) -> None:
    """Queue the sending of new deliveries, but of those that are held back: ``look_for_due`` finds them once they are not."""
    newest = max(each.happened_at for each in deliveries)
    found = due_at(newest).filter(delivery__in=deliveries).order_by().values_list("endpoint", "organisation")
    for endpoint_id, organisation_id in found.distinct():
        defer(endpoint_id, organisation_id)


@app.task(queue=WEBHOOKS)
def send_due(*, endpoint: str, organisation: str) -> None:
    """Send what is due at an endpoint, until one fails or the endpoint goes off. What is left is looked at again a minute later."""
    end = time.monotonic() + _LONGEST_TURN
    with tenant.within(UUID(organisation)):
        while time.monotonic() < end:
            due = due_at(timezone.now()).filter(endpoint=UUID(endpoint)).select_related("delivery", "endpoint")
            first = due.first()
            if first is None or not _send(due[:_MOST_IN_A_MAIL] if first.endpoint.subscriber_id else [first]):
                return
        defer(UUID(endpoint), UUID(organisation))


@app.periodic(cron="* * * * *")
@app.task(queueing_lock="look_for_due", lock="look_for_due")
def look_for_due(timestamp: int) -> None:
    """Queue the sending of what has become due, at each endpoint."""
    del timestamp

    def look(organisation_id: UUID) -> None:
        endpoints = due_at(timezone.now()).filter(organisation=organisation_id).order_by().values_list("endpoint", flat=True)
        for endpoint_id in endpoints.distinct():
            defer(endpoint_id, organisation_id)

    in_each_organisation(look)


def due_at(now: datetime) -> QuerySet[DueDelivery]:
    """Return what is due at endpoints that are on, the oldest first.

    What is about an answer under blind review waits until all its reviews are in: an endpoint may belong to anybody, reviewers included.
    """
    hidden = QueueItem.objects.filter(is_under_blind_review(), pk=OuterRef("delivery__item"))
    on = Exists(Endpoint.objects.filter(pk=OuterRef("endpoint"), off_reason=""))
    return DueDelivery.objects.filter(on, ~Exists(hidden), due_at__lte=now).order_by("due_at", "pk")


def _send(due: Iterable[DueDelivery]) -> bool:
    """Send one delivery, or some in one mail, and store the attempts; return True if all were taken."""
    rows, begun_at = list(due), timezone.now()
    endpoint, deliveries = rows[0].endpoint, [row.delivery for row in rows]
    try:
        answers = _mail(endpoint, deliveries) if endpoint.subscriber_id else [_post(endpoint, deliveries[0])]
    except Exception:  # noqa: BLE001 — whatever it is, it ends this attempt and not all that wait behind it
        _log.exception("webhook_not_sent", delivery=str(rows[0].pk))
        answers = [EndpointReply(reason="Not sent: an error ended the attempt")] * len(rows)
    for row, answer in zip(rows, answers, strict=True):
        _store(row, answer, begun_at)
    return all(answer.is_delivered for answer in answers)


def _mail(endpoint: Endpoint, deliveries: Sequence[Delivery]) -> list[EndpointReply]:
    from reviewers.webhooks.mail import find_members, send_mail  # noqa: PLC0415 — it needs what is here

    member = find_members(endpoint.organisation_id, [endpoint.subscriber_id]).get(endpoint.subscriber_id)
    return send_mail(member, deliveries)


def _post(endpoint: Endpoint, delivery: Delivery) -> EndpointReply:
    from reviewers.webhooks.sender import now_in_seconds, send  # noqa: PLC0415 — slow to import

    body = body_with_text(delivery, timezone.now()) if endpoint.includes_text else delivery.body.encode()
    return send(endpoint.address, body, headers_of(decrypt(endpoint.sealed_secret), str(delivery.pk), now_in_seconds(), body))


def _store(row: DueDelivery, answer: EndpointReply, begun_at: datetime) -> None:
    """Store an attempt, and say when the delivery is tried again. What nobody took for a day is given up, and its address goes off."""
    from reviewers.webhooks.actions import store_attempt  # noqa: PLC0415 — actions queue jobs

    ended_at = timezone.now()
    attempt = Attempt(
        organisation_id=row.organisation_id,
        delivery=row.delivery,
        begun_at=begun_at,
        ended_at=ended_at,
        status=answer.status,
        reason=answer.reason,
    )
    off, next_at = answer.off, None
    if not answer.is_delivered and not answer.is_final:
        if row.failures < len(RETRY_WAITS):
            next_at = ended_at + max(RETRY_WAITS[row.failures], timedelta(seconds=answer.wait))
        elif not row.endpoint.subscriber_id:
            off = OffReason.FAILING
    store_attempt(attempt=attempt, next_at=next_at, off=off)
