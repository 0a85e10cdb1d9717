"""Make a bundle: the report, its evidence with proofs that it is sealed, the keys, and ``verify.py``, which verifies all of it.

``verify.py`` has the modules of the verifier, as they are here, in one file that needs nothing else of the site.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from inspect import getsource
from typing import IO, Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef
from msgspec import DecodeError, Raw, Struct
from msgspec.json import Decoder

from attribution import canonical_bytes
from reviewers.ledger.encoding import read_openings
from reviewers.ledger.events import Action
from reviewers.ledger.logs import StoredHashes, verifier_of
from reviewers.ledger.merkle.notes import decode_base64, encode_base64, signers_of
from reviewers.ledger.merkle.tree import inclusion_proof
from reviewers.ledger.models import AuditEvent, Checkpoint, EventSecret, Leaf, Log, LogKey
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.reports.exports import chunks
from reviewers.reports.exports.bundle.evidence import disclose, line_of
from reviewers.reports.exports.bundle.verifier.files import FORMAT, MANIFEST, MOMENT, README
from reviewers.reports.exports.bundle.verifier.main import EVIDENCE, PART, VERIFIER
from reviewers.reports.exports.formats.registry import BUNDLE
from reviewers.reports.models import Export, ExportChunk, ExportOutcome
from reviewers.snapshots.models import SnapshotAttribution, SnapshotDocuments

_VERIFIER = "reviewers.reports.exports.bundle.verifier"
_MERKLE = "reviewers.ledger.merkle"
MODULES = (
    f"{_MERKLE}.proofs",
    f"{_MERKLE}.notes",
    "reviewers.ledger.commitments",
    f"{_VERIFIER}.files",
    f"{_VERIFIER}.events",
    f"{_VERIFIER}.claims",
    f"{_VERIFIER}.main",
)
_QUOTE = "'" * 3

_HEAD = '''"""Verifies the bundle that this file came in: ``python verify.py bundle.zip [KEY ...]``.

Needs Python 3.11 or newer and the package ``cryptography``; no network, no site. The modules below are those of the site that made the
bundle, word for word. They are kept as texts so that they can import each other by their names.
"""

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec

MODULES = {}
'''

_FOOT = '''

class Finder(MetaPathFinder, Loader):
    """Finds the modules above, and nothing else."""

    def find_spec(self, name, path=None, target=None):
        if name in MODULES:
            return ModuleSpec(name, self)
        if any(module.startswith(name + ".") for module in MODULES):
            return ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__spec__.name
        if name in MODULES:
            exec(compile(MODULES[name], "<" + name + ">", "exec"), module.__dict__)


if __name__ == "__main__":
    sys.meta_path.insert(0, Finder())
    from reviewers.reports.exports.bundle.verifier.main import main

    sys.exit(main(sys.argv[1:]))
'''

Pieces = Callable[[], Iterable[bytes]]
"""Returns the pieces of a file, from its beginning at each call."""

WHILE_WAITING = 4 * 1024 * 1024
"""A bundle with a report of up to so many bytes is packed during the request, if the worker has not packed it yet: a second."""

_IN_MEMORY = 8 * 1024 * 1024


@cache
def verify_program() -> bytes:
    """Return the text of ``verify.py``."""
    return "".join([_HEAD, *(_embedded(name) for name in MODULES), _FOOT]).encode()


def _embedded(name: str) -> str:
    source = _source(name)
    if _QUOTE in source or source.endswith("\\"):
        raise ValueError(f"{name} cannot be kept as a raw text")
    return f"\nMODULES[{name!r}] = r{_QUOTE}{source}{_QUOTE}\n"


def _source(name: str) -> str:
    if find_spec(name) is None:
        raise ValueError(f"There is no module {name}")
    return getsource(import_module(name))


class NotSealedYet(Exception):  # noqa: N818 — it will be sealed soon: no error
    """An event of the bundle waits to be sealed, which takes seconds."""


def pack(target: IO[bytes], report: Pieces, events: Pieces, documents: Pieces, program: Pieces) -> None:
    """Write a bundle; ``program`` is the verifier as it was when the report was made. Raise ``NotSealedYet`` if it has to wait.

    Its checkpoints are always the same, no matter how far the log has grown since.
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
    """Adds files to an archive, and lists them."""

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
    """An event in the form of evidence. The values that the bundle repeats are kept as they are written."""

    id: str
    body: Raw
    parts: Raw
    rows: Raw


