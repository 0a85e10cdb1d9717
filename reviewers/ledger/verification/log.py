"""Verification of a log: its keys, its checkpoints and its tree, from the first leaf to the last."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef

from reviewers.ledger.events import Action
from reviewers.ledger.merkle.notes import FormatError, Verifier, decode_base64, open_checkpoint, read_checkpoint, read_verifier
from reviewers.ledger.merkle.proofs import leaf_hash
from reviewers.ledger.merkle.tree import Frontier
from reviewers.ledger.models import AuditEvent, Checkpoint, EventSecret, Leaf, Log, LogKey, Node
from reviewers.ledger.sequencer import checkpoint_id, node_id, statement_of
from reviewers.ledger.verification.checks import LedgerMismatch, check_secret, each, pages, read_body
from reviewers.ledger.verification.rows import Closings, RowCommitment, check_claims, claims_of


class Keys:
    """The keys that a log's own events name, the newest last."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._told: list[Verifier] = []
        self._events: list[UUID] = []

    @property
    def current(self) -> list[Verifier]:
        """The key that must have signed what is sealed now."""
        return self._told[-1:]

    def follow(self, event_id: UUID, body: Mapping[str, Any]) -> None:
        """Take the key in the log's first event, and later ones that the previous key has signed."""
        try:
            if not self._told:
                self._begin(event_id, body)
            elif body["action"] == Action.LOG_KEY_CHANGED.value:
                self._change(event_id, body)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise LedgerMismatch(AuditEvent, event_id, "has a body without a readable key", "body") from error

    def check_no_others(self) -> None:
        """Check that an event names every key in the table."""
        other = LogKey.objects.filter(log=self._log).exclude(pk__in=self._events).first()
        if other:
            is_elsewhere = Leaf.objects.filter(pk=other.id).exclude(log=self._log).exists()
            raise LedgerMismatch(LogKey, other.id, "no event of this log names this key", "log_id" if is_elsewhere else "")

    def _begin(self, event_id: UUID, body: Mapping[str, Any]) -> None:
        details, log = body.get("details", {}), self._log
        if body["action"] != Action.LOG_STARTED.value or body["object"]["id"] != str(log.id):
            raise LedgerMismatch(Log, log.id, "its first event does not begin it")
        for column in ("epoch", "origin"):
            if details[column] != getattr(log, column):
                raise LedgerMismatch(Log, log.id, "is not what its first event tells", column)
        self._take(event_id, details["key"])

    def _change(self, event_id: UUID, body: Mapping[str, Any]) -> None:
        details = body["details"]
        if not self._told[-1].is_signed(statement_of(read_verifier(details["key"])), decode_base64(details["signature"])):
            raise LedgerMismatch(AuditEvent, event_id, "the key before has not signed this one", "body")
        self._take(event_id, details["key"])

    def _take(self, event_id: UUID, text: str) -> None:
        try:
            verifier = read_verifier(text)
        except FormatError as error:
            raise LedgerMismatch(AuditEvent, event_id, "has a body without a readable key", "body") from error
        key = LogKey.objects.filter(pk=event_id).first()
        if key is None:
            other = LogKey.objects.filter(log=self._log).exclude(pk__in=self._events).first()
            raise LedgerMismatch(LogKey, other.id if other else event_id, "is not the key's event", "id" if other else "")
        if key.log_id != self._log.id:
            raise LedgerMismatch(LogKey, event_id, "is a key of another log", "log_id")
        if verifier != Verifier(self._log.origin, bytes(key.public)):
            raise LedgerMismatch(LogKey, event_id, "is not the key that the event tells", "public")
        self._told.append(verifier)
        self._events.append(event_id)


