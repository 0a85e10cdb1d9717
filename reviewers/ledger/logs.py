"""The logs of an organisation: their signing keys, the log that is open, and the stored hashes of its tree.

Private keys are files that only their owner can read, outside the database. Somebody who can write to the database but not read this folder
cannot sign, and a copy of the database signs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from reviewers.accounts.audit import SYSTEM
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.ledger.merkle import notes
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


class NotContinued(Exception):  # noqa: N818 — says what the log is
    """A log that may not continue; the message is the reason."""


def open_log(organisation_id: UUID, published: str, now: datetime, *, is_blocked: bool = False) -> OpenLog:
    """Return the log that continues from the last published checkpoint, or a new one if there is none, or none can continue.

    A log whose newest checkpoint is older than the published one, or another of the same size, was restored from a backup: it must not sign
    again at sizes that it has signed already. A log whose private key is missing cannot sign. Rows that nobody signed may have been put in,
    and nobody can delete them: a log that is such a row is passed over, and one that they block (``is_blocked``) ends. The first event of
    the new log names the last known checkpoint.
    """
    logs = list(Log.objects.filter(organisation_id=organisation_id).order_by("-epoch"))
    known = read_checkpoint(published) if published else None
    reason = "blocked" if is_blocked else "restored"
    for log in () if is_blocked else _candidates(logs, known):
        try:
            return _continue(log, known)
        except NotContinued as why:
            reason = str(why)
    if not logs:
        return start_log(organisation_id, 1, {"last": published} if published else {}, now)
    return start_log(organisation_id, _next_epoch(logs), {"reason": reason, "last": published or _last_note(logs[0])}, now)


def _next_epoch(logs: Sequence[Log]) -> int:
    """Return an epoch after those of all logs that were begun here: each had a number up to how many there were."""
    taken = {log.epoch for log in logs}
    return next(number for number in count(len(logs) + 1) if number not in taken)


def _candidates(logs: Sequence[Log], known: notes.LogCheckpoint | None) -> Sequence[Log]:
    """Return the logs that may continue, the newest first: never one before that of the published checkpoint."""
    if known is None:
        return logs[:1]
    first = next((log.epoch for log in logs if log.origin == known.origin), None)
    return [] if first is None else [log for log in logs if log.epoch >= first]


def _continue(log: Log, known: notes.LogCheckpoint | None) -> OpenLog:
    """Return a log to continue from its newest checkpoint; raise ``NotContinued`` if it may not."""
    key = LogKey.objects.filter(log=log).order_by("id").last()
    newest = Checkpoint.objects.filter(log=log).order_by("-size").first()
    try:
        if known and known.origin == log.origin:
            _check_published(log, newest, known)
        if key is None or newest is None:
            raise NotContinued("not begun")
        signer = load_signer(verifier_of(key, log))
        notes.open_checkpoint(newest.note, [signer.verifier])
    except KeyMissing as error:
        raise NotContinued("key missing") from error
    except notes.FormatError as error:
        raise NotContinued("forked") from error
    return OpenLog(log, (signer,), newest.size)


def _check_published(log: Log, newest: Checkpoint | None, known: notes.LogCheckpoint) -> None:
    """Raise ``NotContinued`` if the log does not reach the published checkpoint, or has another one there."""
    if newest is None or newest.size < known.size:
        raise NotContinued("restored")
    same = Checkpoint.objects.filter(log=log, size=known.size).first()
    if same is None or read_checkpoint(same.note) != known:
        raise NotContinued("forked")


def _last_note(log: Log) -> str:
    return Checkpoint.objects.filter(log=log).order_by("-size").values_list("note", flat=True).first() or ""


def start_log(organisation_id: UUID, epoch: int, details: Mapping[str, Any], now: datetime) -> OpenLog:
    """Start a log with a key of its own. Its first event names both, and the reason for the new log."""
    log_id = uuid7()
    log = Log.objects.create(id=log_id, organisation_id=organisation_id, epoch=epoch, origin=f"{settings.LEDGER_NAME}/{log_id}")
    signer = make_signer(log.origin)
    details = {"epoch": epoch, "origin": log.origin, "key": str(signer.verifier), **details}
    started = record(Event(Action.LOG_STARTED, organisation_id, SYSTEM, now, "log", log.id, details, rows=rows_of([log])))
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
