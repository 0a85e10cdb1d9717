"""Whether what is disclosed with an event is what it committed to, and what is withheld."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reviewers.ledger.commitments import commit_part, commit_parts, commit_row
from reviewers.ledger.merkle.strict import decode
from reviewers.reports.exporting.bundle.verifier.columns import read_columns
from reviewers.reports.exporting.bundle.verifier.doubt import Doubt
from reviewers.reports.exporting.bundle.verifier.sealed import Event


@dataclass
class Disclosed:
    """Everything that is disclosed: parts by event and name, rows by table and key; and how much is withheld."""

    parts: dict[str, dict[str, list[bytes]]] = field(default_factory=dict)
    rows: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    shown: int = 0
    withheld_parts: int = 0
    withheld_rows: int = 0

    def part(self, event: Event, name: str) -> bytes | None:
        """A part of an event by its name, if it is disclosed."""
        found = self.parts.get(event.id, {}).get(name)
        return found[0] if found else None

    def row(self, table: str, key: str) -> Mapping[str, Any] | None:
        """A row of a table, if it is disclosed."""
        return self.rows.get((table, key))


def open_all(events: Mapping[str, Event]) -> Disclosed:
    """Open what each event discloses. Raises ``Doubt``."""
    disclosed = Disclosed()
    for event in events.values():
        try:
            _open_parts(event, disclosed)
            _open_rows(event, disclosed)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            raise Doubt(event.where, f"what it discloses cannot be read: {error}") from error
    return disclosed


def _open_parts(event: Event, disclosed: Disclosed) -> None:
    told = event.body.get("parts", {"count": 0, "sha256": ""})
    if not event.parts:
        disclosed.withheld_parts += told["count"]
        return
    commitments: list[bytes] = []
    opened: dict[str, list[bytes]] = {}
    for part in event.parts:
        if "commitment" in part:
            commitments.append(decode(part["commitment"]))
            disclosed.withheld_parts += 1
        else:
            content = decode(part["content"])
            commitments.append(commit_part(decode(part["salt"]), part["name"], content))
            opened.setdefault(part["name"], []).append(content)
    if len(commitments) != told["count"] or commit_parts(commitments) != told["sha256"]:
        raise Doubt(event.where, f"what is disclosed is not what was sealed: one of {_named(opened)}")
    disclosed.parts[event.id] = opened
    disclosed.shown += sum(map(len, opened.values()))


def _open_rows(event: Event, disclosed: Disclosed) -> None:
    told: Sequence[Mapping[str, str]] = event.body.get("rows", [])
    for row in event.rows:
        if type(row["place"]) is not int or row["place"] < 0:
            raise Doubt(event.where, "a row has no place in it")
        committed = told[row["place"]]
        content = decode(row["content"])
        table, key = committed["table"], committed["id"]
        if commit_row(decode(row["salt"]), table, content) != committed["sha256"]:
            raise Doubt(event.where, f"the row {key} of {table} is not the one that was sealed")
        disclosed.rows[table, key] = read_columns(content)
        disclosed.shown += 1
    disclosed.withheld_rows += len(told) - len(event.rows)


def _named(opened: Mapping[str, Any]) -> str:
    return ", ".join(sorted(opened)[:12]) or "nothing"
