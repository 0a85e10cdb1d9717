"""Verifying from the site: asked for on a page, done by the worker, and the result kept."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from procrastinate.exceptions import AlreadyEnqueued

from reviewers.accounts.announcements import SYSTEM, Actor
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.ledger.models import Verification
from reviewers.ledger.rows import rows_of
from reviewers.ledger.verifying.difference import Differs
from reviewers.ledger.verifying.organisation import Verified, verify
from reviewers.web import walls


@transaction.atomic
def ask(*, organisation_id: UUID, by: Actor, at: datetime) -> None:
    """Have the worker verify. Asked for again while it waits, it is done once."""
    from reviewers.ledger.jobs import verify_ledger  # noqa: PLC0415 — the job does what stands here

    with suppress(AlreadyEnqueued), transaction.atomic():
        verify_ledger.configure(queueing_lock=f"verify {organisation_id}").defer(organisation_id=str(organisation_id))
    record(Event(Action.VERIFICATION_ASKED, organisation_id, by, at, "organisation", organisation_id))


def check(*, organisation_id: UUID, begun_at: datetime) -> Verification:
    """Verify, and keep what came out."""
    found, difference = Verified(0, 0, 0, 0), ""
    try:
        found = verify(organisation_id=organisation_id)
    except Differs as error:
        difference = str(error)
    with walls.within(organisation_id):
        return _keep(organisation_id, begun_at, found, difference)


@transaction.atomic
def _keep(organisation_id: UUID, begun_at: datetime, found: Verified, difference: str) -> Verification:
    at = timezone.now()
    result = Verification.objects.create(
        organisation_id=organisation_id,
        begun_at=begun_at,
        finished_at=at,
        event_count=found.events,
        row_count=found.rows,
        checkpoint_count=found.checkpoints,
        difference=difference,
    )
    details = {"agrees": not difference}
    event = Event(Action.LEDGER_VERIFIED, organisation_id, SYSTEM, at, "organisation", organisation_id, details, rows=rows_of([result]))
    record(event)
    return result