class Checkpoints:
    """The checkpoints of a log by size, each checked when the tree has its size."""

    def __init__(self, log: Log, published: str) -> None:
        self._log = log
        self._published = published
        self._rows: Iterator[Checkpoint] = each(Checkpoint.objects.filter(log=log), "size")
        self._next = next(self._rows, None)
        self.count = 0
        self._last = 0
        self._is_chained = False

    def check(self, frontier: Frontier, keys: Keys) -> None:
        """Check the checkpoints of the tree's present size."""
        while self._next is not None and self._next.size <= frontier.size:
            self._check_none_between(self._next, _check(self._next, self._log, frontier, keys))
            self.count, self._last = self.count + 1, self._next.size
            self._next = next(self._rows, None)

    def check_end(self, frontier: Frontier) -> None:
        """Check that the last checkpoint covers all leaves, and that none larger was ever published."""
        if self._next is not None:
            raise LedgerMismatch(Checkpoint, self._next.id, f"is of more leaves than the {frontier.size} there are", "size")
        if self._last != frontier.size:
            stray = Checkpoint.objects.filter(note__startswith=f"{self._log.origin}\n").exclude(log=self._log).first()
            if stray:
                raise LedgerMismatch(Checkpoint, stray.id, "is of another log", "log_id")
            leaf = Leaf.objects.filter(log=self._log, index__gte=self._last).order_by("index").first()
            raise LedgerMismatch(Leaf, leaf.id if leaf else "", "no checkpoint is of this leaf")
        known = read_checkpoint(self._published) if self._published else None
        if known and known.origin == self._log.origin:
            self._check_published(known.size)

    def _check_none_between(self, row: Checkpoint, after: int | None) -> None:
        """Check that a checkpoint names the one before it; only the first ones of an old log do not."""
        if after is None and self._is_chained:
            raise LedgerMismatch(Checkpoint, row.id, "does not name the checkpoint before it, as the one before does", "note")
        if after not in (None, self._last):
            raise LedgerMismatch(Checkpoint, row.id, f"a checkpoint of {after} leaves was signed before this one, and is not here", "size")
        self._is_chained = after is not None

    def _check_published(self, size: int) -> None:
        row = Checkpoint.objects.filter(log=self._log, size=size).first()
        if row is None:
            raise LedgerMismatch(Log, self._log.id, f"a checkpoint of {size} leaves was published, and is not here")
        if row.note != self._published:
            raise LedgerMismatch(Checkpoint, row.id, "is not the one that was published", "note")


def _check(row: Checkpoint, log: Log, frontier: Frontier, keys: Keys) -> int | None:
    """Check a checkpoint; return the size of the one before it, if it names that."""
    is_whole = row.id == checkpoint_id(row.note)
    try:
        told = read_checkpoint(row.note)
        if told.origin != log.origin:
            raise LedgerMismatch(Checkpoint, row.id, "is of another log", "log_id" if is_whole else "note")
        open_checkpoint(row.note, keys.current)
    except FormatError as error:
        raise LedgerMismatch(Checkpoint, row.id, str(error), "note") from error
    if told.size != row.size:
        raise LedgerMismatch(Checkpoint, row.id, "is not the size that is signed", "size" if is_whole else "note")
    if (told.size, told.root) != (frontier.size, frontier.root):
        raise LedgerMismatch(Checkpoint, row.id, "its root is not that of the leaves", "note")
    if not is_whole:
        raise LedgerMismatch(Checkpoint, row.id, "is not made of the note", "id")
    return told.after


Progress = Callable[[int], object]


def verify_log(log: Log, published: str, closings: Closings, progress: Progress) -> tuple[int, int, int]:
    """Verify a log; return its numbers of events, rows and checkpoints. Raise ``LedgerMismatch`` at the first row that differs."""
    frontier, keys, checkpoints = Frontier(), Keys(log), Checkpoints(log, published)
    rows = nodes = 0
    for leaves in pages(Leaf.objects.filter(log=log), "index"):
        events = AuditEvent.objects.in_bulk([leaf.id for leaf in leaves])
        bodies = {}
        for leaf in leaves:
            bodies[leaf.id] = body = _check_leaf(leaf, frontier, log, events.get(leaf.id))
            keys.follow(leaf.id, body)
            for level, index, digest in frontier.add(bytes(leaf.hash)):
                _check_node(log, level, index, digest)
                nodes += 1
            checkpoints.check(frontier, keys)
        rows += check_commitments(events, bodies, closings)
        progress(len(leaves))
    checkpoints.check_end(frontier)
    keys.check_no_others()
    _check_no_other_leaves(log, frontier.size)
    _check_no_other_nodes(log, frontier.size, nodes)
    return frontier.size, rows, checkpoints.count


def check_commitments(events: Mapping[UUID, AuditEvent], bodies: Mapping[UUID, Mapping[str, Any]], closings: Closings) -> int:
    """Check that the tables hold what these events commit to, unless redacted; return the number of rows, in the order of the bodies."""
    secrets = EventSecret.objects.in_bulk(list(events))
    claims: list[RowCommitment] = []
    for event_id, body in bodies.items():
        secret = secrets.get(event_id)
        openings = check_secret(events[event_id], body, secret)
        own: list[RowCommitment] = []
        if openings and secret:
            own = claims_of(event_id, body, openings, bytes(secret.column_checks))
            closings.follow(event_id, body["action"], openings, own)
        claims += closings.mutable_rows.follow(body, own)
        if openings is None and secret:
            raise LedgerMismatch(EventSecret, event_id, "opens nothing: its event commits to nothing")
    return check_claims(claims)


