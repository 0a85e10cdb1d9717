"""The logs of an organisation: their signing keys, the log that is open, and the stored hashes of its tree.

Private keys are files that only their owner can read, outside the database. Somebody who can write to the database but not read this folder
cannot sign, and a copy of the database signs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from reviewers.accounts.audit import SYSTEM, Actor
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.ledger.merkle.notes import Signer, Verifier, decode_base64, encode_base64, read_checkpoint
from reviewers.ledger.merkle.tree import TILE
from reviewers.ledger.models import Checkpoint, Leaf, Log, LogKey, Node
from reviewers.web.config import write_private
from reviewers.web.models import uuid7


class KeyMissing(Exception):  # noqa: N818 — says what is missing
    """The private key of a log is not in the folder of keys."""


def make_signer(origin: str) -> Signer:
    """Generate a key and store it."""
    signer = Signer(origin, Ed25519PrivateKey.generate())
    write_private(_place(signer.verifier), encode_base64(signer.private.private_bytes_raw()) + "\n")
    return signer


def load_signer(verifier: Verifier) -> Signer:
    """Return the private key of a public one; raise ``KeyMissing`` if it is not there."""
    try:
        text = _place(verifier).read_text(encoding="ascii")
    except FileNotFoundError as error:
        raise KeyMissing(f"The private key of {verifier.name} is not in {settings.LEDGER_FOLDER / 'keys'}.") from error
    return Signer(verifier.name, Ed25519PrivateKey.from_private_bytes(decode_base64(text.strip())))


def _place(verifier: Verifier) -> Path:
    folder: Path = settings.LEDGER_FOLDER
    return folder / "keys" / f"{verifier.public.hex()}.key"


@dataclass(frozen=True, slots=True)
class OpenLog:
    """A log that can be added to: its signers, its size, and the events that have to be sealed before all others."""

    log: Log
    signers: tuple[Signer, ...]
    size: int
    ahead: tuple[UUID, ...] = ()


def open_log(organisation_id: UUID, published: str, now: datetime) -> OpenLog:
    """Return the log that continues from the last published checkpoint, or a new one if there is none, or none can continue.

    A log whose newest checkpoint is older than the published one, or another of the same size, was restored from a backup: it must not sign
    again at sizes that it has signed already. A log whose private key is missing cannot sign. In both cases the first event of the new log
    names the last known checkpoint.
    """
    log = Log.objects.filter(organisation_id=organisation_id).order_by("-epoch").first()
    if log is None:
        return start_log(organisation_id, 1, {"last": published} if published else {}, now)
    newest = Checkpoint.objects.filter(log=log).order_by("-size").first()
    reason = why_not_continued(log, newest, published)
    if not reason:
        try:
            return OpenLog(log, (load_signer(verifier_of(newest_key(log), log)),), newest.size if newest else 0)
        except KeyMissing:
            reason = "key missing"
    last = published or (newest.note if newest else "")
    return start_log(organisation_id, log.epoch + 1, {"reason": reason, "last": last}, now)


def why_not_continued(log: Log, newest: Checkpoint | None, published: str) -> str:
    """Return the reason why a log may not continue, or an empty string if it may."""
    if not published:
        return ""
    known = read_checkpoint(published)
    if known.origin != log.origin:
        return "" if Log.objects.filter(organisation_id=log.organisation_id, origin=known.origin).exists() else "restored"
    if newest is None or newest.size < known.size:
        return "restored"
    same = Checkpoint.objects.filter(log=log, size=known.size).first()
    return "" if same and read_checkpoint(same.note) == known else "forked"


def start_log(organisation_id: UUID, epoch: int, details: Mapping[str, Any], now: datetime, by: Actor = SYSTEM) -> OpenLog:
    """Start a log with a key of its own. Its first event names both, and the reason for the new log."""
    log_id = uuid7()
    log = Log.objects.create(id=log_id, organisation_id=organisation_id, epoch=epoch, origin=f"{settings.LEDGER_NAME}/{log_id}")
    signer = make_signer(log.origin)
    details = {"epoch": epoch, "origin": log.origin, "key": str(signer.verifier), **details}
    started = record(Event(Action.LOG_STARTED, organisation_id, by, now, "log", log.id, details, rows=rows_of([log])))
    LogKey.objects.create(id=started, log=log, public=signer.verifier.public)
    return OpenLog(log, (signer,), 0, (started,))


def newest_key(log: Log) -> LogKey:
    """Return the key that signs now."""
    return LogKey.objects.filter(log=log).latest("id")


def verifier_of(key: LogKey, log: Log) -> Verifier:
    """Return a public key under its log's name."""
    return Verifier(log.origin, bytes(key.public))


class StoredHashes:
    """The stored hashes of one log, read in tiles that are cached: make a new instance once the log has grown."""

    def __init__(self, log_id: UUID) -> None:
        self._log_id = log_id
        self._tiles: dict[tuple[int, int], list[bytes]] = {}

    def read(self, level: int, start: int, stop: int) -> Sequence[bytes]:
        """Return the hashes of a level from one index up to another, all in one tile."""
        number, offset = divmod(start, TILE)
        tile = self._tile(level, number)
        return tile[offset : offset + stop - start]

    def _tile(self, level: int, number: int) -> list[bytes]:
        if (level, number) not in self._tiles:
            rows = Node.objects.filter(level=level) if level else Leaf.objects.all()
            within = rows.filter(log_id=self._log_id, index__gte=number * TILE, index__lt=(number + 1) * TILE)
            self._tiles[level, number] = [bytes(digest) for digest in within.order_by("index").values_list("hash", flat=True)]
        return self._tiles[level, number]
