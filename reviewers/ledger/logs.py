"""The private keys that sign checkpoints: files that only their owner can read, outside the database.

Whoever can write to the database but not read this folder cannot sign, and a copy of the database signs nothing.
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
    """A new key, kept from now on."""
    signer = Signer(origin, Ed25519PrivateKey.generate())
    write_private(_place(signer.verifier), encode_base64(signer.private.private_bytes_raw()) + "\n")
    return signer


def load_signer(verifier: Verifier) -> Signer:
    """The private key to a public one. Raises ``KeyMissing``."""
    try:
        text = _place(verifier).read_text(encoding="ascii")
    except FileNotFoundError as error:
        raise KeyMissing(f"The private key of {verifier.name} is not in {settings.LEDGER_FOLDER / 'keys'}.") from error
    return Signer(verifier.name, Ed25519PrivateKey.from_private_bytes(decode_base64(text.strip())))


def _place(verifier: Verifier) -> Path:
    folder: Path = settings.LEDGER_FOLDER
    return folder / "keys" / f"{verifier.public.hex()}.key"


# Which log an organisation's events go to now, and with which key it signs.


@dataclass(frozen=True, slots=True)
class OpenLog:
    """A log that can be added to: who signs, how large it is, and the events that have to be sealed ahead of all others."""

    log: Log
    signers: tuple[Signer, ...]
    size: int
    ahead: tuple[UUID, ...] = ()


def open_log(organisation_id: UUID, published: str, now: datetime) -> OpenLog:
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
            return OpenLog(log, (load_signer(verifier_of(newest_key(log), log)),), newest.size if newest else 0)
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


def start_log(organisation_id: UUID, epoch: int, details: Mapping[str, Any], now: datetime, by: Actor = SYSTEM) -> OpenLog:
    """A new log with a key of its own. Its first event tells both, and why there is a new one."""
    log_id = uuid7()
    log = Log.objects.create(id=log_id, organisation_id=organisation_id, epoch=epoch, origin=f"{settings.LEDGER_NAME}/{log_id}")
    signer = make_signer(log.origin)
    details = {"epoch": epoch, "origin": log.origin, "key": str(signer.verifier), **details}
    started = record(Event(Action.LOG_STARTED, organisation_id, by, now, "log", log.id, details, rows=rows_of([log])))
    LogKey.objects.create(id=started, log=log, public=signer.verifier.public)
    return OpenLog(log, (signer,), 0, (started,))


def newest_key(log: Log) -> LogKey:
    """The key that signs."""
    return LogKey.objects.filter(log=log).latest("id")


def verifier_of(key: LogKey, log: Log) -> Verifier:
    """A public key with its log's name."""
    return Verifier(log.origin, bytes(key.public))


# Reads the stored hashes of a log's tree, a tile at a time.


class StoredHashes:
    """The hashes of one log. A tile that was read is not read again: make another of these once the log has grown."""

    def __init__(self, log_id: UUID) -> None:
        self._log_id = log_id
        self._tiles: dict[tuple[int, int], list[bytes]] = {}

    def read(self, level: int, start: int, stop: int) -> Sequence[bytes]:
        """Those of a level from one index up to another, all in one tile."""
        number, offset = divmod(start, TILE)
        tile = self._tile(level, number)
        return tile[offset : offset + stop - start]

    def _tile(self, level: int, number: int) -> list[bytes]:
        if (level, number) not in self._tiles:
            rows = Node.objects.filter(level=level) if level else Leaf.objects.all()
            within = rows.filter(log_id=self._log_id, index__gte=number * TILE, index__lt=(number + 1) * TILE)
            self._tiles[level, number] = [bytes(digest) for digest in within.order_by("index").values_list("hash", flat=True)]
        return self._tiles[level, number]