class _Proving:
    """Finds the places of events in their logs, and the first checkpoint of each log that covers them.

    The events are read twice, because it is not known before the end how far they reach.
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
        hashes = {log_id: StoredHashes(log_id) for log_id in self.checkpoints}
        origins = {each.id: canonical_bytes(each.origin) for each in Log.objects.filter(pk__in=list(self.checkpoints))}
        for lines, places in self._read():
            for line, (log_id, index) in zip(lines, places, strict=True):
                proof = inclusion_proof(hashes[log_id].read, index, self.checkpoints[log_id].size)
                yield _proven(line, origins[log_id], index, canonical_bytes([encode_base64(each) for each in proof]))

    def keys(self) -> Iterator[str]:
        """Yield the keys that signed the checkpoints, and no later ones: the bundle stays the same however the log goes on."""
        signed = {signer for each in self.checkpoints.values() for signer in signers_of(each.note)}
        for key in LogKey.objects.filter(log__in=list(self.checkpoints)).select_related("log").order_by("id"):
            verifier = verifier_of(key, key.log)
            if (verifier.name, verifier.key_id) in signed:
                yield str(verifier)

    def _read(self) -> Iterator[tuple[Sequence[_Line], Sequence[tuple[UUID, int]]]]:
        """Yield the events of each piece with their places."""
        for piece in self._events():
            lines = [_read_line(line) for line in piece.splitlines()]
            found = Leaf.objects.filter(pk__in=[UUID(line.id) for line in lines]).values_list("id", "log_id", "index")
            places = {str(pk): (log_id, index) for pk, log_id, index in found}
            if len(places) != len(lines):
                raise NotSealedYet
            yield lines, [places[line.id] for line in lines]


_LINE = Decoder(_Line)


def _read_line(line: bytes) -> _Line:
    """Return a line of evidence. The decoder refuses the half of a character, which the name of a field may hold."""
    try:
        return _LINE.decode(line)
    except DecodeError:
        told = json.loads(line)
        return _Line(told["id"], *(Raw(canonical_bytes(told[name])) for name in ("body", "parts", "rows")))


def _proven(line: _Line, origin: bytes, index: int, proof: bytes) -> bytes:
    """Return an event with its proof as canonical JSON, built from canonical values."""
    told = {"body": line.body, "index": str(index).encode(), "log": origin, "parts": line.parts, "proof": proof, "rows": line.rows}
    return b"{" + b",".join([b'"' + name.encode() + b'":' + bytes(value) for name, value in told.items()]) + b"}\n"


def pack_bundle(export: Export) -> IO[bytes]:
    """Return the bundle of an export as a temporary file. Raise ``NotSealedYet`` if it has to wait."""
    target = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 — whoever sends it closes it
    report, documents, program = (partial(chunks.pieces, export, name) for name in (chunks.FILE, chunks.DOCUMENTS, chunks.VERIFIER))
    try:
        pack(target, report, partial(_events, export), documents, program)
    except BaseException:
        target.close()
        raise
    target.seek(0)
    return target


def keep_bundle(export: Export) -> bool:
    """Pack the bundle and store its pieces for download; return True if they are stored.

    They are not stored if the export's pieces were deleted meanwhile, as happens when some of it is redacted. Raise ``NotSealedYet`` if the
    bundle has to wait.
    """
    try:
        file = pack_bundle(export)
    except ExportChunk.DoesNotExist:
        return False
    with file, transaction.atomic():
        chunks.lock_files(export.organisation_id)
        if chunks.is_kept(export) and not chunks.is_kept(export, chunks.BUNDLE):
            chunks.keep_all(export, chunks.BUNDLE, iter(partial(file.read, chunks.PIECE), b""))
    return chunks.is_kept(export, chunks.BUNDLE)


def _events(export: Export) -> Iterator[bytes]:
    """Yield the evidence, and the event of the report's making, which names its digest."""
    yield from chunks.pieces(export, chunks.EVENTS)
    event = _event_of_making(export)
    secret = EventSecret.objects.get(pk=event.pk)
    parts = [(PART, bytes(export.result.digest or b""))]
    openings = read_openings(json.loads(bytes(event.body)), bytes(secret.salt_seed))
    yield line_of(event, disclose(parts, openings, {PART}))


