"""Gives a log another key: an event says so, the old key signs the new one, and both sign the checkpoint that seals it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction

from reviewers.accounts.announcements import Actor
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.ledger.keys import make_signer
from reviewers.ledger.logs import Opened, open_log
from reviewers.ledger.merkle.note import Verifier
from reviewers.ledger.merkle.strict import encode
from reviewers.ledger.models import LogKey
from reviewers.ledger.publishing import open_shelf
from reviewers.ledger.sealing import append, lock_log, take
from reviewers.web import walls


def change_key(*, organisation_id: UUID, by: Actor, now: datetime) -> Verifier:
    """Make a new key and sign with it from now on; returns its public part. The old one stays known, for what it has signed."""
    with walls.within(organisation_id), open_shelf(organisation_id) as shelf:
        with transaction.atomic():
            lock_log(organisation_id)
            opened = open_log(organisation_id, shelf.read(), now)
            (old,) = opened.signers
            new = make_signer(opened.log.origin)
            details = {"key": str(new.verifier), "signature": encode(old.private.sign(statement_of(new.verifier)))}
            event = record(Event(Action.LOG_KEY_CHANGED, organisation_id, by, now, "log", opened.log.id, details))
            LogKey.objects.create(id=event, log=opened.log, public=new.verifier.public)
            ahead = (*opened.ahead, event)
            note = append(Opened(opened.log, (old, new), opened.size), take(organisation_id, ahead, len(ahead)))
        shelf.write(note)
    return new.verifier


def statement_of(verifier: Verifier) -> bytes:
    """What the old key signs."""
    return f"The log {verifier.name} signs with {verifier} from now on.\n".encode()
