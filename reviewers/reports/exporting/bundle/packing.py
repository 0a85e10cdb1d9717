"""Packs a bundle: the report, its evidence with the proofs that it is sealed, the keys, and the program that verifies all of it."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any
from uuid import UUID

from attribution import canonical_bytes
from reviewers.ledger.logs import verifier_of
from reviewers.ledger.merkle.strict import encode
from reviewers.ledger.merkle.tree import inclusion_proof
from reviewers.ledger.models import Checkpoint, Leaf, LogKey
from reviewers.ledger.reading import Hashes
from reviewers.reports.exporting.bundle.assembling import verify_program
from reviewers.reports.exporting.bundle.verifier.opening import FORMAT, MANIFEST

_MOMENT = (1980, 1, 1, 0, 0, 0)
_PIECE = 200

_README = """A report with its evidence.

To verify it:     python verify.py BUNDLE [KEY ...]
It needs:         Python 3.11 or newer and the package cryptography, and no network.

report.jsonl      the report: its head, an answer a line, its end
events.jsonl      the events behind it: the bytes that were sealed, where they stand in the log and what proves it;
                  of what they committed to, what the report tells is disclosed with its salt, and the rest withheld
documents.jsonl   what the engine said of each answer, by whose digest the log names it
checkpoints.json  the log's size and root, signed
keys.json         the public keys that signed
manifest.json     the size and the SHA-256 of each of these files

Whoever trusts the copy of verify.py from elsewhere more than the one in here may use that one.
"""


class NotSealedYet(Exception):  # noqa: N818 — it will be
    """An event of the bundle waits to be sealed, which takes seconds."""


def pack(target: IO[bytes], report: Iterable[bytes], events: Iterable[bytes], documents: Iterable[bytes]) -> None:
    """Write the bundle. Raises ``NotSealedYet``. However the log has grown since, the same checkpoints are in it."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        packing = _Packing(archive)
        proving = _Proving([json.loads(line) for piece in events for line in piece.splitlines()])
        packing.add("report.jsonl", report)
        packing.add("events.jsonl", proving.lines())
        packing.add("documents.jsonl", documents)
        packing.add("checkpoints.json", [canonical_bytes([each.note for each in proving.checkpoints.values()])])
        packing.add("keys.json", [canonical_bytes(list(proving.keys()))])
        packing.add("verify.py", [verify_program()])
        packing.add("README.txt", [_README.encode()])
        packing.add(MANIFEST, [canonical_bytes({"format": FORMAT, "files": dict(packing.listed)})])


class _Packing:
    """Adds files, and lists them."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.listed: dict[str, dict[str, Any]] = {}

    def add(self, name: str, pieces: Iterable[bytes]) -> None:
        entry = zipfile.ZipInfo(name, _MOMENT)
        entry.compress_type = zipfile.ZIP_DEFLATED
        digest, size = hashlib.sha256(), 0
        with self._archive.open(entry, "w") as file:
            for piece in pieces:
                file.write(piece)
                digest.update(piece)
                size += len(piece)
        self.listed[name] = {"size": size, "sha256": digest.hexdigest()}


class _Proving:
    """Finds the places of events in their logs, and the first checkpoint of each log that covers them."""

    def __init__(self, events: list[Mapping[str, Any]]) -> None:
        self._events = events
        self._places = _places([UUID(event["id"]) for event in events])
        if len(self._places) != len(events):
            raise NotSealedYet
        reach: dict[UUID, int] = {}
        for leaf in self._places.values():
            reach[leaf.log_id] = max(leaf.index, reach.get(leaf.log_id, -1))
        self.checkpoints = {
            log_id: Checkpoint.objects.filter(log=log_id, size__gt=index).earliest("size") for log_id, index in sorted(reach.items())
        }

    def lines(self) -> Iterator[bytes]:
        hashes = {log_id: Hashes(log_id) for log_id in self.checkpoints}
        for event in self._events:
            leaf = self._places[UUID(event["id"])]
            proof = inclusion_proof(hashes[leaf.log_id].read, leaf.index, self.checkpoints[leaf.log_id].size)
            place = {"log": leaf.log.origin, "index": leaf.index, "proof": [encode(each) for each in proof]}
            yield canonical_bytes({name: event[name] for name in ("body", "parts", "rows")} | place) + b"\n"

    def keys(self) -> Iterator[str]:
        for key in LogKey.objects.filter(log__in=list(self.checkpoints)).select_related("log").order_by("id"):
            yield str(verifier_of(key, key.log))


def _places(ids: list[UUID]) -> dict[UUID, Leaf]:
    found: dict[UUID, Leaf] = {}
    for begin in range(0, len(ids), _PIECE):
        found |= Leaf.objects.select_related("log").in_bulk(ids[begin : begin + _PIECE])
    return found
