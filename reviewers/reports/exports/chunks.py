"""The files of exports, stored in pieces for some days: written and read piece by piece."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef

from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.reports.models import Export, ExportChunk, ExportOutcome, ExportResult
from reviewers.web.models import advisory_lock

FILE = "file"
EVENTS = "events"
DOCUMENTS = "documents"
VOLUMES = "volumes"
BUNDLE = "bundle"
VERIFIER = "verifier"
NOT_PACKED = "not packed"
"""An empty file with this name is stored if packing a bundle failed."""

PIECE = 1024 * 1024
_LEVEL = 1
"""Compresses to about a quarter, in less time than the database takes to store the rest."""


@dataclass(frozen=True, slots=True)
class FileMeasure:
    """The size and the SHA-256 of a file."""

    size: int
    digest: bytes


class Measuring:
    """Measures a file while its pieces are written, so that none of them has to be read again."""

    def __init__(self) -> None:
        self._size, self._digest = 0, hashlib.sha256()

    def add(self, content: bytes) -> None:
        """Add the next piece."""
        self._size += len(content)
        self._digest.update(content)

    @property
    def measured(self) -> FileMeasure:
        """The size and the digest of the pieces so far."""
        return FileMeasure(self._size, self._digest.digest())


def measure(content: Iterable[bytes]) -> FileMeasure:
    """Return the size and the digest of some pieces."""
    measuring = Measuring()
    for each in content:
        measuring.add(each)
    return measuring.measured


def keep(export: Export, name: str, number: int, content: bytes, state: dict[str, Any] | None = None) -> None:
    """Compress and store a piece."""
    whose = {"organisation_id": export.organisation_id, "export": export}
    ExportChunk.objects.create(**whose, name=name, number=number, content=zlib.compress(content, _LEVEL), state=state or {})


def commit_asynchronously() -> None:
    """Let the commit of the current transaction return before it is on disk: a piece that is lost in a power cut is written again."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")


def keep_all(export: Export, name: str, content: Iterable[bytes]) -> FileMeasure:
    """Store a whole file."""
    measuring = Measuring()
    for number, each in enumerate(cut(content)):
        keep(export, name, number, each)
        measuring.add(each)
    return measuring.measured


def last_of(export: Export) -> ExportChunk | None:
    """Return the last piece of an export's file, or None."""
    return ExportChunk.objects.filter(export=export, name=FILE).defer("content").order_by("-number").first()


def keys(export: Export, name: str) -> list[UUID]:
    """Return the identifiers of the pieces of a file, in order."""
    return list(ExportChunk.objects.filter(export=export, name=name).order_by("number").values_list("pk", flat=True))


def piece(key: UUID) -> bytes:
    """Return one piece, decompressed."""
    return zlib.decompress(bytes(ExportChunk.objects.values_list("content", flat=True).get(pk=key)))


def pieces(export: Export, name: str) -> Iterator[bytes]:
    """Yield the pieces of a file in order, with one in memory at a time."""
    return (piece(key) for key in keys(export, name))


def delete_pieces(export: Export, names: Iterable[str]) -> None:
    """Delete files of pieces that the export's file has by now."""
    ExportChunk.objects.filter(export=export, name__in=list(names)).delete()


def lock_files(organisation_id: UUID) -> None:
    """Lock the files of an organisation until the end of the transaction: nobody else stores or deletes whole files."""
    advisory_lock(f"exports {organisation_id}")


def share_files(organisation_id: UUID) -> None:
    """Keep files from being deleted for a redaction until the end of the transaction.

    What is read in it and stored is either read after the redaction, or seen and deleted by it.
    """
    advisory_lock(f"exports {organisation_id}", is_shared=True)


def is_kept(export: Export, name: str = FILE) -> bool:
    """Return True if the file is stored."""
    return ExportChunk.objects.filter(export=export, name=name).exists()


def cut(content: Iterable[bytes]) -> Iterator[bytes]:
    """Cut content into pieces of one size."""
    waiting = bytearray()
    for each in content:
        waiting += each
        while len(waiting) >= PIECE:
            yield bytes(waiting[:PIECE])
            del waiting[:PIECE]
    if waiting:
        yield bytes(waiting)


def check_report_files(organisation_id: UUID) -> None:
    """Raise ``LedgerMismatch`` at a report whose stored file is not the one that was made. The record of its making has the digest.

    A report without a file was deleted after some days, or because something in it was redacted.
    """
    has_file = Exists(ExportChunk.objects.filter(export=OuterRef("export"), name=FILE))
    made = ExportResult.objects.filter(has_file, organisation=organisation_id, outcome=ExportOutcome.MADE).defer("snapshots")
    for result in made.select_related("export").order_by("id"):
        if _measured(result) != FileMeasure(result.size, bytes(result.digest or b"")):
            raise LedgerMismatch(ExportChunk, result.export_id, "is not the file of this report that was made", "content")


def _measured(result: ExportResult) -> FileMeasure | None:
    """Return the size and the digest of a report's stored file, or None if it cannot be read."""
    try:
        return measure(pieces(result.export, FILE))
    except zlib.error:
        return None
