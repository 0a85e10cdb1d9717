"""Files of exported objects: JSON, JSONL, CSV and Parquet, compressed with gzip or not, each object with its place.

An object that cannot be read is an entry with the reason, and the next one is read.
"""

from __future__ import annotations

import csv
import gzip
import importlib
import io
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from math import isfinite
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from django.conf import settings

from attribution import InputError, read_json
from reviewers.snapshots.otlp.spans import parsed

LARGEST_OBJECT = 32 * 1024 * 1024
LARGEST_DOCUMENT = 512 * 1024 * 1024
"""Bytes of a JSON file that is one value: it is held in memory. Lines of JSON may be more."""

_NO_PYARROW = "Parquet is read with pyarrow, which is not installed here; install it, or export JSONL or CSV"
_ENVELOPES = ("data", "runs", "traces", "spans")
"""Keys under which an answer of a tool's API has its list of objects."""
_OF_AN_OBJECT = ("response", "context", "input", "inputs", "output", "outputs", "messages", "observations")
"""Keys of which an object that is a list of others has none."""
_SIGNS = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\Z)|[\[\]{},]', re.DOTALL)
_BATCH = 500
_LOOKED_AT = 64 * 1024

_GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class FileLine:
    """A line of a file, and the position in the file on disk after reading it."""

    number: int
    content: bytes
    position: int


@contextmanager
def opened(path: Path) -> Iterator[tuple[BinaryIO, io.BufferedIOBase]]:
    """Open a file for reading, and decompress it if it is gzip, whatever its name."""
    with path.open("rb") as raw:
        is_compressed = raw.read(2) == _GZIP_MAGIC
        raw.seek(0)
        yield raw, gzip.GzipFile(fileobj=raw) if is_compressed else raw


def read_lines(path: Path, longest: int | None = None) -> Iterator[FileLine]:
    """Yield the non-empty lines of a file. One longer than ``longest``, or than a record may be, is cut: it is refused, and never held."""
    limit = (longest or settings.LARGEST_RECORD) + 1
    with opened(path) as (raw, reader):
        number = 0
        while line := reader.readline(limit):
            number += 1
            is_cut = len(line) == limit and not line.endswith(b"\n")
            if is_cut:
                _pass_rest_of_line(reader, limit)
            if is_cut or line.strip():
                yield FileLine(number, line if is_cut else line.strip(), raw.tell())


def _pass_rest_of_line(reader: io.BufferedIOBase, limit: int) -> None:
    while (rest := reader.readline(limit)) and not rest.endswith(b"\n"):
        pass


class UnreadableFileError(Exception):
    """A file of which nothing, or nothing more, can be read."""


@dataclass(frozen=True, slots=True)
class ExportedObject:
    """An exported object with its place in the file; or the reason why it could not be read.

    ``position`` is the number of bytes read from the disk so far.
    """

    place: str
    value: Mapping[str, Any]
    position: int = 0
    error: str = ""


def read_entries(path: Path) -> Iterator[ExportedObject]:
    """Yield the objects of a file; raise ``UnreadableFileError`` where nothing more can be read."""
    read = {"csv": _read_csv, "parquet": _read_parquet, "lines": _read_json_lines, "json": _read_json_document}[_kind_of(path)]
    for entry in read(path):
        yield from _unwrapped(entry)


def is_lines(path: Path) -> bool:
    """Return True if a file holds a JSON value a line; also if it cannot be decompressed."""
    try:
        return _kind_of(path) == "lines"
    except (EOFError, OSError, zlib.error):
        return True


def _kind_of(path: Path) -> str:
    start = _first_line(path)
    ending = next((suffix for suffix in reversed(path.suffixes) if suffix.lower() != ".gz"), "").lower()
    if start.startswith(b"PAR1"):
        return "parquet"
    if named := {".csv": "csv", ".parquet": "parquet", ".jsonl": "lines", ".ndjson": "lines"}.get(ending):
        return named
    is_cut = start == b"{" or (ending == ".json" and start and not start.endswith(b"}"))
    return "json" if start.startswith(b"[") or is_cut else "lines"


def _first_line(path: Path) -> bytes:
    """Return the beginning of the first line that is not empty."""
    with opened(path) as (_, reader):
        while line := reader.readline(_LOOKED_AT):
            if start := line.lstrip(b"\xef\xbb\xbf \t\r\n").rstrip():
                return start
    return b""


def _unwrapped(entry: ExportedObject) -> Iterator[ExportedObject]:
    """Yield the objects in an envelope, such as the answer of a tool's API, or the entry itself."""
    value = entry.value
    key = next((key for key in _ENVELOPES if isinstance(value.get(key), list)), "")
    if not key or any(each in value for each in _OF_AN_OBJECT):
        yield entry
        return
    for number, each in enumerate(value[key]):
        yield _entry(f"{entry.place}, {key}.{number}", each, entry.position)


def _entry(place: str, value: Any, position: int) -> ExportedObject:
    if not isinstance(value, dict):
        return ExportedObject(place, {}, position, "must be a JSON object")
    return ExportedObject(place, value, position)


