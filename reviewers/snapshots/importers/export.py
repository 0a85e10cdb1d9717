"""An export of a tool: its files, read until each object is with its turn.

The objects of a turn may be anywhere in the files, so they are held as bytes, in about as much memory as the files have.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from attribution import InputError, canonical_bytes, read_json
from reviewers.snapshots.importers.files import ExportedObject, UnreadableFileError, read_entries
from reviewers.snapshots.importers.tool import Belonging, JSONObject, Tool, text
from reviewers.snapshots.importers.tools import TOOLS
from reviewers.snapshots.importers.turns import Paths, ReadTurn, read_record_entry, read_turn

RECORDS = "footnote"
_LOOKED_AT = 50
_UNKNOWN = "not known as an export of {}"
_NO_ID = "has no identifier; name its path as id in a mapping file"
_DAMAGED = (EOFError, OSError, zlib.error, UnreadableFileError)


@dataclass(slots=True)
class _Gathered:
    place: str
    contents: list[bytes] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PlacedTurn:
    """A turn, and the file and line where it begins."""

    place: str
    read: ReadTurn


def find_tool(path: Path) -> str:
    """Return the name of the tool that a file is an export of; an empty text if it is not known."""
    try:
        for entry in islice(read_entries(path), _LOOKED_AT):
            if name := _tool_of(entry.value):
                return name
    except _DAMAGED:
        pass
    return ""


def _tool_of(value: JSONObject) -> str:
    is_record = isinstance(value.get("response"), str) and isinstance(value.get("context"), dict)
    if is_record and not TOOLS["label-studio"].is_known(value):
        return RECORDS
    return next((tool.name for tool in TOOLS.values() if value and tool.is_known(value)), "")


@dataclass
class ExportedTurns:
    """The objects of a tool's export by turn. ``refused`` are the places of objects that cannot be read, each with the reason.

    No more than ``most`` turns are read, if it is given.
    """

    tool: Tool | None
    paths: Paths
    most: int | None = None
    refused: list[str] = field(default_factory=list)
    without_turn: int = 0
    _turns: dict[str, _Gathered] = field(default_factory=dict)
    _owners: dict[str, str] = field(default_factory=dict)
    _about: list[tuple[str, bytes]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._turns)

    def read(self, path: Path, advance: Callable[[int], object]) -> None:
        """Read a file; ``advance`` is told the bytes that were read so far."""
        try:
            for entry in read_entries(path):
                self._take(path.name, entry)
                advance(entry.position)
                if self.most is not None and len(self) >= self.most:
                    return
        except _DAMAGED as error:
            self.refused.append(f"{path.name}: {_unreadable(error)}")

    def _take(self, name: str, entry: ExportedObject) -> None:
        place = f"{name}, {entry.place}"
        if entry.error:
            self.refused.append(f"{place}: {entry.error}")
            return
        try:
            self._keep(place, entry.value)
        except InputError as error:
            self.refused.append(f"{place}: {error}")

    def _keep(self, place: str, value: JSONObject) -> None:
        if self.tool is None:
            self._turns[place] = _Gathered(place, [canonical_bytes(value)])
            return
        belonging = self._belonging(self.tool, value)
        if belonging is None:
            self.refused.append(f"{place}: {_UNKNOWN.format(self.tool.name)}")
        elif belonging.turn:
            self._turns.setdefault(belonging.turn, _Gathered(place)).contents.append(canonical_bytes(value))
            self._owners |= dict.fromkeys(belonging.spans, belonging.turn)
        elif belonging.about:
            self._about.append((belonging.about, canonical_bytes(value)))
        else:
            self.refused.append(f"{place}: {_NO_ID}")

    def _belonging(self, tool: Tool, value: JSONObject) -> Belonging | None:
        """Return where an object belongs; None if it is not of the tool. A path for the id makes any other object a turn of its own."""
        found = tool.belonging(value) if tool.is_known(value) else None
        if found and (found.turn or found.about):
            return found
        named = text(self.paths.values([value]).get("id"))
        return Belonging(named) if named else found

    def turns(self) -> Iterator[PlacedTurn]:
        """Yield the turns in the order in which they begin in the files."""
        for about, content in self._about:
            owner = self._turns.get(self._owners.get(about, ""))
            if owner is None:
                self.without_turn += 1
            else:
                owner.contents.append(content)
        self._about.clear()
        for name, gathered in self._turns.items():
            try:
                yield PlacedTurn(gathered.place, self._read_turn(name, gathered.contents))
            except InputError as error:  # a text of a table may hold JSON that no file of JSON may
                yield PlacedTurn(gathered.place, ReadTurn({}, error=str(error)))

    def _read_turn(self, name: str, contents: Sequence[bytes]) -> ReadTurn:
        entries = [read_json(content) for content in contents]
        return read_turn(self.tool, name, entries, self.paths) if self.tool else read_record_entry(entries[0], self.paths)


def _unreadable(error: Exception) -> str:
    return str(error) if isinstance(error, UnreadableFileError) else f"the file is damaged, {error}; what came before was read"


def in_batches(turns: Iterable[PlacedTurn], size: int) -> Iterator[Sequence[PlacedTurn]]:
    """Yield turns in batches."""
    ahead = iter(turns)
    while batch := list(islice(ahead, size)):
        yield batch
