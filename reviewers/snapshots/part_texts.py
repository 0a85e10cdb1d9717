"""What stands in each part of a frozen record, as text: read to find where else the same words stand, never shown or kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attribution import context_values
from reviewers.snapshots.cutting import REST, RecordPart, parts_of_record, rest_of


def texts_of_record(turn: Mapping[str, Any]) -> Iterator[tuple[RecordPart, list[str]]]:
    """Each part with all texts and figures in it."""
    values = context_values(turn["context"])
    for part in parts_of_record(turn):
        yield part, list(_texts(values[part.field] if part.field else _value(turn, part.name)))


def _value(turn: Mapping[str, Any], name: str) -> Any:
    if name == "response":
        return [turn.get("response"), turn.get("native")]
    if name == REST:
        return rest_of(turn)
    kind, _, number = name.partition(".")
    return turn[kind][int(number)] if number else turn[kind]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from _texts(child)
