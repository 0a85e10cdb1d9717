"""Tell the kind of value of a labelled field, and the values that its name holds elsewhere in the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from benchmarks.accuracy.folder import Turn
from benchmarks.accuracy.verdicts import value_at

_DATE = re.compile(r"\d{4}-\d\d-\d\d.*")
_TIME = re.compile(r"\d{1,2}:\d\d(:\d\d)?")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_PHONE = re.compile(r"\+?[\d\s().-]{7,24}")
_MOST_OF_AN_ENUM = 12
"""A name with more different values than these holds names rather than words of a closed set."""


class Kind(StrEnum):
    """The kind of value that is altered."""

    NUMBER = "number"
    MONEY = "money"
    DATE = "date"
    TIME = "time"
    BOOLEAN = "boolean"
    ENUM = "enum"
    NAME = "name"
    ADDRESS = "address"
    CODE = "phone or code"


Pools = Mapping[tuple[str, str], tuple[str, ...]]
"""For each source and name of a field, the different values it has in the file, in order."""


def pools_of(turns: Iterable[Turn]) -> Pools:
    """The values of labelled fields by source and name."""
    pools: dict[tuple[str, str], set[str]] = {}
    for turn in turns:
        for label in turn.get("gold") or ():
            value = value_at(turn["context"], label["section"], label["path"])
            if isinstance(value, (str, int, float)):
                pools.setdefault((source_of(turn), leaf_of(label["path"])), set()).add(str(value))
    return {place: tuple(sorted(values)) for place, values in pools.items()}


def source_of(turn: Turn) -> str:
    """Return the source of a turn."""
    return str(turn.get("source") or "unnamed")


def leaf_of(path: str) -> str:
    """The last key of a path."""
    return path.rpartition(".")[2]


def kind_of(value: Any, pool: tuple[str, ...]) -> Kind | None:
    """By the value's shape, and for words by how many others there are; money is told from numbers by how the answer writes it."""
    if isinstance(value, bool):
        return Kind.BOOLEAN
    if not isinstance(value, (str, int, float)):
        return None
    for pattern, kind in ((_NUMBER, Kind.NUMBER), (_DATE, Kind.DATE), (_TIME, Kind.TIME), (_PHONE, Kind.CODE)):
        if pattern.fullmatch(str(value)):
            return kind
    if any(each.isdigit() for each in str(value)):
        return Kind.ADDRESS
    return Kind.ENUM if len(pool) <= _MOST_OF_AN_ENUM else Kind.NAME
