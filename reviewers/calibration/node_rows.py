"""The nodes of a profile's table as rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reviewers.calibration import words

FEW = 5
"""A node with fewer labels leans on its relatives."""


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node of the table: its place in the tree, its counts, its confidence with the interval."""

    number: int
    depth: int
    name: str
    right: int
    labels: int
    prior: float
    worth: float
    confidence: float
    low: float
    high: float


def nodes_of(record: Mapping[str, Any]) -> list[NodeRow]:
    """The nodes of a record, numbered in the order of their paths."""
    return [
        NodeRow(
            number=number,
            depth=len(node["path"]),
            name=words.place_in_words(node["path"]),
            **{name: node[name] for name in ("right", "labels", "prior", "worth", "confidence", "low", "high")},
        )
        for number, node in enumerate(record["calibrator"]["nodes"])
    ]
