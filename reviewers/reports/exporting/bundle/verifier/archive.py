"""Whether a file is one zip archive and nothing else: no byte before, between, or after its entries, and each told twice the same.

A reader of zip archives looks for the list at the end and follows it. What it does not look at, another reader may take for the archive.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from typing import IO

from reviewers.reports.exporting.bundle.verifier.doubt import Doubt

MOMENT = (1980, 1, 1, 0, 0, 0)
_WHERE = "the bundle"
_LOCAL, _LISTED, _END, _LARGE_END = 30, 46, 22, 56 + 20 + 22
_PLAIN, _LARGE = 20, 45
"""The version of the format that a reader needs, and the one for what lies beyond two gigabytes."""

_PIECE = 1024**2
_FIRST_DAY = 33
"""``MOMENT`` as it stands in an archive."""
_FULL = 0xFFFFFFFF
"""Stands in the list where a number is too large for its place."""

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def check_archive(archive: zipfile.ZipFile) -> None:
    """Raise ``Doubt`` unless entries fill the file from its first byte to their list, and the list from there to its end."""
    file = archive.fp
    if file is None or archive.comment:
        raise Doubt(_WHERE, "it has a comment")
    place = listed = 0
    for entry in sorted(archive.infolist(), key=lambda each: each.header_offset):
        if entry.header_offset != place:
            raise Doubt(_WHERE, f"something stands before {entry.filename} that belongs to no file")
        _check_entry(file, entry)
        name = len(entry.filename.encode())
        place += _LOCAL + name + entry.compress_size
        listed += _LISTED + name + len(entry.extra)
    if place != archive.start_dir:
        raise Doubt(_WHERE, "something stands behind its last file that belongs to none")
    file.seek(0, 2)
    if file.tell() - place - listed not in (_END, _LARGE_END):
        raise Doubt(_WHERE, "something stands before or behind the list of its files")
    file.seek(place)
    if file.read() != _list_of(archive.infolist(), place):
        raise Doubt(_WHERE, "the list of its files says more than belongs there")


def _list_of(entries: Sequence[zipfile.ZipInfo], place: int) -> bytes:
    """The list of these files with its end, byte for byte as it is written: two readers cannot find two lists in it."""
    listed = b"".join(map(_listed, entries))
    count, size = len(entries), len(listed)
    large = b""
    if place > zipfile.ZIP64_LIMIT:
        end = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, _LARGE, _LARGE, 0, 0, count, count, size, place)
        large = end + struct.pack("<4sIQI", b"PK\6\7", 0, place + size, 1)
    return listed + large + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, count, count, size, min(place, _FULL), 0)


def _listed(entry: zipfile.ZipInfo) -> bytes:
    """What the list says of a file."""
    name, version, extra = entry.filename.encode(), _version_of(entry), _extra_of(entry)
    return (
        struct.pack(
            "<4s4B4H3I5H2I",
            *(b"PK\1\2", version, 3, version, 0, 0, entry.compress_type, 0, _FIRST_DAY, entry.CRC, entry.compress_size, entry.file_size),
            *(len(name), len(extra), 0, 0, 0, entry.external_attr, _FULL if extra else entry.header_offset),
        )
        + name
        + extra
    )


def _version_of(entry: zipfile.ZipInfo) -> int:
    return _LARGE if entry.header_offset > zipfile.ZIP64_LIMIT else _PLAIN


def _extra_of(entry: zipfile.ZipInfo) -> bytes:
    """Where a file stands, if that is too far from the beginning for its own place in the list."""
    return struct.pack("<2HQ", 1, 8, entry.header_offset) if entry.header_offset > zipfile.ZIP64_LIMIT else b""


def unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """A file of the archive, piece by piece. Raises ``Doubt`` where packed bytes are left over, or it is not what the list says."""
    file, left = archive.fp, entry.compress_size
    if file is None:
        raise Doubt(_WHERE, "it is closed")
    place = entry.header_offset + _LOCAL + len(entry.filename.encode())
    inflating = zlib.decompressobj(-15) if entry.compress_type == zipfile.ZIP_DEFLATED else None
    size = crc = 0
    while left:
        file.seek(place)
        read = file.read(min(left, _PIECE))
        if not read:
            break
        place, left = place + len(read), left - len(read)
        for piece in _inflated(inflating, read) if inflating else (read,):
            size, crc = size + len(piece), zlib.crc32(piece, crc)
            if size > entry.file_size:
                raise Doubt(entry.filename, "it is larger than the list says")
            yield piece
    if inflating and (not inflating.eof or inflating.unused_data):
        raise Doubt(entry.filename, "it ends before or behind its packed bytes")
    if left or (size, crc) != (entry.file_size, entry.CRC):
        raise Doubt(entry.filename, "it is not the file that was packed")


def _inflated(inflating: zlib._Decompress, read: bytes) -> Iterator[bytes]:
    while read and not inflating.eof:
        yield inflating.decompress(read, _PIECE)
        read = inflating.unconsumed_tail
    if read and inflating.eof and not inflating.unused_data:
        raise Doubt(_WHERE, "there is more behind the end of a file")


def _check_entry(file: IO[bytes], entry: zipfile.ZipInfo) -> None:
    """What stands before the file says the same as the list, and neither says more than it has to."""
    version = _version_of(entry)
    plain = (MOMENT, 0, b"", version, 0, 3, 0)
    told = (entry.date_time, entry.flag_bits, entry.comment, entry.extract_version, entry.internal_attr, entry.create_system, entry.volume)
    if told != plain or entry.create_version != version or entry.external_attr != 0o600 << 16 or entry.compress_type not in _METHODS:
        raise Doubt(entry.filename, "the list says of it what is said of no file of a bundle")
    if entry.extra != _extra_of(entry):
        raise Doubt(entry.filename, "the list says more of it than belongs there")
    file.seek(entry.header_offset)
    header = file.read(_LOCAL + len(entry.filename.encode()))
    expected = zipfile.ZipInfo(entry.filename, MOMENT)
    expected.compress_type, expected.external_attr = entry.compress_type, entry.external_attr
    expected.CRC, expected.compress_size, expected.file_size = entry.CRC, entry.compress_size, entry.file_size
    if header != expected.FileHeader(zip64=False):
        raise Doubt(entry.filename, "what stands before it is not what the list says")
