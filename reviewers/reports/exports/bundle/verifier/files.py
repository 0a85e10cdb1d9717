"""Open a bundle: check that it is one plain zip archive whose files are those of its manifest.

A reader of zip archives looks for the list at the end and follows it. Another reader may take the bytes that it skips for the archive. So
no byte is allowed before, between or after the entries, and both descriptions of each entry must agree.

Files are unpacked to disk, where lines are read one at a time and found again by their places, because there may be gigabytes of them.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import IO, Any, Self

MOMENT = (1980, 1, 1, 0, 0, 0)
_WHERE = "the bundle"
_LOCAL, _LISTED, _END, _LARGE_END = 30, 46, 22, 56 + 20 + 22
_PLAIN, _LARGE = 20, 45
"""The version of the zip format that a reader needs, and the version for archives over two gigabytes."""

_PIECE = 1024**2
_FIRST_DAY = 33
"""The date of ``MOMENT`` in the encoding of zip archives."""

_FULL = 0xFFFFFFFF
"""The value in the list if a number is too large for its place."""

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
MANIFEST = "manifest.json"
FORMAT = "footnote-bundle-1"
NAMES = frozenset({"report.jsonl", "events.jsonl", "documents.jsonl", "checkpoints.json", "keys.json", "verify.py", "README.txt"})
_MOST_BYTES = 64 * 1024**3
_MOST_AT_ONCE = 16 * 1024**2
_LONGEST_LINE = 128 * 1024**2
"""Bytes of a line, which is held in memory: several times as many as the largest answer has."""


class VerificationFailed(Exception):  # noqa: N818 — a verdict on the bundle, not an error of the program
    """Something in a bundle is not what it is said to be: ``where``, and ``what`` is wrong."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"{where}: {what}")
        self.where = where
        self.what = what


# The text file in every bundle. It is checked too, so that it cannot tell people to do something else.


README = """A report with its evidence.

To verify it:     python verify.py BUNDLE [KEY ...]
It needs:         Python 3.11 or newer and the package cryptography, and no network.

Use a verify.py that you have from elsewhere: from whoever made the report, or from a bundle that came another way. One that came with
what it is to judge may have been changed with it. The SHA-256 of the right one is on the page of the export, and in the log, in the
event of the report's making. Compare it first:

                  sha256sum verify.py

report.jsonl      the report: its head, an answer a line, its end
events.jsonl      the events behind it: the bytes that were sealed, where they are in the log and what proves it;
                  of what they committed to, what the report tells is disclosed with its salt, and the rest withheld
documents.jsonl   what the engine said of each answer, by whose digest the log names it
checkpoints.json  the log's size and root, signed
keys.json         the public keys that signed
verify.py         the program that verifies a bundle
manifest.json     the size and the SHA-256 of each of these files
"""


def check_archive(archive: zipfile.ZipFile) -> None:
    """Raise ``VerificationFailed`` unless entries fill the file from its first byte to their list, and the list fills the rest."""
    file = archive.fp
    if file is None or archive.comment:
        raise VerificationFailed(_WHERE, "it has a comment")
    place = listed = 0
    for entry in sorted(archive.infolist(), key=lambda each: each.header_offset):
        if entry.header_offset != place:
            raise VerificationFailed(_WHERE, f"something stands before {entry.filename} that belongs to no file")
        _check_entry(file, entry)
        name = len(entry.filename.encode())
        place += _LOCAL + name + entry.compress_size
        listed += _LISTED + name + len(entry.extra)
    if place != archive.start_dir:
        raise VerificationFailed(_WHERE, "something stands behind its last file that belongs to none")
    file.seek(0, 2)
    if file.tell() - place - listed not in (_END, _LARGE_END):
        raise VerificationFailed(_WHERE, "something stands before or behind the list of its files")
    file.seek(place)
    if file.read() != _list_of(archive.infolist(), place):
        raise VerificationFailed(_WHERE, "the list of its files says more than belongs there")


