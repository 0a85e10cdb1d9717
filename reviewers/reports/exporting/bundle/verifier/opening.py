"""Opens a bundle and compares its files with its list of them.

Its files are unpacked to the disk, where lines are read one at a time and found again by their places: there may be gigabytes of them.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import IO, Any, Self

from reviewers.reports.exporting.bundle.verifier.archive import check_archive, unpacked
from reviewers.reports.exporting.bundle.verifier.doubt import Doubt
from reviewers.reports.exporting.bundle.verifier.readme import README

MANIFEST = "manifest.json"
FORMAT = "footnote-bundle-1"
NAMES = frozenset({"report.jsonl", "events.jsonl", "documents.jsonl", "checkpoints.json", "keys.json", "verify.py", "README.txt"})
_MOST_BYTES = 64 * 1024**3
_MOST_AT_ONCE = 16 * 1024**2


class Files:
    """The files of a bundle. They are gone once this is closed."""

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
        """Take a file up."""
        file = self._files[name] = tempfile.TemporaryFile()  # noqa: SIM115 — closed with all of them
        digest, size = hashlib.sha256(), 0
        for piece in pieces:
            file.write(piece)
            digest.update(piece)
            size += len(piece)
        self._digests[name], self._sizes[name] = digest.digest(), size

    def told(self, name: str) -> dict[str, Any]:
        """What a manifest says of a file."""
        return {"size": self._sizes[name], "sha256": self._digests[name].hex()}

    def digest(self, name: str) -> bytes:
        """The SHA-256 of a file."""
        return self._digests[name]

    def content(self, name: str) -> bytes:
        """A file that is small. Raises ``Doubt`` where it is not."""
        if self._sizes[name] > _MOST_AT_ONCE:
            raise Doubt(name, "it is larger than any of its kind")
        self._files[name].seek(0)
        return self._files[name].read()

    def lines(self, name: str) -> Iterator[tuple[int, bytes]]:
        """The lines of a file with their places. Raises ``Doubt`` where the last one has no end."""
        file, place = self._files[name], 0
        while True:
            file.seek(place)
            line = file.readline()
            if not line:
                return
            if not line.endswith(b"\n"):
                raise Doubt(name, "its last line has no end")
            yield place, line[:-1]
            place += len(line)

    def line_at(self, name: str, place: int) -> bytes:
        """The line at a place."""
        file = self._files[name]
        file.seek(place)
        return file.readline()[:-1]


@contextmanager
def open_bundle(source: str | IO[bytes]) -> Iterator[Files]:
    """The files of a bundle, each as the manifest lists it. Raises ``Doubt``."""
    with Files() as files:
        _read(source, files)
        _check_manifest(files)
        yield files


def _read(source: str | IO[bytes], files: Files) -> None:
    try:
        with zipfile.ZipFile(source) as bundle:
            _unpack(bundle, files)
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise Doubt("the bundle", f"it cannot be read: {error}") from error
    except Exception as error:  # the decompressor's own errors have no common kind
        if isinstance(error, Doubt):
            raise
        raise Doubt("the bundle", f"it cannot be unpacked: {error}") from error


def read_json(name: str, content: bytes) -> Any:
    """JSON without the same key twice. Raises ``Doubt``."""
    try:
        return json.loads(content, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise Doubt(name, f"it is no JSON: {error}") from error


def check_plain(files: Files, name: str, told: Any) -> None:
    """Raise ``Doubt`` unless a small file says just this, in the one form in which it is written."""
    if files.content(name) != json.dumps(told, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode():
        raise Doubt(name, "it says more than belongs there, or in another form")


def _unpack(bundle: zipfile.ZipFile, files: Files) -> None:
    names = [entry.filename for entry in bundle.infolist()]
    expected = {*NAMES, MANIFEST}
    if sorted(names) != sorted(expected):
        odd = sorted(set(names) ^ expected) or sorted(name for name in expected if names.count(name) > 1)
        raise Doubt("the bundle", f"it lacks a file, or has one that does not belong here: {', '.join(odd)}")
    if sum(entry.file_size for entry in bundle.infolist()) > _MOST_BYTES:
        raise Doubt("the bundle", "it is larger than any bundle")
    check_archive(bundle)
    for entry in bundle.infolist():
        files.take(entry.filename, unpacked(bundle, entry))


def _check_manifest(files: Files) -> None:
    manifest = read_json(MANIFEST, files.content(MANIFEST))
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT or not isinstance(manifest.get("files"), dict):
        raise Doubt(MANIFEST, "it is not the list of files of a bundle")
    if manifest["files"].keys() != NAMES:
        raise Doubt(MANIFEST, "it lists other files than there are")
    for name, told in sorted(manifest["files"].items()):
        if told != files.told(name):
            raise Doubt(name, "it is not the file that the manifest lists")
    check_plain(files, MANIFEST, {"format": FORMAT, "files": manifest["files"]})
    if files.content("README.txt") != README.encode():
        raise Doubt("README.txt", "it is not the text that lies in every bundle")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("a key stands there twice")
    return read
