"""Check that the checkpoints are signed by their logs' keys, that each event is in its log, and what each event discloses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any
from uuid import UUID

from reviewers.ledger.commitments import commit_part, commit_parts, commit_row
from reviewers.ledger.merkle.notes import LogCheckpoint, Verifier, decode_base64, open_checkpoint, read_verifier, signers_of
from reviewers.ledger.merkle.proofs import check_inclusion, leaf_hash
from reviewers.reports.exports.bundle.verifier.files import Files, VerificationFailed, canonical, check_plain, read_json

_FILE = "events.jsonl"
MADE = "report.made"
_REMEMBERED = 256


@dataclass(frozen=True, slots=True)
class SealedEvent:
    """An event that is proven to be sealed, and what is disclosed with it."""

    id: str
    body: Mapping[str, Any]
    log: str
    index: int
    parts: Sequence[Mapping[str, str]]
    rows: Sequence[Mapping[str, Any]]

    @property
    def where(self) -> str:
        """The event's name in error messages."""
        return f"event {self.id} ({self.body.get('action')})"


class Events:
    """All events by identifier. Only their places in the file are kept in memory: events are read again, but proven once."""

    def __init__(self, files: Files, checkpoints: Mapping[str, LogCheckpoint]) -> None:
        self._files, self._checkpoints = files, checkpoints
        self._places: dict[str, int] = {}
        self._logs: set[str] = set()
        self._organisations: set[Any] = set()
        self._evidence = hashlib.sha256()
        self._read = lru_cache(_REMEMBERED)(self._read_again)

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[str]:
        """Yield the identifiers in the order of the file, once all events are proven."""
        yield from self._places

    def prove(self) -> Iterator[SealedEvent]:
        """Yield each event in turn, proven. Raise ``VerificationFailed`` if one is not."""
        for number, (place, line) in enumerate(self._files.lines(_FILE), start=1):
            where = f"{_FILE}, line {number}"
            try:
                told = read_json(where, line)
                if line != canonical(told):
                    raise VerificationFailed(where, "it says more than belongs there, or in another form")
                event = _prove(told, where, self._checkpoints)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise VerificationFailed(where, f"the event is not proven to be sealed: {error}") from error
            if event.id in self._places:
                raise VerificationFailed(where, f"the event {event.id} is there twice")
            self._places[event.id] = place
            self._logs.add(event.log)
            self._organisations.add(event.body.get("organisation"))
            if event.body.get("action") != MADE:
                self._evidence.update(evidence_line(event.id, told))
            yield event

    def evidence(self) -> str:
        """Return the SHA-256 of the evidence as it was when the report was made: the events in order, without what proves their places."""
        return self._evidence.hexdigest()

    def check_end(self) -> None:
        """Raise ``VerificationFailed`` for a checkpoint of a log that no event is in, or for events of several organisations."""
        if self._checkpoints.keys() != self._logs:
            raise VerificationFailed("checkpoints.json", "there is a checkpoint of a log that none of the events is in")
        if len(self._organisations) != 1:
            raise VerificationFailed(_FILE, "its events are of more than one organisation")

    def get(self, key: str) -> SealedEvent | None:
        """Return an event that was proven before, or None."""
        return self._read(key) if key in self._places else None

    def _read_again(self, key: str) -> SealedEvent:
        line = read_json(_FILE, self._files.line_at(_FILE, self._places[key]))
        return _event(line, read_json(_FILE, decode_base64(line["body"])))


def evidence_line(key: str, told: Mapping[str, Any]) -> bytes:
    """Return an event's line of evidence: its bytes, and what is disclosed and withheld of it."""
    return canonical({"id": key} | {name: told[name] for name in ("body", "parts", "rows")}) + b"\n"


def read_keys(files: Files, trusted: Sequence[str]) -> list[Verifier]:
    """Return the keys of the bundle. If trusted keys are given, each key has to be one of them."""
    try:
        keys = [read_verifier(text) for text in read_json("keys.json", files.content("keys.json"))]
    except (ValueError, TypeError, AttributeError) as error:
        raise VerificationFailed("keys.json", f"it does not hold keys: {error}") from error
    check_plain(files, "keys.json", [str(key) for key in keys])
    if len(set(map(str, keys))) != len(keys):
        raise VerificationFailed("keys.json", "a key stands there twice")
    for key in keys:
        if trusted and str(key) not in trusted:
            raise VerificationFailed("keys.json", f"the key {key} is none of those that you trust")
    return keys


