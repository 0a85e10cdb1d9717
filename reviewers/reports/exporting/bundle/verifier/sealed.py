"""Whether the checkpoints are signed by their logs' keys, and every event stands where it is said to under one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reviewers.ledger.merkle.checkpoint import Checkpoint, open_checkpoint
from reviewers.ledger.merkle.hashing import leaf_hash
from reviewers.ledger.merkle.note import Verifier, read_verifier
from reviewers.ledger.merkle.proofs import check_inclusion
from reviewers.ledger.merkle.strict import decode
from reviewers.reports.exporting.bundle.verifier.doubt import Doubt
from reviewers.reports.exporting.bundle.verifier.opening import Files, read_json, read_lines


@dataclass(frozen=True, slots=True)
class Event:
    """An event that is proven to be sealed, and what is disclosed with it."""

    id: str
    body: Mapping[str, Any]
    log: str
    index: int
    parts: Sequence[Mapping[str, str]]
    rows: Sequence[Mapping[str, Any]]

    @property
    def where(self) -> str:
        """How doubts name it."""
        return f"event {self.id} ({self.body.get('action')})"


def read_keys(files: Files, trusted: Sequence[str]) -> list[Verifier]:
    """The keys of the bundle; where some are known from elsewhere, each has to be one of them."""
    try:
        keys = [read_verifier(text) for text in read_json("keys.json", files["keys.json"])]
    except (ValueError, TypeError, AttributeError) as error:
        raise Doubt("keys.json", f"it does not hold keys: {error}") from error
    for key in keys:
        if trusted and str(key) not in trusted:
            raise Doubt("keys.json", f"the key {key} is none of those that you trust")
    return keys


def read_checkpoints(files: Files, keys: Sequence[Verifier]) -> dict[str, Checkpoint]:
    """The checkpoint of each log, signed by a key of that log."""
    notes = read_json("checkpoints.json", files["checkpoints.json"])
    found: dict[str, Checkpoint] = {}
    for note in notes if isinstance(notes, list) else [notes]:
        try:
            checkpoint = open_checkpoint(note, keys)
        except (ValueError, TypeError, AttributeError) as error:
            raise Doubt("checkpoints.json", f"a checkpoint does not hold: {error}") from error
        if checkpoint.origin in found:
            raise Doubt("checkpoints.json", f"there are two checkpoints of {checkpoint.origin}")
        if not any(key.name == checkpoint.origin for key in keys):
            raise Doubt("checkpoints.json", f"none of the keys is that of {checkpoint.origin}")
        found[checkpoint.origin] = checkpoint
    if not found:
        raise Doubt("checkpoints.json", "there is no checkpoint")
    return found


def read_events(files: Files, checkpoints: Mapping[str, Checkpoint]) -> dict[str, Event]:
    """The events by their identifiers, each proven to stand in its log."""
    events: dict[str, Event] = {}
    for number, line in enumerate(read_lines(files, "events.jsonl"), start=1):
        where = f"events.jsonl, line {number}"
        try:
            event = _prove(line, where, checkpoints)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Doubt(where, f"the event is not proven to be sealed: {error}") from error
        if event.id in events:
            raise Doubt(where, f"the event {event.id} is there twice")
        events[event.id] = event
    return events


def _prove(line: Mapping[str, Any], where: str, checkpoints: Mapping[str, Checkpoint]) -> Event:
    if line.keys() != {"body", "log", "index", "proof", "parts", "rows"}:
        raise Doubt(where, "it does not have what an event has")
    content, index = decode(line["body"]), line["index"]
    checkpoint = checkpoints.get(line["log"])
    if checkpoint is None:
        raise Doubt(where, f"there is no checkpoint of its log {line['log']}")
    if type(index) is not int:
        raise Doubt(where, "its place is no number")
    proof = [decode(each) for each in line["proof"]]
    check_inclusion(leaf=leaf_hash(content), index=index, size=checkpoint.size, proof=proof, root=checkpoint.root)
    body = read_json(where, content)
    return Event(body["id"], body, line["log"], index, line["parts"], line["rows"])