def _check_leaf(leaf: Leaf, frontier: Frontier, log: Log, event: AuditEvent | None) -> Mapping[str, Any]:
    if leaf.index != frontier.size:
        raise _gap(leaf, log, frontier.size)
    if event is None:
        raise _lost(leaf, log)
    if leaf_hash(bytes(event.body)) != bytes(leaf.hash):
        raise _wrong_hash(leaf, event, frontier)
    body = read_body(event)
    if event.organisation_id != log.organisation_id and body["object"]["id"] == str(log.id):
        raise LedgerMismatch(Log, log.id, "is not what its first event tells", "organisation_id")
    if event.organisation_id != log.organisation_id:
        raise LedgerMismatch(Leaf, leaf.id, "its event is another organisation's", "log_id")
    return body


def _gap(leaf: Leaf, log: Log, index: int) -> LedgerMismatch:
    """Return the mismatch for a missing leaf: it may be in another log, or after all others."""
    own = AuditEvent.objects.filter(pk=OuterRef("pk"), organisation_id=log.organisation_id)
    foreign = Leaf.objects.filter(~Exists(own), Exists(AuditEvent.objects.filter(pk=OuterRef("pk"))), log=log).first()
    if foreign:
        return LedgerMismatch(Leaf, foreign.id, "its event is another organisation's", "log_id")
    moved = Leaf.objects.exclude(log=log).filter(Exists(own), index=index, id__lt=leaf.id).order_by("-id").first()
    if moved:
        return LedgerMismatch(Leaf, moved.id, "stands in another log", "log_id")
    behind = Leaf.objects.filter(log=log).exclude(index__range=(0, Leaf.objects.filter(log=log).count() - 1)).first()
    return LedgerMismatch(Leaf, behind.id if behind else leaf.id, f"there is no leaf at index {index} of the log", "index")


def _lost(leaf: Leaf, log: Log) -> LedgerMismatch:
    """Return the mismatch for a leaf without its event: the event is gone, or an identifier was changed."""
    unsealed = AuditEvent.objects.filter(~Exists(Leaf.objects.filter(pk=OuterRef("pk"))), organisation_id=log.organisation_id)
    for event in each(unsealed, "id"):
        if leaf_hash(bytes(event.body)) == bytes(leaf.hash):
            read_body(event)
            return LedgerMismatch(Leaf, leaf.id, "is not the id of its event", "id")
    return LedgerMismatch(AuditEvent, leaf.id, "is gone")


def _wrong_hash(leaf: Leaf, event: AuditEvent, frontier: Frontier) -> LedgerMismatch:
    """Return the mismatch for a wrong hash: the next checkpoint shows whether the event or its leaf was changed."""
    checkpoint = Checkpoint.objects.filter(log=leaf.log_id, size__gt=leaf.index).order_by("size").first()
    if checkpoint:
        tree = deepcopy(frontier)
        tree.add(leaf_hash(bytes(event.body)))
        following = Leaf.objects.filter(log=leaf.log_id, index__gt=leaf.index, index__lt=checkpoint.size)
        for other in each(following, "index"):
            tree.add(bytes(other.hash))
        if tree.root == read_checkpoint(checkpoint.note).root:
            return LedgerMismatch(Leaf, leaf.id, "is not the hash of its event", "hash")
    return LedgerMismatch(AuditEvent, event.id, "is not what was sealed", "body")


def _check_node(log: Log, level: int, index: int, digest: bytes) -> None:
    key = node_id(log.id, level, index)
    nodes = {node.id: node for node in Node.objects.filter(log=log, level=level, index=index)}
    for other in nodes.keys() - {key}:
        is_moved = any(node_id(log_id, level, index) == other for log_id in Log.objects.values_list("id", flat=True))
        raise LedgerMismatch(Node, other, "is not made of the other columns", "log_id" if is_moved else "id")
    if key not in nodes:
        raise _moved(log, level, index)
    if bytes(nodes[key].hash) != digest:
        raise LedgerMismatch(Node, key, "is not the hash over those below", "hash")


def _moved(log: Log, level: int, index: int) -> LedgerMismatch:
    """Return the mismatch for a missing hash: it is gone, or elsewhere under the key that it had."""
    place = {"log_id": log.id, "level": level, "index": index}
    node = Node.objects.filter(pk=node_id(log.id, level, index)).first()
    column = ", ".join(name for name, value in place.items() if getattr(node, name) != value) if node else ""
    return LedgerMismatch(Node, node_id(log.id, level, index), f"there is no hash {index} of level {level}", column)


def _check_no_other_leaves(log: Log, size: int) -> None:
    if Leaf.objects.filter(log=log).count() != size:
        raise LedgerMismatch(Log, log.id, f"it has more leaves than the {size} that stand one after another")


def _check_no_other_nodes(log: Log, size: int, count: int) -> None:
    nodes = Node.objects.filter(log=log)
    if nodes.count() != count:
        beyond = next(node for node in nodes.order_by("-index", "-level") if node.index >= size >> 8 * node.level or node.level < 1)
        raise LedgerMismatch(Node, beyond.id, f"the log of {size} has no such hash")
