"""Write a report as PDF in volumes, in one zip archive: typesetting takes memory for every page, so each volume has some of the answers.

The answers of each volume are settled before the first is typeset, so that each can name the number of volumes; answers that arrive
meanwhile are not in the report. Each volume is a step that an interrupted job does not repeat.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from zlib import crc32

from django.db import transaction
from django.db.models import QuerySet
from msgspec import convert, to_builtins

from reviewers.reports.disclosure.strategies import apply_to_end
from reviewers.reports.exports import chunks
from reviewers.reports.exports.chunks import FileMeasure
from reviewers.reports.exports.events import close, open_logs
from reviewers.reports.exports.formats.pdf import Volume, contents_of, last_moment, name_of, name_of_contents, volume_of
from reviewers.reports.exports.loading import PAGES, cut, load_batch, weigh
from reviewers.reports.exports.reading import build_batch, conclude, head
from reviewers.reports.exports.report import Answer, Report
from reviewers.reports.exports.scope import ReportRequest
from reviewers.reports.exports.summary import SummaryTally, combined, summary_of
from reviewers.reports.exports.writers import Steps, restore, state_of
from reviewers.reports.models import Export
from reviewers.review.models import QueueItem
from reviewers.snapshots.lists import write_key
from reviewers.web.dates import PageKey, read_page_key

_MOST_PAGES = 3 * PAGES
"""A report of few answers that has more pages than this comes in volumes too."""

ANSWERS = 100
"""The largest number of answers in a volume."""

_RECEIPTS = 5_000
"""A volume of up to so many events has their receipts attached: a hundred answers have some eight hundred."""


def is_long(items: QuerySet[QueueItem], *, all_fields: bool) -> bool:
    """Return True if a report of few answers has too many pages for one file."""
    return sum(pages for _, pages in weigh(items, all_fields=all_fields)) > _MOST_PAGES


# A zip archive that is written front to back, file by file, and can be resumed from the list of its files.
# Files are stored uncompressed. Sizes and offsets have eight bytes where four do not suffice (ZIP64). Every file has the same date, so the
# same files make the same archive.


_VERSION = 45
_UTF8 = 1 << 11
_DATE = (1 << 5) | 1  # 1 January 1980
_MOST = 0xFFFFFFFF
_MANY = 0xFFFF


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """A file in an archive: its name, size, CRC-32 and offset."""

    name: str
    size: int
    check: int
    place: int

    @property
    def end(self) -> int:
        """The offset of the next file."""
        return self.place + len(_local(self)) + self.size


def add_file(name: str, content: bytes, before: Sequence[ZipEntry]) -> tuple[ZipEntry, bytes]:
    """Return the entry of a file after others, and the bytes to write. Raise ``ValueError`` from four gigabytes on."""
    if len(content) >= _MOST:
        raise ValueError(f"{name} is too large for an archive")
    entry = ZipEntry(name, len(content), crc32(content), before[-1].end if before else 0)
    return entry, _local(entry) + content


def close_archive(entries: Sequence[ZipEntry], listed: Iterable[ZipEntry]) -> bytes:
    """Return the list of files at the end of an archive, in the order of ``listed``."""
    listing = b"".join([_listed(each) for each in listed])
    begin = entries[-1].end if entries else 0
    end = begin + len(listing)
    large = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, _VERSION, _VERSION, 0, 0, len(entries), len(entries), len(listing), begin)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, end, 1)
    few, short = min(len(entries), _MANY), (min(len(listing), _MOST), min(begin, _MOST))
    last = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, few, few, *short, 0)
    is_large = len(entries) >= _MANY or begin >= _MOST
    return listing + (large + locator if is_large else b"") + last


def _local(entry: ZipEntry) -> bytes:
    name = entry.name.encode()
    told = (entry.check, entry.size, entry.size, len(name), 0)
    return struct.pack("<4s5H3L2H", b"PK\3\4", _VERSION, _UTF8, 0, 0, _DATE, *told) + name


def _listed(entry: ZipEntry) -> bytes:
    name = entry.name.encode()
    extra = struct.pack("<2HQ", 1, 8, entry.place) if entry.place >= _MOST else b""
    told = (entry.check, entry.size, entry.size, len(name), len(extra), 0, 0, 0, 0, min(entry.place, _MOST))
    return struct.pack("<4s6H3L5H2L", b"PK\1\2", _VERSION, _VERSION, _UTF8, 0, 0, _DATE, *told) + name + extra


# The volumes of a report.


@dataclass(frozen=True, slots=True)
class _Kept:
    """A finished volume, its entry in the archive, and the last moment in it."""

    volume: Volume
    entry: ZipEntry
    moment: datetime


class VolumeWriter:
    """An archive of volumes with a table of contents, which is written last."""

    def __init__(self, export: Export, asked: ReportRequest, size: int) -> None:
        self._export, self._asked, self._size = export, asked, size
        self._steps = Steps(export)
        self._logs, self._tally = open_logs(export.organisation_id), SummaryTally()
        self._kept: list[_Kept] = []

    def make(self) -> tuple[list[str], FileMeasure]:
        """Write the file to its end; return the identifiers of the answers, and the file's size and digest."""
        state = self._steps.resume()
        if state is None:
            self._settle()
        else:
            restore(self._logs, self._tally, state)
            self._kept = [convert(each["volume"], _Kept) for each in self._steps.states() if "volume" in each]
        if state is None or not state["end"]:
            self._go_on()
        return self._steps.seen, self._steps.measured

    @transaction.atomic
    def _settle(self) -> None:
        """Settle the answers of each volume. A report without answers has one volume."""
        number = 0
        weighed = weigh(self._asked.items, all_fields=self._asked.scope.all_fields)
        for number, keys in enumerate(cut(weighed, self._size), start=1):
            chunks.keep(self._export, chunks.VOLUMES, number, json.dumps([write_key(key) for key in keys]).encode())
        if not number:
            chunks.keep(self._export, chunks.VOLUMES, 1, b"[]")
        self._steps.keep(b"", self._state())

    def _go_on(self) -> None:
        planned = chunks.keys(self._export, chunks.VOLUMES)
        for number, key in enumerate(planned, start=1):
            if number > len(self._kept):
                keys = [read_page_key(each) for each in json.loads(chunks.piece(key))]
                self._volume(number, len(planned), [each for each in keys if each])
        self._contents()

    def _volume(self, number: int, count: int, keys: Sequence[PageKey]) -> None:
        logs = open_logs(self._export.organisation_id, _RECEIPTS)
        batch = load_batch(self._asked.items, self._asked.by, keys)
        ids = [str(each.item.id) for each in batch]
        answers = list(build_batch(self._asked, batch, logs, len(self._steps.seen)))
        del batch
        summary = combined(map(summary_of, answers))
        self._tally.summary = combined([self._tally.summary, summary])
        closing = apply_to_end(close(len(answers), logs, summary), self._asked.profile, self._export.organisation_id)
        report = Report(head(self._asked), answers, closing)
        content = volume_of(report, number, count)
        entry, stored = add_file(name_of(number, count), content, self._entries())
        kept = _Kept(_told(number, answers, entry.name, content), entry, last_moment(report))
        self._logs.add(logs)
        self._kept.append(kept)
        self._steps.keep_long([stored], self._state() | {"volume": _data(kept)}, ids)

    def _contents(self) -> None:
        closing = conclude(self._asked, len(self._steps.seen), self._logs, self._tally.summary)
        volumes, last = [each.volume for each in self._kept], max(each.moment for each in self._kept)
        content = contents_of(head(self._asked), closing, volumes, last)
        entry, stored = add_file(name_of_contents(len(volumes)), content, self._entries())
        entries = [*self._entries(), entry]
        self._steps.keep_long([stored, close_archive(entries, [entry, *self._entries()])], self._state() | {"end": True})

    def _entries(self) -> list[ZipEntry]:
        return [each.entry for each in self._kept]

    def _state(self) -> dict[str, Any]:
        return state_of(self._logs, self._tally) | {"end": False}


def _told(number: int, answers: Sequence[Answer], name: str, content: bytes) -> Volume:
    first, last = (answers[0], answers[-1]) if answers else (None, None)
    return Volume(
        name=name,
        number=number,
        first=first.number if first else 0,
        last=last.number if last else 0,
        since=first.answered_at if first else "",
        until=last.answered_at if last else "",
        digest="sha256:" + hashlib.sha256(content).hexdigest(),
    )


def _data(kept: _Kept) -> dict[str, Any]:
    return {"volume": to_builtins(kept.volume), "entry": asdict(kept.entry), "moment": kept.moment.isoformat()}
