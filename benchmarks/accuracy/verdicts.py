"""Each labelled field beside what the engine says of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from attribution import Span
from benchmarks.accuracy.folder import Turn
from benchmarks.accuracy.front_door import Predictions

Row = Mapping[str, Any]
"""A row of the engine's result, as the command line writes it."""

_NO_ROW: Row = {}


@dataclass(frozen=True, eq=False)
class Verdict:
    """A labelled field, whether it is meant, and the engine's row for it."""

    turn: Turn
    section: str
    path: str
    value: Any
    is_meant: bool
    meant_spans: tuple[Span, ...]
    row: Row

    @property
    def is_claimed(self) -> bool:
        """True if the engine says that the answer draws on the field."""
        return self.confidence > 0

    @property
    def is_right(self) -> bool:
        """True if engine and label agree."""
        return self.is_claimed is self.is_meant

    @property
    def confidence(self) -> float:
        """The engine's confidence; zero where it claims nothing."""
        return float(self.row.get("confidence", 0))

    @property
    def spans(self) -> tuple[Span, ...]:
        """The places where the engine sees the field."""
        return tuple((start, end) for start, end in self.row.get("spans", ()))

    @property
    def is_ambiguous(self) -> bool:
        """True if the row's score was capped for common words."""
        return bool(self.row.get("evidence", _NO_ROW).get("ambiguous"))

    @property
    def rule(self) -> str:
        """Method and rule of a claimed field's evidence; the marker's where nothing was found."""
        found = self.row.get("evidence", self.row)
        return f"{found['method']}.{found['rule']}"

    @property
    def leaf(self) -> str:
        """The last key of the path."""
        return self.path.rpartition(".")[2]

    @property
    def service(self) -> str:
        """The service that the conversation is with: the last part of the turn's source."""
        return str(self.turn.get("source") or "unnamed").rpartition("/")[2]

    @cached_property
    def overlap(self) -> float | None:
        """Intersection over union of the places, in characters; nothing to say of a field that is not both meant with spans and claimed."""
        if not (self.is_meant and self.meant_spans and self.is_claimed):
            return None
        ours, theirs = _characters(self.spans), _characters(self.meant_spans)
        return len(ours & theirs) / len(ours | theirs)


def judge(turns: Iterable[Turn], predictions: Predictions) -> list[Verdict]:
    """A verdict for each field that is labelled, in the order of the labels."""
    return [verdict for turn in turns for verdict in _judge_turn(turn, predictions.get(turn["id"], _NO_ROW))]


def _judge_turn(turn: Turn, prediction: Mapping[str, Any]) -> Iterator[Verdict]:
    labels = {(label["section"], label["path"]): label for label in turn.get("gold") or ()}
    rows = _rows_by_label(prediction.get("fields", ()), labels)
    for (section, path), label in labels.items():
        if label["referenced"] is not None:
            spans = tuple((start, end) for start, end in label.get("spans") or ())
            value = value_at(turn["context"], section, path)
            yield Verdict(turn, section, path, value, bool(label["referenced"]), spans, rows.get((section, path), _NO_ROW))


def _rows_by_label(rows: Iterable[Row], labels: Mapping[tuple[str, str], Any]) -> dict[tuple[str, str], Row]:
    """The surest row of each label; as the scorer does, a row of no label goes to the nearest one above it."""
    found: dict[tuple[str, str], Row] = {}
    for row in rows:
        section, path = row["section"], row["path"]
        while path and (section, path) not in labels:
            path = path.rpartition(".")[0]
        if path and row.get("confidence", 0) >= found.get((section, path), _NO_ROW).get("confidence", 0):
            found[section, path] = row
    return found


def value_at(context: Mapping[str, Any], section: str, path: str) -> Any:
    """The value of a field by its path, or nothing."""
    place = context.get(section)
    for key in path.split("."):
        if isinstance(place, Mapping):
            place = place.get(key)
        else:
            place = place[int(key)] if isinstance(place, list) and key.isdigit() and int(key) < len(place) else None
    return place


def _characters(spans: Iterable[Span]) -> set[int]:
    return {place for start, end in spans for place in range(start, end)}
