"""The shadow report of an attribution made again: what differs from the one that is shown, by kind, with a sample of each."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

SAMPLED = 5
"""Changes of each kind that the report shows."""

Row = Mapping[str, Any]


class ChangeKind(Enum):
    """The kinds of changes, in the words of the report. A row counts once, under the first that fits."""

    FOUND = "fields that are found now"
    LOST = "fields that are no longer found"
    CONTRADICTED = "fields that are contradicted now"
    NOT_CONTRADICTED = "fields that are no longer contradicted"
    RULE = "fields found by another rule"
    SCORE = "fields with another score"
    CONFIDENCE = "fields with another confidence"
    EVIDENCE = "fields with other evidence, found as before"
    FIELDS = "answers whose context is read as other fields"
    MARKERS = "answers whose markers are read otherwise"
    FINDINGS = "answers with other findings"
    TEXT = "answers with another clean text"
    DOCUMENTS = "answers with another result about documents"
    UNREADABLE = "answers that the engine cannot read any more"


@dataclass(frozen=True, slots=True)
class AttributionChange:
    """A change of an answer, or of the field at ``place`` in it, with how it was and is. No value of a record is in it."""

    kind: ChangeKind
    place: tuple[str, str] = ("", "")
    before: str = ""
    after: str = ""


def changes_of(before: Row, after: Row) -> Iterator[AttributionChange]:
    """Yield the changes between two stored attributions to fields of the same answer."""
    rows, now = _rows(before), _rows(after)
    for place in rows.keys() & now.keys():
        yield from _change_of_row(place, rows[place], now[place])
    if rows.keys() != now.keys():
        yield AttributionChange(ChangeKind.FIELDS, before=f"{len(rows):,} fields", after=f"{len(now):,} fields")
    if before["markers"] != after["markers"]:
        yield AttributionChange(ChangeKind.MARKERS, before=_statuses(before), after=_statuses(after))
    if before["guardrails"] != after["guardrails"]:
        yield AttributionChange(ChangeKind.FINDINGS, before=_codes(before), after=_codes(after))
    if before["clean_text"] != after["clean_text"]:
        yield AttributionChange(ChangeKind.TEXT)


def _rows(document: Row) -> dict[tuple[str, str], Row]:
    return {(row["section"], row["path"]): row for row in document["fields"]}


def _change_of_row(place: tuple[str, str], before: Row, after: Row) -> Iterator[AttributionChange]:
    if before == after:
        return
    yield AttributionChange(_kind_of(before, after), place, _told(before), _told(after))


def _kind_of(before: Row, after: Row) -> ChangeKind:
    steps = [
        (ChangeKind.FOUND, ChangeKind.LOST, "method" in before, "method" in after),
        (ChangeKind.CONTRADICTED, ChangeKind.NOT_CONTRADICTED, "contradiction" in before, "contradiction" in after),
    ]
    for gained, lost, was, now in steps:
        if was != now:
            return gained if now else lost
    for kind, names in ((ChangeKind.RULE, ("method", "rule", "cited")), (ChangeKind.SCORE, ("score",)), (ChangeKind.CONFIDENCE, _SHARES)):
        if any(before.get(name) != after.get(name) for name in names):
            return kind
    return ChangeKind.EVIDENCE


_SHARES = ("confidence", "estimate")


def _told(row: Row) -> str:
    """Return a row in words: its rule, its score, its confidence if that is another, and if it is contradicted."""
    words = [f"{row['method']}.{row['rule']} {row['score']:g}"] if "method" in row else ["not found"]
    if "method" in row and row["confidence"] != row["score"]:
        words.append(f"confidence {row['confidence']:.3f}")
    return ", ".join([*words, *(["contradicted"] if "contradiction" in row else [])])


def _statuses(document: Row) -> str:
    return _counted(marker["status"] for marker in document["markers"])


def _codes(document: Row) -> str:
    return _counted(finding["code"] for finding in document["guardrails"])


def _counted(names: Iterator[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(Counter(names).items())) or "none"


@dataclass
class ShadowOfEngine:
    """Counts of compared and changed answers, and of changes by kind, with a sample of each kind.

    The sample is the same however the answers are divided and ordered: those whose digests are the least.
    """

    compared: int = 0
    changed: int = 0
    counts: Counter[ChangeKind] = field(default_factory=Counter)
    samples: dict[ChangeKind, list[tuple[str, str, AttributionChange]]] = field(default_factory=dict)

    def add(self, answer: str, changes: list[AttributionChange]) -> None:
        """Add an answer with its changes."""
        self.compared += 1
        self.changed += bool(changes)
        for each in changes:
            self.counts[each.kind] += 1
            kept = self.samples.setdefault(each.kind, [])
            kept.append((hashlib.sha256(f"{answer} {each.place}".encode("utf-8", "surrogatepass")).hexdigest(), answer, each))
            kept.sort(key=lambda sampled: sampled[0])
            del kept[SAMPLED:]
