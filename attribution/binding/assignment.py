"""Which mention goes to which field: decided together for a sentence, before any value is compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from attribution.answer import Answer
from attribution.mentions.mention import Mention, MentionKind
from attribution.schema.target import Target
from attribution.text import words

LEAST = 0.12
_MOST_SWAPPED = 24


class Bond(NamedTuple):
    """A mention bound to a field, with what binds it."""

    mention: Mention
    target: Target
    weight: float
    is_near: bool


def assign(
    mentions: Sequence[Mention], targets: Sequence[Target], weigh: Callable[[Mention, Target], Bond | None], shown: Mapping[str, int]
) -> list[Bond]:
    """One field for each mention and one mention for each field: the nearest first, then exchanged while that brings all nearer.

    Of fields that are equally near, one of the section comes first of which more fields are ``shown`` by the answer.
    """
    bonds = [bond for mention in mentions for target in targets if (bond := weigh(mention, target)) and bond.weight > LEAST]
    if not bonds:
        return bonds
    bonds.sort(key=lambda bond: (-bond.weight, bond.mention.first, *_precedence(bond.target, shown)))
    given: set[int] = set()
    filled: set[tuple[int, str]] = set()
    chosen: list[Bond] = []
    for bond in bonds:
        slot = (bond.target.slot, _part_of(bond))
        if id(bond.mention) not in given and slot not in filled:
            given.add(id(bond.mention))
            filled.add(slot)
            chosen.append(bond)
    return _exchanged(chosen, {(id(bond.mention), bond.target.row): bond for bond in bonds})


def _precedence(target: Target, shown: Mapping[str, int]) -> tuple[int, str]:
    section = target.field.section
    return -shown.get(section, 0), section


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


# Wholes, and the parts that a sentence counts: "of 31 therapists nearby, 6 take your plan".

_WHOLE = words("total found overall searched considered reviewed nearby")
_PART = words("match matches matching matched fit fits fitting eligible suitable qualifying qualified shortlisted filtered")
"""Words of names of counts of all that there is, and of what of it is fit."""
_OF_THEM = (["of", "them"], ["of", "these"], ["of", "those"], ["of", "which"])
_SURE = 0.6
_TWO = 2


class Counted(NamedTuple):
    """The field of a whole and the field of a part of it, in one object."""

    whole: Target
    part: Target

    @classmethod
    def among(cls, targets: Sequence[Target]) -> Counted | None:
        """Return the one whole and the one part among the fields of a context, if it has them."""
        counts = [each for each in targets if each.kind == "number" and not each.entity]
        parts = [each for each in counts if not _PART.isdisjoint(each.name.words)]
        wholes = [each for each in counts if each not in parts and not _WHOLE.isdisjoint(each.name.words)]
        if len(wholes) != 1 or len(parts) != 1 or wholes[0].field.section != parts[0].field.section:
            return None
        return cls(wholes[0], parts[0])

    def bind(self, group: Sequence[Mention], answer: Answer) -> list[Bond]:
        """Bind the two counts of a sentence that says of which one the other is a part."""
        counts = [each for each in group if each.kind is MentionKind.NUMBER and not each.unit]
        if len(counts) != _TWO:
            return []
        first, second = counts
        if _is_whole(first, answer) or answer.words[second.last : second.last + 2] in _OF_THEM:
            whole, part = first, second
        elif _is_whole(second, answer):
            whole, part = second, first
        else:
            return []
        return [Bond(whole, self.whole, _SURE, is_near=True), Bond(part, self.part, _SURE, is_near=True)]


def _is_whole(mention: Mention, answer: Answer) -> bool:
    """Return True if "of" or "of the" leads to a count."""
    before = answer.words[max(0, mention.first - _TWO) : mention.first]
    return before[-1:] == ["of"] or before == ["of", "the"]