def _list_of(entries: Sequence[zipfile.ZipInfo], place: int) -> bytes:
    """Return the list of these files with its end, byte for byte as it is written, so that two readers cannot find two lists in it."""
    listed = b"".join(map(_listed, entries))
    count, size = len(entries), len(listed)
    large = b""
    if place > zipfile.ZIP64_LIMIT:
        end = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, _LARGE, _LARGE, 0, 0, count, count, size, place)
        large = end + struct.pack("<4sIQI", b"PK\6\7", 0, place + size, 1)
    return listed + large + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, count, count, size, min(place, _FULL), 0)


def _listed(entry: zipfile.ZipInfo) -> bytes:
    """Return the entry of a file in the list."""
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
    """Return the extra field with a file's offset, if it is too large for its own place in the list."""
    return struct.pack("<2HQ", 1, 8, entry.header_offset) if entry.header_offset > zipfile.ZIP64_LIMIT else b""


def unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield a file of the archive piece by piece.

    Raise ``VerificationFailed`` if packed bytes are left over, or if the file is not what the list says.
    """
    file, left = archive.fp, entry.compress_size
    if file is None:
        raise VerificationFailed(_WHERE, "it is closed")
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
                raise VerificationFailed(entry.filename, "it is larger than the list says")
            yield piece
    if inflating and (not inflating.eof or inflating.unused_data):
        raise VerificationFailed(entry.filename, "it ends before or behind its packed bytes")
    if left or (size, crc) != (entry.file_size, entry.CRC):
        raise VerificationFailed(entry.filename, "it is not the file that was packed")


def _inflated(inflating: zlib._Decompress, read: bytes) -> Iterator[bytes]:
    while read and not inflating.eof:
        yield inflating.decompress(read, _PIECE)
        read = inflating.unconsumed_tail
    if read and inflating.eof and not inflating.unused_data:
        raise VerificationFailed(_WHERE, "there is more behind the end of a file")


def _check_entry(file: IO[bytes], entry: zipfile.ZipInfo) -> None:
    """Check that the header before a file agrees with the list, and that neither says more than it has to."""
    version = _version_of(entry)
    plain = (MOMENT, 0, b"", version, 0, 3, 0)
    told = (entry.date_time, entry.flag_bits, entry.comment, entry.extract_version, entry.internal_attr, entry.create_system, entry.volume)
    if told != plain or entry.create_version != version or entry.external_attr != 0o600 << 16 or entry.compress_type not in _METHODS:
        raise VerificationFailed(entry.filename, "the list says of it what is said of no file of a bundle")
    if entry.extra != _extra_of(entry):
        raise VerificationFailed(entry.filename, "the list says more of it than belongs there")
    file.seek(entry.header_offset)
    header = file.read(_LOCAL + len(entry.filename.encode()))
    expected = zipfile.ZipInfo(entry.filename, MOMENT)
    expected.compress_type, expected.external_attr = entry.compress_type, entry.external_attr
    expected.CRC, expected.compress_size, expected.file_size = entry.CRC, entry.compress_size, entry.file_size
    if header != expected.FileHeader(zip64=False):
        raise VerificationFailed(entry.filename, "what stands before it is not what the list says")


class Files:
    """The unpacked files of a bundle. They are deleted when this is closed."""

    def __init__(self) -> None:
        self._files: dict[str, IO[bytes]] = {}
        self._digests: dict[str, bytes] = {}
        self._sizes: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for file in self._files.values():
            file.close()

    def __len__(self) -> int:
        return len(self._files)

    def take(self, name: str, pieces: Iterable[bytes]) -> None:
        """Add a file."""
        file = self._files[name] = tempfile.TemporaryFile()  # noqa: SIM115 — closed with all of them
        digest, size = hashlib.sha256(), 0
        for piece in pieces:
            file.write(piece)
            digest.update(piece)
            size += len(piece)
        self._digests[name], self._sizes[name] = digest.digest(), size

    def told(self, name: str) -> dict[str, Any]:
        """Return a file's entry in the manifest."""
        return {"size": self._sizes[name], "sha256": self._digests[name].hex()}

    def digest(self, name: str) -> bytes:
        """Return the SHA-256 of a file."""
        return self._digests[name]

    def content(self, name: str) -> bytes:
        """Return the content of a small file. Raise ``VerificationFailed`` if it is large."""
        if self._sizes[name] > _MOST_AT_ONCE:
            raise VerificationFailed(name, "it is larger than any of its kind")
        self._files[name].seek(0)
        return self._files[name].read()

    def lines(self, name: str) -> Iterator[tuple[int, bytes]]:
        """Yield the lines of a file with their places. Raise ``VerificationFailed`` if one is too long, or the last one not terminated."""
        file, place = self._files[name], 0
        while True:
            file.seek(place)
            line = file.readline(_LONGEST_LINE + 1)
            if not line:
                return
            if len(line) > _LONGEST_LINE:
                raise VerificationFailed(name, "it has a line that is longer than any of its kind")
            if not line.endswith(b"\n"):
                raise VerificationFailed(name, "its last line has no end")
            yield place, line[:-1]
            place += len(line)

    def line_at(self, name: str, place: int) -> bytes:
        """Return the line at a place."""
        file = self._files[name]
        file.seek(place)
        return file.readline()[:-1]


