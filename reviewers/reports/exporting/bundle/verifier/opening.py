"""Opens a bundle and compares its files with its list of them."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from typing import IO, Any

from reviewers.reports.exporting.bundle.verifier.doubt import Doubt

MANIFEST = "manifest.json"
FORMAT = "footnote-bundle-1"
NAMES = frozenset({"report.jsonl", "events.jsonl", "documents.jsonl", "checkpoints.json", "keys.json", "verify.py", "README.txt"})
_MOST_BYTES = 4 * 1024**3

Files = Mapping[str, bytes]


def open_bundle(source: str | IO[bytes]) -> Files:
    """The files of a bundle by name, each as the manifest lists it. Raises ``Doubt``."""
    try:
        with zipfile.ZipFile(source) as bundle:
            files = _read(bundle)
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise Doubt("the bundle", f"it cannot be read: {error}") from error
    except Exception as error:  # the decompressor's own errors have no common kind
        if isinstance(error, Doubt):
            raise
        raise Doubt("the bundle", f"it cannot be unpacked: {error}") from error
    _check_manifest(files)
    return files


def read_json(name: str, content: bytes) -> Any:
    """JSON without the same key twice. Raises ``Doubt``."""
    try:
        return json.loads(content, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise Doubt(name, f"it is no JSON: {error}") from error


def read_lines(files: Files, name: str) -> list[Any]:
    """Lines of JSON, each ended."""
    content = files[name]
    if content and not content.endswith(b"\n"):
        raise Doubt(name, "its last line has no end")
    return [read_json(f"{name}, line {number}", line) for number, line in enumerate(content.split(b"\n")[:-1], start=1)]


def _read(bundle: zipfile.ZipFile) -> dict[str, bytes]:
    names = [entry.filename for entry in bundle.infolist()]
    expected = {*NAMES, MANIFEST}
    if sorted(names) != sorted(expected):
        odd = sorted(set(names) ^ expected) or sorted(name for name in expected if names.count(name) > 1)
        raise Doubt("the bundle", f"it lacks a file, or has one that does not belong here: {', '.join(odd)}")
    if sum(entry.file_size for entry in bundle.infolist()) > _MOST_BYTES:
        raise Doubt("the bundle", "it is larger than any bundle")
    return {name: bundle.read(name) for name in names}


def _check_manifest(files: Files) -> None:
    manifest = read_json(MANIFEST, files[MANIFEST])
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT or not isinstance(manifest.get("files"), dict):
        raise Doubt(MANIFEST, "it is not the list of files of a bundle")
    if manifest["files"].keys() != NAMES:
        raise Doubt(MANIFEST, "it lists other files than there are")
    for name, told in sorted(manifest["files"].items()):
        if told != {"size": len(files[name]), "sha256": hashlib.sha256(files[name]).hexdigest()}:
            raise Doubt(name, "it is not the file that the manifest lists")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("a key stands there twice")
    return read
