"""Goes through a log from its first leaf to its last, a few hundred at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef

from reviewers.ledger.merkle.checkpoint import read_checkpoint
from reviewers.ledger.merkle.frontier import Frontier
from reviewers.ledger.merkle.hashing import leaf_hash
from reviewers.ledger.models import AuditEvent, Checkpoint, EventSecret, Leaf, Log, Node
from reviewers.ledger.sealing import node_id
from reviewers.ledger.verifying.checkpoints import Checkpoints
from reviewers.ledger.verifying.closings import Closings
from reviewers.ledger.verifying.difference import Differs
from reviewers.ledger.verifying.events import check_secret, read_body
from reviewers.ledger.verifying.keys import Keys
from reviewers.ledger.verifying.paging import each, pages
from reviewers.ledger.verifying.rows import Claim, check_claims, claims_of

Progress = Callable[[int], object]


def verify_log(log: Log, published: str, closings: Closings, progress: Progress) -> tuple[int, int, int]:
    """Raises ``Differs`` at the first row that does; how many events, rows and checkpoints there are."""
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
    """What these events commit to is in the tables, or was redacted; returns how many rows. In the order of the bodies."""
    secrets = EventSecret.objects.in_bulk(list(events))
    claims: list[Claim] = []
    for event_id, body in bodies.items():
        secret = secrets.get(event_id)
        openings = check_secret(events[event_id], body, secret)
        own: list[Claim] = []
        if openings and secret:
            own = claims_of(event_id, body, openings, bytes(secret.column_checks))
            closings.follow(event_id, body["action"], openings, own)
        claims += closings.standing.follow(body["action"], own)
        if openings is None and secret:
            raise Differs(EventSecret, event_id, "opens nothing: its event commits to nothing")
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
        raise Differs(Log, log.id, "is not what its first event tells", "organisation_id")
    if event.organisation_id != log.organisation_id:
        raise Differs(Leaf, leaf.id, "its event is another organisation's", "log_id")
    return body


def _gap(leaf: Leaf, log: Log, index: int) -> Differs:
    """The leaf that should stand here may stand in another log, or behind all others."""
    own = AuditEvent.objects.filter(pk=OuterRef("pk"), organisation_id=log.organisation_id)
    foreign = Leaf.objects.filter(~Exists(own), Exists(AuditEvent.objects.filter(pk=OuterRef("pk"))), log=log).first()
    if foreign:
        return Differs(Leaf, foreign.id, "its event is another organisation's", "log_id")
    moved = Leaf.objects.exclude(log__organisation_id=log.organisation_id).filter(Exists(own), index=index).first()
    if moved:
        return Differs(Leaf, moved.id, "stands in another log", "log_id")
    behind = Leaf.objects.filter(log=log).exclude(index__range=(0, Leaf.objects.filter(log=log).count() - 1)).first()
    return Differs(Leaf, behind.id if behind else leaf.id, f"there is no leaf at index {index} of the log", "index")


def _lost(leaf: Leaf, log: Log) -> Differs:
    """The event is gone, unless another one that has no leaf is the one that was sealed: then an id was changed."""
    unsealed = AuditEvent.objects.filter(~Exists(Leaf.objects.filter(pk=OuterRef("pk"))), organisation_id=log.organisation_id)
    for event in each(unsealed, "id"):
        if leaf_hash(bytes(event.body)) == bytes(leaf.hash):
            read_body(event)
            return Differs(Leaf, leaf.id, "is not the id of its event", "id")
    return Differs(AuditEvent, leaf.id, "is gone")


def _wrong_hash(leaf: Leaf, event: AuditEvent, frontier: Frontier) -> Differs:
    """Either the event was changed or its leaf: the next checkpoint tells which of them it is of."""
    checkpoint = Checkpoint.objects.filter(log=leaf.log_id, size__gt=leaf.index).order_by("size").first()
    if checkpoint:
        tree = deepcopy(frontier)
        tree.add(leaf_hash(bytes(event.body)))
        following = Leaf.objects.filter(log=leaf.log_id, index__gt=leaf.index, index__lt=checkpoint.size)
        for other in each(following, "index"):
            tree.add(bytes(other.hash))
        if tree.root == read_checkpoint(checkpoint.note).root:
            return Differs(Leaf, leaf.id, "is not the hash of its event", "hash")
    return Differs(AuditEvent, event.id, "is not what was sealed", "body")


def _check_node(log: Log, level: int, index: int, digest: bytes) -> None:
    key = node_id(log.id, level, index)
    nodes = {node.id: node for node in Node.objects.filter(log=log, level=level, index=index)}
    for other in nodes.keys() - {key}:
        is_moved = any(node_id(log_id, level, index) == other for log_id in Log.objects.values_list("id", flat=True))
        raise Differs(Node, other, "is not made of the other columns", "log_id" if is_moved else "id")
    if key not in nodes:
        raise _moved(log, level, index)
    if bytes(nodes[key].hash) != digest:
        raise Differs(Node, key, "is not the hash over those below", "hash")


def _moved(log: Log, level: int, index: int) -> Differs:
    """The hash that should stand here is gone, or stands elsewhere under the key that it had."""
    place = {"log_id": log.id, "level": level, "index": index}
    node = Node.objects.filter(pk=node_id(log.id, level, index)).first()
    column = ", ".join(name for name, value in place.items() if getattr(node, name) != value) if node else ""
    return Differs(Node, node_id(log.id, level, index), f"there is no hash {index} of level {level}", column)


def _check_no_other_leaves(log: Log, size: int) -> None:
    if Leaf.objects.filter(log=log).count() != size:
        raise Differs(Log, log.id, f"it has more leaves than the {size} that stand one after another")


def _check_no_other_nodes(log: Log, size: int, count: int) -> None:
    nodes = Node.objects.filter(log=log)
    if nodes.count() != count:
        beyond = next(node for node in nodes.order_by("-index", "-level") if node.index >= size >> 8 * node.level or node.level < 1)
        raise Differs(Node, beyond.id, f"the log of {size} has no such hash")