def read_checkpoints(files: Files, keys: Sequence[Verifier]) -> dict[str, LogCheckpoint]:
    """Return the checkpoint of each log, signed by a key of that log."""
    notes = read_json("checkpoints.json", files.content("checkpoints.json"))
    if not isinstance(notes, list):
        raise VerificationFailed("checkpoints.json", "it is no list of checkpoints")
    found: dict[str, LogCheckpoint] = {}
    for note in notes:
        try:
            checkpoint = open_checkpoint(note, keys)
        except (ValueError, TypeError, AttributeError) as error:
            raise VerificationFailed("checkpoints.json", f"a checkpoint does not hold: {error}") from error
        if checkpoint.origin in found:
            raise VerificationFailed("checkpoints.json", f"there are two checkpoints of {checkpoint.origin}")
        if not any(key.name == checkpoint.origin for key in keys):
            raise VerificationFailed("checkpoints.json", f"none of the keys is that of {checkpoint.origin}")
        found[checkpoint.origin] = checkpoint
    if not found:
        raise VerificationFailed("checkpoints.json", "there is no checkpoint")
    check_plain(files, "checkpoints.json", notes)
    if not all(key.name in found for key in keys):
        raise VerificationFailed("keys.json", "there is a key of a log that has no checkpoint")
    if sorted(chain.from_iterable(map(signers_of, notes))) != sorted((key.name, key.key_id) for key in keys):
        raise VerificationFailed("checkpoints.json", "its signatures are not one of each key, and no others")
    return found


def _prove(line: Mapping[str, Any], where: str, checkpoints: Mapping[str, LogCheckpoint]) -> SealedEvent:
    if line.keys() != {"body", "log", "index", "proof", "parts", "rows"} or not _is_plain(line["parts"], line["rows"]):
        raise VerificationFailed(where, "it does not have what an event has")
    content, index = decode_base64(line["body"]), line["index"]
    checkpoint = checkpoints.get(line["log"])
    if checkpoint is None:
        raise VerificationFailed(where, f"there is no checkpoint of its log {line['log']}")
    if type(index) is not int:
        raise VerificationFailed(where, "its place is no number")
    proof = [decode_base64(each) for each in line["proof"]]
    check_inclusion(leaf=leaf_hash(content), index=index, size=checkpoint.size, proof=proof, root=checkpoint.root)
    return _event(line, read_json(where, content))