def _event_of_making(export: Export) -> AuditEvent:
    return AuditEvent.objects.get(organisation_id=export.organisation_id, object_id=export.pk, action=Action.REPORT_MADE.value)


def check_bundles(organisation_id: UUID) -> None:
    """Raise ``LedgerMismatch`` at a stored bundle with a verifier, evidence or documents that are not those of its making.

    The first two have their digests in the event of its making. The evidence has those of the documents, unless something of their answers
    was redacted; these are compared with what is stored. What was packed for download is packed again and compared: a bundle is the same
    each time.
    """
    has_file = Exists(ExportChunk.objects.filter(export=OuterRef("pk"), name=chunks.FILE))
    bundles = Export.objects.filter(has_file, organisation=organisation_id, form=BUNDLE, result__outcome=ExportOutcome.MADE)
    for export in bundles.select_related("result").order_by("pk"):
        try:
            is_whole = _is_as_made(export)
        except (zlib.error, ValueError, TypeError, NotSealedYet):
            is_whole = False
        if not is_whole:
            raise LedgerMismatch(ExportChunk, export.pk, "is not the bundle of this report that was made", "content")


def _is_as_made(export: Export) -> bool:
    sealed = json.loads(bytes(_event_of_making(export).body))["details"]
    program, evidence = (chunks.measure(chunks.pieces(export, name)).digest.hex() for name in (chunks.VERIFIER, chunks.EVENTS))
    if program != sealed.get(VERIFIER) or evidence != sealed.get(EVIDENCE, evidence):
        return False
    unnamed = _documents_in(export) - _documents_named(export)
    return unnamed <= _documents_stored(export.organisation_id, unnamed) and _is_packed_as_made(export)


def _documents_in(export: Export) -> set[bytes]:
    lines = (line for piece in chunks.pieces(export, chunks.DOCUMENTS) for line in piece.splitlines())
    return {hashlib.sha256(decode_base64(json.loads(line))).digest() for line in lines}


def _documents_named(export: Export) -> set[bytes]:
    """Return the digests of the engine's documents that the evidence discloses."""
    lines = (json.loads(line) for piece in chunks.pieces(export, chunks.EVENTS) for line in piece.splitlines())
    return {
        decode_base64(part["content"]) for line in lines for part in line["parts"] if part.get("name", "").endswith("attribution.sha256")
    }


def _documents_stored(organisation_id: UUID, digests: set[bytes]) -> set[bytes]:
    """Return those of some digests that stored documents of the engine have: what was redacted is derived anew, and no event names it."""
    found = {"organisation": organisation_id, "digest__in": digests}
    stored = (each.objects.filter(**found).values_list("digest", flat=True) for each in (SnapshotAttribution, SnapshotDocuments))
    return {bytes(digest) for digests_of_kind in stored for digest in digests_of_kind}


def _is_packed_as_made(export: Export) -> bool:
    """True if the bundle is not packed yet, or as it would be packed now."""
    if not chunks.is_kept(export, chunks.BUNDLE):
        return True
    with pack_bundle(export) as file:
        packed = chunks.measure(iter(partial(file.read, chunks.PIECE), b""))
    return packed == chunks.measure(chunks.pieces(export, chunks.BUNDLE))
