"""Bundles with something changed in them, and the list of their files made to agree again."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

from attribution import canonical_bytes
from reviewers.reports.exports.bundle.verifier.files import FORMAT, MANIFEST, MOMENT, VerificationFailed
from reviewers.reports.exports.bundle.verifier.main import verify


def unpack(bundle: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(files: Mapping[str, bytes], *, relist: bool = True) -> io.BytesIO:
    """A bundle of these files; ``relist`` makes the manifest that of them, as somebody would who wants not to be found out."""
    files = dict(files)
    if relist:
        listed = {
            name: {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in files.items()
            if name != MANIFEST
        }
        files[MANIFEST] = canonical_bytes({"format": FORMAT, "files": listed})
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, MOMENT), content)
    target.seek(0)
    return target


def lines_of(files: Mapping[str, bytes], name: str) -> list[Any]:
    return [json.loads(line) for line in files[name].splitlines()]


def with_lines(files: Mapping[str, bytes], name: str, lines: list[Any]) -> dict[str, bytes]:
    return {**files, name: b"".join(canonical_bytes(line) + b"\n" for line in lines)}


def changed(files: Mapping[str, bytes], name: str, change: Callable[[list[Any]], object]) -> io.BytesIO:
    """A bundle with the lines of a file changed."""
    lines = lines_of(files, name)
    change(lines)
    return pack(with_lines(files, name, lines))


def doubt_of(bundle: io.BytesIO, *trusted: str) -> str:
    """Why a bundle is refused; empty where it is not."""
    try:
        verify(bundle, trusted)
    except VerificationFailed as doubt:
        return str(doubt)
    return ""


def leaves_of(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to all values in some JSON."""
    if isinstance(value, dict):
        return [leaf for key, each in value.items() for leaf in leaves_of(each, (*path, key))]
    if isinstance(value, list):
        return [leaf for place, each in enumerate(value) for leaf in leaves_of(each, (*path, place))]
    return [path]


def change_at(value: Any, path: tuple[Any, ...]) -> None:
    """Put another value there."""
    *way, last = path
    for step in way:
        value = value[step]
    old = value[last]
    value[last] = not old if isinstance(old, bool) else old + 1 if isinstance(old, (int, float)) else f"{old or ''}x"
