"""Background work of the ledger: verifying when somebody asks for it, and sealing events continually."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import TypeVar
from uuid import UUID

import structlog
from django.db import OperationalError, close_old_connections, connection, transaction
from django.utils import timezone
from procrastinate.contrib.django import app
from procrastinate.exceptions import AlreadyEnqueued

from reviewers.accounts.audit import SYSTEM, Actor
from reviewers.ledger import sequencer
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.ledger.models import Verification
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.ledger.verification.organisation import Verified, verify
from reviewers.web.jobs import LONG, lock_of
from reviewers.web.tenancy import tenant

_log = structlog.get_logger()


@transaction.atomic
def request_verification(*, organisation_id: UUID, by: Actor, at: datetime) -> None:
    """Queue a verification, unless one is waiting already, and record the request. An organisation has one at a time."""
    name = f"verify {organisation_id}"
    with suppress(AlreadyEnqueued), transaction.atomic():
        verify_ledger.configure(queueing_lock=name, lock=lock_of(organisation_id)).defer(organisation_id=str(organisation_id))
    record(Event(Action.VERIFICATION_ASKED, organisation_id, by, at, "organisation", organisation_id))


def run_verification(*, organisation_id: UUID, begun_at: datetime) -> Verification:
    """Verify an organisation's ledger and store the result.

    An error that ends it is a difference, too: otherwise a person who causes one would keep an older result on the page.
    """
    found, difference = Verified(0, 0, 0, 0), ""
    try:
        found = verify(organisation_id=organisation_id)
    except LedgerMismatch as error:
        difference = str(error)
    except OperationalError:
        raise
    except Exception as error:  # noqa: BLE001 — whatever it is, nothing says that the rest agrees
        _log.exception("verification_broke", organisation=str(organisation_id))
        difference = f"An error ended the verification ({type(error).__name__}). What it had not come to was not compared."
    with tenant.within(organisation_id):
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


# Sealing. The worker asks a few times a second whether events wait, which costs one look at a mostly empty table. NOTIFY instead would
# make concurrent transactions that write events wait for each other at commit.

PAUSE = 0.25
"""Seconds between two looks."""

_AFTER_TROUBLE = 2
T = TypeVar("T")


def seal_continually(stop: threading.Event) -> None:
    """Seal events until `stop` is set. Failures of the database or of one organisation's log are logged, and tried again."""
    while not stop.wait(PAUSE):
        if not _seal_round():
            stop.wait(_AFTER_TROUBLE)
    connection.close()


def _seal_round() -> bool:
    """Seal the waiting events of each organisation; return True if all succeeded. One failing log does not stop the others."""
    close_old_connections()
    organisations = _tried(sequencer.waiting)
    if organisations is None:
        return False
    now = timezone.now()
    sealed = [_tried(partial(sequencer.seal, organisation_id=organisation_id, now=now)) for organisation_id in organisations]
    return None not in sealed


def _tried(call: Callable[[], T]) -> T | None:
    try:
        return call()
    except Exception:  # noqa: BLE001 — whatever it is, the loop goes on
        _log.exception("sealing_failed")
        connection.close()
        return None


@app.task(queue=LONG)
def verify_ledger(organisation_id: str) -> None:
    """Verify an organisation's ledger and store the result."""
    run_verification(organisation_id=UUID(organisation_id), begun_at=timezone.now())
