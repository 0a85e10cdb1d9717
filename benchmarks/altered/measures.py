"""Run the engine on the altered turns and on those that nobody has altered, and keep the figures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.accuracy.folder import LabelledFile, Turn
from benchmarks.accuracy.front_door import attribute_turns
from benchmarks.accuracy.tables import Table, rounded
from benchmarks.accuracy.verdicts import value_at
from benchmarks.altered.copies import Altered, altered_copies
from benchmarks.altered.kinds import Kind, leaf_of, pools_of, source_of

ALL = "all"
_PER_TURNS = 200

_SURE = 0.8
"""The least score with which a value is shown as found without a doubt."""

Rows = tuple[Mapping[str, Any], ...]
"""Rows as the command line writes them."""


@dataclass(frozen=True, slots=True)
class Caught:
    """An altered turn, the rows flagged in it, and those that it shows as found."""

    altered: Altered
    flagged: Rows
    found: Rows = ()

    @property
    def is_detected(self) -> bool:
        """True if anything is flagged."""
        return bool(self.flagged)

    @property
    def is_right_field(self) -> bool:
        """True if a field of the altered name is flagged."""
        return any(leaf_of(row["path"]) == self.altered.leaf for row in self.flagged)

    @property
    def is_shown_as_found(self) -> bool:
        """True if a field with the value that the answer no longer states is shown as found."""
        return any(
            leaf_of(row["path"]) == self.altered.leaf
            and value_at(self.altered.turn["context"], row["section"], row["path"]) == self.altered.recorded
            for row in self.found
        )


@dataclass(frozen=True, slots=True)
class Alarm:
    """A turn that nobody has altered, and the rows flagged in it."""

    turn: Turn
    flagged: Rows

    @property
    def service(self) -> str:
        """The service that the conversation is with."""
        return source_of(self.turn).rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Measured:
    """A file's altered copies and its turns as they are."""

    caught: Sequence[Caught]
    alarms: Sequence[Alarm]

    @property
    def development(self) -> frozenset[str]:
        """Every other of the services, as ``make accuracy`` halves them."""
        return frozenset(sorted({each.service for each in self.alarms})[::2])

    def half(self, *, is_held_out: bool) -> Measured:
        """The services that rules are developed on, or the others."""
        return Measured(
            [each for each in self.caught if (each.altered.service not in self.development) is is_held_out],
            [each for each in self.alarms if (each.service not in self.development) is is_held_out],
        )

    @property
    def table(self) -> Table:
        """By kind of value the count, the shares detected, with the right field flagged and shown as found; false alarms in 200 turns."""
        kinds = [kind for kind in Kind if any(each.altered.kind is kind for each in self.caught)]
        rows: dict[str, Mapping[str, float]] = {
            str(kind): _row([each for each in self.caught if each.altered.kind is kind]) for kind in kinds
        }
        alarms = sum(bool(each.flagged) for each in self.alarms)
        per_turns = {f"in {_PER_TURNS}": _PER_TURNS * alarms / max(1, len(self.alarms))}
        return rows | {ALL: _row(self.caught), "false alarms": {"n": alarms} | per_turns}


def measure(file: LabelledFile) -> Measured:
    """Alter each answer, and attribute both by the front door."""
    copies = list(altered_copies(file.turns, pools_of(file.turns)))
    read, unaltered = dict(_read([each.turn for each in copies])), dict(_read(file.turns))
    return Measured(
        [Caught(each, *read.get(each.turn["id"], ((), ()))) for each in copies],
        [Alarm(turn, unaltered.get(turn["id"], ((), ()))[0]) for turn in file.turns],
    )


def _read(turns: Sequence[Turn]) -> Iterator[tuple[str, tuple[Rows, Rows]]]:
    """Yield by turn the rows that are flagged, and those that are shown as found without a doubt."""
    for turn_id, prediction in attribute_turns(turns).items():
        rows = prediction.get("fields", ())
        flagged = tuple(row for row in rows if "contradiction" in row)
        yield turn_id, (flagged, tuple(row for row in rows if "contradiction" not in row and row.get("score", 0) >= _SURE))


def _row(caught: Sequence[Caught]) -> Mapping[str, float]:
    count = max(1, len(caught))
    detected, right = sum(each.is_detected for each in caught), sum(each.is_right_field for each in caught)
    shown = sum(each.is_shown_as_found for each in caught)
    return {"n": len(caught), "detected": detected / count, "right field": right / count, "as found": shown / count}


COMMITTED = Path(__file__).with_name("figures.json")


def read_figures(path: Path = COMMITTED) -> dict[str, Table]:
    """By the file's name; nothing where none are committed."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write_figures(tables: Mapping[str, Table], path: Path = COMMITTED) -> None:
    """In order, so that a change shows as such."""
    document = {name: rounded(table) for name, table in sorted(tables.items())}
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