def _is_plain(parts: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return True if each part is disclosed or withheld, never both, each row is there once, and nothing else is said of them."""
    forms = ({"commitment"}, {"name", "salt", "content"})
    places = [row["place"] for row in rows]
    are_rows = all(row.keys() == {"place", "salt", "content"} for row in rows) and places == sorted(set(places))
    return are_rows and all(part.keys() in forms for part in parts)


def _event(line: Mapping[str, Any], body: Mapping[str, Any]) -> SealedEvent:
    return SealedEvent(body["id"], body, line["log"], line["index"], line["parts"], line["rows"])


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except RecursionError as error:
        raise ValueError("It is nested deeper than anything that was written.") from error


_READ: Mapping[bytes, Callable[[bytes], Any]] = {
    b"-": lambda _: None,
    b"s": lambda content: content.decode("utf-8", "surrogatepass"),
    b"b": lambda content: content == b"1",
    b"n": _json,
    b"u": lambda content: str(UUID(bytes=content)),
    b"t": lambda content: content.decode("ascii").replace("+00:00", "Z"),
    b"d": lambda content: content.decode("ascii"),
    b"x": bytes,
    b"j": _json,
}


def read_columns(content: bytes) -> dict[str, Any]:
    """Return the columns of a row by name, from the bytes that events commit to. Raise ``ValueError`` for other bytes."""
    columns: dict[str, Any] = {}
    while content:
        name, separator, rest = content.partition(b"\0")
        length, second, rest = rest[1:].partition(b"\0") if separator else (b"", b"", b"")
        kind = content[len(name) + 1 : len(name) + 2]
        if not second or kind not in _READ or not length.isdigit() or len(rest) < int(length):
            raise ValueError("These are not the bytes of a row.")
        columns[name.decode()] = _READ[kind](rest[: int(length)])
        content = rest[int(length) :]
    return columns


Parts = Mapping[str, Sequence[bytes]]
"""The disclosed parts of an event by name."""


class Disclosed:
    """Everything that is disclosed: parts by event and name, rows by table and key; and the number of withheld ones.

    Checked contents are not kept in memory but opened again when they are asked for.
    """

    def __init__(self, events: Events) -> None:
        self._events = events
        self._rows: dict[tuple[str, str], tuple[str, int]] = {}
        self._opened = lru_cache(_REMEMBERED)(_open_parts)
        self.withheld_parts = self.withheld_rows = 0

    def check(self, event: SealedEvent) -> None:
        """Check what an event discloses. Raise ``VerificationFailed`` if it is not what was sealed."""
        try:
            self._check_parts(event)
            self._check_rows(event)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            raise VerificationFailed(event.where, f"what it discloses cannot be read: {error}") from error

    def parts(self, event: SealedEvent, name: str) -> Sequence[bytes]:
        """Return the disclosed parts of an event that have a name."""
        return self._opened(_Key(event)).get(name, ())

    def part(self, event: SealedEvent, name: str) -> bytes | None:
        """Return a part of an event by its name, or None if it is not disclosed."""
        return next(iter(self.parts(event, name)), None)

    def row(self, table: str, key: str) -> Mapping[str, Any] | None:
        """Return a row of a table, or None if it is not disclosed."""
        event_id, place = self._rows.get((table, key), ("", 0))
        event = self._events.get(event_id)
        return read_columns(decode_base64(event.rows[place]["content"])) if event else None

    def _check_parts(self, event: SealedEvent) -> None:
        told = event.body.get("parts", {"count": 0, "sha256": ""})
        if not event.parts:
            self.withheld_parts += told["count"]
            return
        commitments = [_commitment(part) for part in event.parts]
        self.withheld_parts += sum("commitment" in part for part in event.parts)
        if len(commitments) != told["count"] or commit_parts(commitments) != told["sha256"]:
            raise VerificationFailed(event.where, f"what is disclosed is not what was sealed: one of {_named(_open_parts(_Key(event)))}")

    def _check_rows(self, event: SealedEvent) -> None:
        told: Sequence[Mapping[str, str]] = event.body.get("rows", [])
        for place, row in enumerate(event.rows):
            if type(row["place"]) is not int or row["place"] < 0:
                raise VerificationFailed(event.where, "a row has no place in it")
            committed = told[row["place"]]
            content = decode_base64(row["content"])
            table, key = committed["table"], committed["id"]
            if commit_row(decode_base64(row["salt"]), table, content) != committed["sha256"]:
                raise VerificationFailed(event.where, f"the row {key} of {table} is not the one that was sealed")
            read_columns(content)
            self._rows[table, key] = event.id, place
        self.withheld_rows += len(told) - len(event.rows)


class _Key:
    """An event as a cache key: two are equal if their identifiers are."""

    __slots__ = ("event",)

    def __init__(self, event: SealedEvent) -> None:
        self.event = event

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and other.event.id == self.event.id

    def __hash__(self) -> int:
        return hash(self.event.id)


def _commitment(part: Mapping[str, str]) -> bytes:
    if "commitment" in part:
        return decode_base64(part["commitment"])
    return commit_part(decode_base64(part["salt"]), part["name"], decode_base64(part["content"]))


def _open_parts(key: _Key) -> Parts:
    opened: dict[str, list[bytes]] = {}
    for part in key.event.parts:
        if "commitment" not in part:
            opened.setdefault(part["name"], []).append(decode_base64(part["content"]))
    return opened


def _named(opened: Mapping[str, Any]) -> str:
    return ", ".join(sorted(opened)[:12]) or "nothing"
