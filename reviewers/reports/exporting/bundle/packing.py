"""Packs a bundle: the report, its evidence with the proofs that it is sealed, the keys, and the program that verifies all of it."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, Any
from uuid import UUID

from msgspec import Raw, Struct
from msgspec.json import Decoder

from attribution import canonical_bytes
from reviewers.ledger.logs import verifier_of
from reviewers.ledger.merkle.strict import encode
from reviewers.ledger.merkle.tree import inclusion_proof
from reviewers.ledger.models import Checkpoint, Leaf, Log, LogKey
from reviewers.ledger.reading import Hashes
from reviewers.reports.exporting.bundle.verifier.archive import MOMENT
from reviewers.reports.exporting.bundle.verifier.opening import FORMAT, MANIFEST
from reviewers.reports.exporting.bundle.verifier.readme import README


class NotSealedYet(Exception):  # noqa: N818 — it will be
    """An event of the bundle waits to be sealed, which takes seconds."""


Pieces = Callable[[], Iterable[bytes]]
"""What is read piece by piece, from its beginning each time."""


def pack(target: IO[bytes], report: Pieces, events: Pieces, documents: Pieces, program: Pieces) -> None:
    """Write the bundle; ``program`` is the verifier as it was when the report was made. Raises ``NotSealedYet``.

    However the log has grown since, the same checkpoints are in it.
    """
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        packing = _Packing(archive)
        proving = _Proving(events)
        packing.add("report.jsonl", report())
        packing.add("events.jsonl", proving.lines())
        packing.add("documents.jsonl", documents())
        packing.add("checkpoints.json", [canonical_bytes([each.note for each in proving.checkpoints.values()])])
        packing.add("keys.json", [canonical_bytes(list(proving.keys()))])
        packing.add("verify.py", program())
        packing.add("README.txt", [README.encode()])
        packing.add(MANIFEST, [canonical_bytes({"format": FORMAT, "files": dict(packing.listed)})])


class _Packing:
    """Adds files, and lists them."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.listed: dict[str, dict[str, Any]] = {}

    def add(self, name: str, pieces: Iterable[bytes]) -> None:
        entry = zipfile.ZipInfo(name, MOMENT)
        entry.compress_type = zipfile.ZIP_DEFLATED
        digest, size = hashlib.sha256(), 0
        with self._archive.open(entry, "w") as file:
            for piece in pieces:
                file.write(piece)
                digest.update(piece)
                size += len(piece)
        self.listed[name] = {"size": size, "sha256": digest.hexdigest()}


class _Line(Struct):
    """An event as evidence has it. What stands in the bundle as well is left as it is written."""

    id: str
    body: Raw
    parts: Raw
    rows: Raw


class _Proving:
    """Finds the places of events in their logs, and the first checkpoint of each log that covers them.

    The events are read twice, for how far they reach is known at their end.
    """

    def __init__(self, events: Pieces) -> None:
        self._events = events
        reach: dict[UUID, int] = {}
        for _, places in self._read():
            for log_id, index in places:
                reach[log_id] = max(index, reach.get(log_id, -1))
        self.checkpoints = {
            log_id: Checkpoint.objects.filter(log=log_id, size__gt=index).earliest("size") for log_id, index in sorted(reach.items())
        }

    def lines(self) -> Iterator[bytes]:
        hashes = {log_id: Hashes(log_id) for log_id in self.checkpoints}
        origins = {each.id: canonical_bytes(each.origin) for each in Log.objects.filter(pk__in=list(self.checkpoints))}
        for lines, places in self._read():
            for line, (log_id, index) in zip(lines, places, strict=True):
                proof = inclusion_proof(hashes[log_id].read, index, self.checkpoints[log_id].size)
                yield _proven(line, origins[log_id], index, canonical_bytes([encode(each) for each in proof]))

    def keys(self) -> Iterator[str]:
        for key in LogKey.objects.filter(log__in=list(self.checkpoints)).select_related("log").order_by("id"):
            yield str(verifier_of(key, key.log))

    def _read(self) -> Iterator[tuple[Sequence[_Line], Sequence[tuple[UUID, int]]]]:
        """The events of each piece with their places."""
        for piece in self._events():
            lines = [_LINE.decode(line) for line in piece.splitlines()]
            found = Leaf.objects.filter(pk__in=[UUID(line.id) for line in lines]).values_list("id", "log_id", "index")
            places = {str(pk): (log_id, index) for pk, log_id, index in found}
            if len(places) != len(lines):
                raise NotSealedYet
            yield lines, [places[line.id] for line in lines]


_LINE = Decoder(_Line)


def _proven(line: _Line, origin: bytes, index: int, proof: bytes) -> bytes:
    """Canonical JSON, as its parts are."""
    told = {"body": line.body, "index": str(index).encode(), "log": origin, "parts": line.parts, "proof": proof, "rows": line.rows}
    return b"{" + b",".join([b'"' + name.encode() + b'":' + bytes(value) for name, value in told.items()]) + b"}\n"
