"""Which mention goes to which field: decided together for a sentence, before any value is compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from attribution.mentions.mention import Mention
from attribution.schema.target import Target

LEAST = 0.12
_MOST_SWAPPED = 24


class Bond(NamedTuple):
    """A mention bound to a field, with what binds it."""

    mention: Mention
    target: Target
    weight: float
    is_near: bool


def assign(mentions: Sequence[Mention], targets: Sequence[Target], weigh: Callable[[Mention, Target], Bond | None]) -> list[Bond]:
    """One field for each mention and one mention for each field: the nearest first, then exchanged while that brings all nearer."""
    bonds = [bond for mention in mentions for target in targets if (bond := weigh(mention, target)) and bond.weight > LEAST]
    if not bonds:
        return bonds
    bonds.sort(key=lambda bond: -bond.weight)
    given: set[int] = set()
    filled: set[tuple[int, str]] = set()
    chosen: list[Bond] = []
    for bond in bonds:
        slot = (bond.target.row, _part_of(bond))
        if id(bond.mention) not in given and slot not in filled:
            given.add(id(bond.mention))
            filled.add(slot)
            chosen.append(bond)
    return _exchanged(chosen, {(id(bond.mention), bond.target.row): bond for bond in bonds})


def _part_of(bond: Bond) -> str:
    """Return which part of a field a mention fills: of a date its day or its hour, of several days of the week each one."""
    if bond.target.kind == "weekday" and len(bond.target.values) > 1:
        return str(bond.mention.first)
    return bond.mention.kind if bond.target.kind == "date" else ""


def _exchanged(chosen: list[Bond], table: dict[tuple[int, int], Bond]) -> list[Bond]:
    if not 1 < len(chosen) <= _MOST_SWAPPED:
        return chosen
    for one in range(len(chosen)):
        for other in range(one + 1, len(chosen)):
            first, second = chosen[one], chosen[other]
            a = table.get((id(first.mention), second.target.row))
            b = table.get((id(second.mention), first.target.row))
            if a and b and a.weight + b.weight > first.weight + second.weight + 0.02:
                chosen[one], chosen[other] = a, b
    return chosen
