"""Whether the checkpoints are signed by their logs' keys, and every event stands where it is said to under one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from reviewers.ledger.merkle.checkpoint import Checkpoint, open_checkpoint
from reviewers.ledger.merkle.hashing import leaf_hash
from reviewers.ledger.merkle.note import Verifier, read_verifier
from reviewers.ledger.merkle.proofs import check_inclusion
from reviewers.ledger.merkle.strict import decode
from reviewers.reports.exporting.bundle.verifier.doubt import Doubt
from reviewers.reports.exporting.bundle.verifier.opening import Files, check_plain, read_json

_FILE = "events.jsonl"
_REMEMBERED = 256


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


class Events:
    """All of them, by their identifiers. Kept are their places in the file: they are read again, the proof only once."""

    def __init__(self, files: Files, checkpoints: Mapping[str, Checkpoint]) -> None:
        self._files, self._checkpoints = files, checkpoints
        self._places: dict[str, int] = {}
        self._read = lru_cache(_REMEMBERED)(self._read_again)

    def __len__(self) -> int:
        return len(self._places)

    def prove(self) -> Iterator[Event]:
        """Each event in turn, proven. Raises ``Doubt``."""
        for number, (place, line) in enumerate(self._files.lines(_FILE), start=1):
            where = f"{_FILE}, line {number}"
            try:
                event = _prove(read_json(where, line), where, self._checkpoints)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise Doubt(where, f"the event is not proven to be sealed: {error}") from error
            if event.id in self._places:
                raise Doubt(where, f"the event {event.id} is there twice")
            self._places[event.id] = place
            yield event

    def get(self, key: str) -> Event | None:
        """An event that was proven before."""
        return self._read(key) if key in self._places else None

    def _read_again(self, key: str) -> Event:
        line = read_json(_FILE, self._files.line_at(_FILE, self._places[key]))
        return _event(line, read_json(_FILE, decode(line["body"])))


def read_keys(files: Files, trusted: Sequence[str]) -> list[Verifier]:
    """The keys of the bundle; where some are known from elsewhere, each has to be one of them."""
    try:
        keys = [read_verifier(text) for text in read_json("keys.json", files.content("keys.json"))]
    except (ValueError, TypeError, AttributeError) as error:
        raise Doubt("keys.json", f"it does not hold keys: {error}") from error
    check_plain(files, "keys.json", [str(key) for key in keys])
    if len(set(map(str, keys))) != len(keys):
        raise Doubt("keys.json", "a key stands there twice")
    for key in keys:
        if trusted and str(key) not in trusted:
            raise Doubt("keys.json", f"the key {key} is none of those that you trust")
    return keys


def read_checkpoints(files: Files, keys: Sequence[Verifier]) -> dict[str, Checkpoint]:
    """The checkpoint of each log, signed by a key of that log."""
    notes = read_json("checkpoints.json", files.content("checkpoints.json"))
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
    check_plain(files, "checkpoints.json", notes)
    return found


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
    return _event(line, read_json(where, content))


def _event(line: Mapping[str, Any], body: Mapping[str, Any]) -> Event:
    return Event(body["id"], body, line["log"], line["index"], line["parts"], line["rows"])
