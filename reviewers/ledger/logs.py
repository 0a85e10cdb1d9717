"""Which log an organisation's events go to now, and with which key it signs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from reviewers.accounts.announcements import SYSTEM, Actor
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.ledger.keys import KeyMissing, load_signer, make_signer
from reviewers.ledger.merkle.checkpoint import read_checkpoint
from reviewers.ledger.merkle.note import Signer, Verifier
from reviewers.ledger.models import Checkpoint, Log, LogKey
from reviewers.ledger.rows import rows_of
from reviewers.web.ids import uuid7


@dataclass(frozen=True, slots=True)
class Opened:
    """A log that can be added to: who signs, how large it is, and the events that have to be sealed ahead of all others."""

    log: Log
    signers: tuple[Signer, ...]
    size: int
    ahead: tuple[UUID, ...] = ()


def open_log(organisation_id: UUID, published: str, now: datetime) -> Opened:
    """The log that goes on from the last published checkpoint; a new one where there is none, or where none can.

    A log whose newest checkpoint is older than the published one, or another of the same size, was restored from a backup: it must not
    sign again what it has signed already. One whose private key is gone cannot. Either way the new log's first event names the last
    checkpoint that is known.
    """
    log = Log.objects.filter(organisation_id=organisation_id).order_by("-epoch").first()
    if log is None:
        return start_log(organisation_id, 1, {"last": published} if published else {}, now)
    newest = Checkpoint.objects.filter(log=log).order_by("-size").first()
    reason = why_not_continued(log, newest, published)
    if not reason:
        try:
            return Opened(log, (load_signer(verifier_of(newest_key(log), log)),), newest.size if newest else 0)
        except KeyMissing:
            reason = "key missing"
    last = published or (newest.note if newest else "")
    return start_log(organisation_id, log.epoch + 1, {"reason": reason, "last": last}, now)


def why_not_continued(log: Log, newest: Checkpoint | None, published: str) -> str:
    """Why a log may not go on: what was published is not in it. Empty where it may."""
    if not published:
        return ""
    known = read_checkpoint(published)
    if known.origin != log.origin:
        return "" if Log.objects.filter(organisation_id=log.organisation_id, origin=known.origin).exists() else "restored"
    if newest is None or newest.size < known.size:
        return "restored"
    same = Checkpoint.objects.filter(log=log, size=known.size).first()
    return "" if same and read_checkpoint(same.note) == known else "forked"


def start_log(organisation_id: UUID, epoch: int, details: Mapping[str, Any], now: datetime, by: Actor = SYSTEM) -> Opened:
    """A new log with a key of its own. Its first event tells both, and why there is a new one."""
    log_id = uuid7()
    log = Log.objects.create(id=log_id, organisation_id=organisation_id, epoch=epoch, origin=f"{settings.LEDGER_NAME}/{log_id}")
    signer = make_signer(log.origin)
    details = {"epoch": epoch, "origin": log.origin, "key": str(signer.verifier), **details}
    started = record(Event(Action.LOG_STARTED, organisation_id, by, now, "log", log.id, details, rows=rows_of([log])))
    LogKey.objects.create(id=started, log=log, public=signer.verifier.public)
    return Opened(log, (signer,), 0, (started,))


def newest_key(log: Log) -> LogKey:
    """The key that signs."""
    return LogKey.objects.filter(log=log).latest("id")


def verifier_of(key: LogKey, log: Log) -> Verifier:
    """A public key with its log's name."""
    return Verifier(log.origin, bytes(key.public))