def _read_as_json(place: str, content: bytes, position: int) -> ExportedObject:
    if len(content) > LARGEST_OBJECT:
        return ExportedObject(place, {}, position, f"larger than {LARGEST_OBJECT // (1024 * 1024)} MB")
    try:
        return _entry(place, read_json(content), position)
    except InputError as error:
        return ExportedObject(place, {}, position, str(error))


def _read_json_lines(path: Path) -> Iterator[ExportedObject]:
    for line in read_lines(path, LARGEST_OBJECT):
        yield _read_as_json(f"line {line.number}", line.content.removeprefix(b"\xef\xbb\xbf"), line.position)


def _read_json_document(path: Path) -> Iterator[ExportedObject]:
    with opened(path) as (raw, reader):
        content = reader.read(LARGEST_DOCUMENT + 1).removeprefix(b"\xef\xbb\xbf")
        position = raw.tell()
    if len(content) > LARGEST_DOCUMENT:
        raise UnreadableFileError(f"it is one JSON value of more than {LARGEST_DOCUMENT // (1024 * 1024)} MB; export JSONL instead")
    if content.lstrip().startswith(b"["):
        yield from _elements(content, position)
        return
    try:
        yield _entry("line 1", read_json(content), position)
    except InputError as error:
        raise UnreadableFileError(str(error)) from error


def _elements(content: bytes, position: int) -> Iterator[ExportedObject]:
    """Yield the elements of a list one by one, so that one that is broken leaves the others readable."""
    depth, start, line = 0, content.index(b"[") + 1, 1
    counted = 0
    for match in _SIGNS.finditer(content):
        sign = match.group()
        depth += (sign in (b"[", b"{")) - (sign in (b"]", b"}"))
        if depth == 0 or (depth == 1 and sign == b","):
            element = content[start : match.start()]
            begins = start + len(element) - len(element.lstrip())
            line += content.count(b"\n", counted, begins)
            counted = begins
            if element.strip() or sign == b",":
                yield _read_as_json(f"line {line}", element.strip(), position * match.end() // len(content))
            start = match.end()
        if depth == 0:
            break
    if depth:
        raise UnreadableFileError("the list in it has no end")
    if content[start:].strip():
        raise UnreadableFileError("something follows the list in it")


def _read_csv(path: Path) -> Iterator[ExportedObject]:
    csv.field_size_limit(LARGEST_OBJECT)
    with (
        opened(path) as (raw, reader),
        io.TextIOWrapper(cast("BinaryIO", reader), "utf-8-sig", errors="surrogateescape", newline="") as text,
    ):
        yield from _rows(raw, text)


class _Lines:
    """The lines of a table; raises ``UnreadableFileError`` where a row has more characters than an object may have bytes."""

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self._taken = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._text.readline(LARGEST_OBJECT + 1 - self._taken)
        self._taken += len(line)
        if self._taken > LARGEST_OBJECT:
            raise UnreadableFileError(f"a row is larger than {LARGEST_OBJECT // (1024 * 1024)} MB")
        if not line:
            raise StopIteration
        return line

    def begin_row(self) -> None:
        """Count the characters of another row."""
        self._taken = 0


def _rows(raw: BinaryIO, text: TextIO) -> Iterator[ExportedObject]:
    lines = _Lines(text)
    table = csv.reader(lines, strict=True)
    try:
        names = next(table, [])
        while True:
            place = f"line {table.line_num + 1}"
            lines.begin_row()
            row = next(table, None)
            if row is None:
                return
            if row:
                yield _row(place, names, row, raw.tell())
    except csv.Error as error:
        raise UnreadableFileError(f"line {table.line_num}: not CSV: {error}") from error


def _row(place: str, names: list[str], row: list[str], position: int) -> ExportedObject:
    if len(row) > len(names):
        return ExportedObject(place, {}, position, f"has {len(row):,} cells, and the first line {len(names):,}")
    if any("\udc80" <= character <= "\udcff" for cell in row for character in cell):
        return ExportedObject(place, {}, position, "not UTF-8")
    return ExportedObject(place, {name: parsed(cell) if cell else None for name, cell in zip(names, row, strict=False)}, position)


def _read_parquet(path: Path) -> Iterator[ExportedObject]:
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise UnreadableFileError(_NO_PYARROW) from error
    size, number = path.stat().st_size, 0
    try:
        table = parquet.ParquetFile(path)
        for batch in table.iter_batches(batch_size=_BATCH):
            for row in batch.to_pylist():
                number += 1
                yield ExportedObject(f"row {number}", _as_json(row), size * number // max(table.metadata.num_rows, 1))
    except (ValueError, OSError) as error:  # what pyarrow raises for a damaged file
        raise UnreadableFileError(f"not Parquet: {error}") from error


def _as_json(value: Any) -> Any:
    """Return a cell of Parquet as JSON: times as text, numbers that are none as null, texts that hold JSON as what they hold."""
    if isinstance(value, dict):
        return {str(name): _as_json(each) for name, each in value.items() if each is not None}
    if isinstance(value, list | tuple):
        return [_as_json(each) for each in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return parsed(value) if value is None or isinstance(value, str | bool | int) else str(value)