@contextmanager
def open_bundle(source: str | IO[bytes]) -> Iterator[Files]:
    """Open a bundle whose files are those of its manifest. Raise ``VerificationFailed`` if they differ."""
    with Files() as files:
        _read(source, files)
        _check_manifest(files)
        yield files


def _read(source: str | IO[bytes], files: Files) -> None:
    try:
        with zipfile.ZipFile(source) as bundle:
            _unpack(bundle, files)
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise VerificationFailed("the bundle", f"it cannot be read: {error}") from error
    except Exception as error:  # the decompressor's own errors have no common kind
        if isinstance(error, VerificationFailed):
            raise
        raise VerificationFailed("the bundle", f"it cannot be unpacked: {error}") from error


def read_json(name: str, content: bytes) -> Any:
    """Parse JSON without duplicate keys. Raise ``VerificationFailed`` for anything else."""
    try:
        return json.loads(content, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise VerificationFailed(name, f"it is no JSON: {error}") from error


_SURROGATE = re.compile("[\ud800-\udfff]")


def canonical(value: Any) -> bytes:
    """Return canonical JSON, the one form in which values are committed to and everything in a bundle is written."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return _SURROGATE.sub(escaped, text).encode()


def escaped(match: re.Match[str]) -> str:
    """Return a character that cannot be encoded as its escape."""
    return f"\\u{ord(match.group()):04x}"


def check_plain(files: Files, name: str, told: Any) -> None:
    """Raise ``VerificationFailed`` unless a small file has just this content, in the one form in which it is written."""
    if files.content(name) != canonical(told):
        raise VerificationFailed(name, "it says more than belongs there, or in another form")


def _unpack(bundle: zipfile.ZipFile, files: Files) -> None:
    names = [entry.filename for entry in bundle.infolist()]
    expected = {*NAMES, MANIFEST}
    if sorted(names) != sorted(expected):
        odd = sorted(set(names) ^ expected) or sorted(name for name in expected if names.count(name) > 1)
        raise VerificationFailed("the bundle", f"it lacks a file, or has one that does not belong here: {', '.join(odd)}")
    if sum(entry.file_size for entry in bundle.infolist()) > _MOST_BYTES:
        raise VerificationFailed("the bundle", "it is larger than any bundle")
    check_archive(bundle)
    for entry in bundle.infolist():
        files.take(entry.filename, unpacked(bundle, entry))


def _check_manifest(files: Files) -> None:
    manifest = read_json(MANIFEST, files.content(MANIFEST))
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT or not isinstance(manifest.get("files"), dict):
        raise VerificationFailed(MANIFEST, "it is not the list of files of a bundle")
    if manifest["files"].keys() != NAMES:
        raise VerificationFailed(MANIFEST, "it lists other files than there are")
    for name, told in sorted(manifest["files"].items()):
        if told != files.told(name):
            raise VerificationFailed(name, "it is not the file that the manifest lists")
    check_plain(files, MANIFEST, {"format": FORMAT, "files": manifest["files"]})
    if files.content("README.txt") != README.encode():
        raise VerificationFailed("README.txt", "it is not the text that lies in every bundle")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("a key stands there twice")
    return read
