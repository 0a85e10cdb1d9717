"""A zip archive that is written front to back, file by file, and gone on with by whoever knows what is in it so far.

Files are stored as they are. Sizes and places have eight bytes where four do not suffice (ZIP64), and every file has the same date, so
the same files are the same archive.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from zlib import crc32

_VERSION = 45
_UTF8 = 1 << 11
_DATE = (1 << 5) | 1  # 1 January 1980
_MOST = 0xFFFFFFFF
_MANY = 0xFFFF


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in an archive: its name, its size and check sum, and where it begins."""

    name: str
    size: int
    check: int
    place: int

    @property
    def end(self) -> int:
        """Where the next one begins."""
        return self.place + len(_local(self)) + self.size


def add(name: str, content: bytes, before: Sequence[Entry]) -> tuple[Entry, bytes]:
    """A file behind others: what it is, and what is written of it. Raises ``ValueError`` for one of four gigabytes."""
    if len(content) >= _MOST:
        raise ValueError(f"{name} is too large for an archive")
    entry = Entry(name, len(content), crc32(content), before[-1].end if before else 0)
    return entry, _local(entry) + content


def close(entries: Sequence[Entry], listed: Iterable[Entry]) -> bytes:
    """What stands behind all files: the list of them, in another order if need be."""
    listing = b"".join([_listed(each) for each in listed])
    begin = entries[-1].end if entries else 0
    end = begin + len(listing)
    large = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, _VERSION, _VERSION, 0, 0, len(entries), len(entries), len(listing), begin)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, end, 1)
    few, short = min(len(entries), _MANY), (min(len(listing), _MOST), min(begin, _MOST))
    last = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, few, few, *short, 0)
    is_large = len(entries) >= _MANY or begin >= _MOST
    return listing + (large + locator if is_large else b"") + last


def _local(entry: Entry) -> bytes:
    name = entry.name.encode()
    told = (entry.check, entry.size, entry.size, len(name), 0)
    return struct.pack("<4s5H3L2H", b"PK\3\4", _VERSION, _UTF8, 0, 0, _DATE, *told) + name


def _listed(entry: Entry) -> bytes:
    name = entry.name.encode()
    extra = struct.pack("<2HQ", 1, 8, entry.place) if entry.place >= _MOST else b""
    told = (entry.check, entry.size, entry.size, len(name), len(extra), 0, 0, 0, 0, min(entry.place, _MOST))
    return struct.pack("<4s6H3L5H2L", b"PK\1\2", _VERSION, _VERSION, _UTF8, 0, 0, _DATE, *told) + name + extra
