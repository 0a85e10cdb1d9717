"""Whether what is disclosed with an event is what it committed to, and what is withheld."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from reviewers.ledger.commitments import commit_part, commit_parts, commit_row
from reviewers.ledger.merkle.strict import decode
from reviewers.reports.exporting.bundle.verifier.columns import read_columns
from reviewers.reports.exporting.bundle.verifier.doubt import Doubt
from reviewers.reports.exporting.bundle.verifier.sealed import Event, Events

_REMEMBERED = 256

Parts = Mapping[str, Sequence[bytes]]
"""What is disclosed of an event, by name."""


class Disclosed:
    """Everything that is disclosed: parts by event and name, rows by table and key; and how much is withheld.

    What was found to be as it was sealed is not kept but opened again where it is asked for.
    """

    def __init__(self, events: Events) -> None:
        self._events = events
        self._rows: dict[tuple[str, str], tuple[str, int]] = {}
        self._opened = lru_cache(_REMEMBERED)(_open_parts)
        self.withheld_parts = self.withheld_rows = 0

    def check(self, event: Event) -> None:
        """Open what an event discloses. Raises ``Doubt``."""
        try:
            self._check_parts(event)
            self._check_rows(event)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            raise Doubt(event.where, f"what it discloses cannot be read: {error}") from error

    def parts(self, event: Event, name: str) -> Sequence[bytes]:
        """The parts of an event that have a name, as far as they are disclosed."""
        return self._opened(_Key(event)).get(name, ())

    def part(self, event: Event, name: str) -> bytes | None:
        """A part of an event by its name, if it is disclosed."""
        return next(iter(self.parts(event, name)), None)

    def row(self, table: str, key: str) -> Mapping[str, Any] | None:
        """A row of a table, if it is disclosed."""
        event_id, place = self._rows.get((table, key), ("", 0))
        event = self._events.get(event_id)
        return read_columns(decode(event.rows[place]["content"])) if event else None

    def _check_parts(self, event: Event) -> None:
        told = event.body.get("parts", {"count": 0, "sha256": ""})
        if not event.parts:
            self.withheld_parts += told["count"]
            return
        commitments = [_commitment(part) for part in event.parts]
        self.withheld_parts += sum("commitment" in part for part in event.parts)
        if len(commitments) != told["count"] or commit_parts(commitments) != told["sha256"]:
            raise Doubt(event.where, f"what is disclosed is not what was sealed: one of {_named(_open_parts(_Key(event)))}")

    def _check_rows(self, event: Event) -> None:
        told: Sequence[Mapping[str, str]] = event.body.get("rows", [])
        for place, row in enumerate(event.rows):
            if type(row["place"]) is not int or row["place"] < 0:
                raise Doubt(event.where, "a row has no place in it")
            committed = told[row["place"]]
            content = decode(row["content"])
            table, key = committed["table"], committed["id"]
            if commit_row(decode(row["salt"]), table, content) != committed["sha256"]:
                raise Doubt(event.where, f"the row {key} of {table} is not the one that was sealed")
            read_columns(content)
            self._rows[table, key] = event.id, place
        self.withheld_rows += len(told) - len(event.rows)


class _Key:
    """An event, to be remembered by its name."""

    __slots__ = ("event",)

    def __init__(self, event: Event) -> None:
        self.event = event

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and other.event.id == self.event.id

    def __hash__(self) -> int:
        return hash(self.event.id)


def _commitment(part: Mapping[str, str]) -> bytes:
    if "commitment" in part:
        return decode(part["commitment"])
    return commit_part(decode(part["salt"]), part["name"], decode(part["content"]))


def _open_parts(key: _Key) -> Parts:
    opened: dict[str, list[bytes]] = {}
    for part in key.event.parts:
        if "commitment" not in part:
            opened.setdefault(part["name"], []).append(decode(part["content"]))
    return opened


def _named(opened: Mapping[str, Any]) -> str:
    return ", ".join(sorted(opened)[:12]) or "nothing"
