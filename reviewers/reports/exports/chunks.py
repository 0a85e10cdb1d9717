"""The files of exports, kept in pieces for some days: written piece by piece, read piece by piece."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from reviewers.reports.exports.report import compress, decompress
from reviewers.reports.models import Export, ExportChunk
from reviewers.web.models import advisory_lock

FILE = "file"
EVENTS = "events"
DOCUMENTS = "documents"
VOLUMES = "volumes"
BUNDLE = "bundle"
VERIFIER = "verifier"
NOT_PACKED = "not packed"
"""Kept, without anything in it, where packing a bundle failed."""
PIECE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Measured:
    """The size of a file and its SHA-256."""

    size: int
    digest: bytes


class Measuring:
    """Measures a file while its pieces are written: none of them has to be read again."""

    def __init__(self) -> None:
        self._size, self._digest = 0, hashlib.sha256()

    def add(self, content: bytes) -> None:
        """The next piece."""
        self._size += len(content)
        self._digest.update(content)

    @property
    def measured(self) -> Measured:
        """All of them."""
        return Measured(self._size, self._digest.digest())


def keep(export: Export, name: str, number: int, content: bytes, state: dict[str, Any] | None = None) -> None:
    """Keep a piece."""
    keep_packed(export, name, number, packed(content), state)


def packed(content: bytes) -> bytes:
    """A piece as it is kept: a quarter is left, in less time than the database takes to store the rest."""
    return compress(content)


def keep_packed(export: Export, name: str, number: int, content: bytes, state: dict[str, Any] | None = None) -> None:
    """Keep a piece that was packed elsewhere."""
    ExportChunk.objects.bulk_create(
        [
            ExportChunk(
                organisation_id=export.organisation_id,
                export=export,
                name=name,
                number=number,
                content=content,
                state=state or {},
            )
        ]
    )


def wait_for_no_disk() -> None:
    """The commit of the transaction around does not wait until it is on the disk: a piece that is lost with the power is written again."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")


def keep_all(export: Export, name: str, content: Iterable[bytes]) -> Measured:
    """Keep a file that comes as a whole."""
    measuring = Measuring()
    for number, each in enumerate(cut(content)):
        keep(export, name, number, each)
        measuring.add(each)
    return measuring.measured


def last_of(export: Export) -> ExportChunk | None:
    """The last piece of an export's file."""
    return ExportChunk.objects.filter(export=export, name=FILE).defer("content").order_by("-number").first()


def keys(export: Export, name: str) -> list[UUID]:
    """The identifiers of the pieces of a file, in their order."""
    return list(ExportChunk.objects.filter(export=export, name=name).order_by("number").values_list("pk", flat=True))


def piece(key: UUID) -> bytes:
    """One piece."""
    return decompress(bytes(ExportChunk.objects.values_list("content", flat=True).get(pk=key)))


def pieces(export: Export, name: str) -> Iterator[bytes]:
    """The pieces of a file in their order, one in memory at a time."""
    return (piece(key) for key in keys(export, name))


def delete_pieces(export: Export, names: Iterable[str]) -> None:
    """Pieces that are in the file by now."""
    ExportChunk.objects.filter(export=export, name__in=list(names)).delete()


def lock_files(organisation_id: UUID) -> None:
    """Until the end of the transaction around, nobody else keeps or lets go of whole files of this organisation."""
    advisory_lock(f"exports {organisation_id}")


def is_kept(export: Export, name: str = FILE) -> bool:
    """Whether there is a file to be taken."""
    return ExportChunk.objects.filter(export=export, name=name).exists()


def cut(content: Iterable[bytes]) -> Iterator[bytes]:
    """The same in pieces of one size, however it came."""
    waiting = bytearray()
    for each in content:
        waiting += each
        while len(waiting) >= PIECE:
            yield bytes(waiting[:PIECE])
            del waiting[:PIECE]
    if waiting:
        yield bytes(waiting)
