"""Two fields of a kind of which an answer gives each the other's figure: "$60 for the emergency room and urgent care $250"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from attribution.assertion import AssertionKind
from attribution.binding.assignment import Bond
from attribution.comparison.figures import Relation, compare, fit, leaves_out
from attribution.comparison.ownership import is_whole
from attribution.comparison.turn import ENOUGH, MOST_COMPARED, Turn
from attribution.mentions.measures import FREE
from attribution.mentions.mention import Mention, MentionKind
from attribution.schema.names import CHANGE
from attribution.schema.target import Target
from attribution.text import words

_KINDS = frozenset({"money", "number", "percent", "duration", "time", "date"})
_MOST_STATED = 16
_LESS, _MORE, _LEAST = 0.75, 0.3, 0.15
"""How much less the field's own figure is named by it, and how much more the two are named by each other's fields, at least."""
_SAID = (AssertionKind.AFFIRMED, AssertionKind.HYPOTHETICAL, AssertionKind.HISTORICAL)
_EARLIER = words("first current old previous before baseline initial start starting prior former")
_LATER = words("last new after now latest final next upcoming follow followup current")


def exchanged_in(turn: Turn) -> Mapping[int, Mention]:
    """Return the figures that are said of fields and recorded of others, by the fields' rows."""
    if turn.exchanged is None:
        turn.exchanged = {}
        for (one, own), (other, others) in combinations(list(_stated(turn)), 2):
            if one.kind == other.kind and own is not others and _are_exchanged(one, own, other, others, turn):
                turn.exchanged |= {one.row: others, other.row: own}
    return turn.exchanged


def _stated(turn: Turn) -> Iterator[tuple[Target, Mention]]:
    """Yield the fields that are one of several of their kind and whose figure the answer has once."""
    figures = [each for each in turn.reading.figures if not each.is_loose and each.unit != FREE]
    targets = [each for each in turn.reading.targets[:MOST_COMPARED] if each.kind in _KINDS and not each.entity]
    left = _MOST_STATED if len(figures) > 1 and turn.answer.affords(len(figures) * len(targets)) else 0
    for target in targets if left and len(targets) > 1 else ():
        own = [each for each in figures if _shows(each, target)]
        if left and len(own) == 1 and turn.assertion(own[0].span).kind in _SAID:
            left -= 1
            yield target, own[0]


def _shows(mention: Mention, target: Target) -> bool:
    is_day = target.kind != "date" or mention.kind is MentionKind.DATE
    return is_day and fit(mention, target) == 1 and compare(mention, target) is Relation.EQUAL


def _are_exchanged(one: Target, own: Mention, other: Target, others: Mention, turn: Turn) -> bool:
    if set(one.values) & set(other.values) or is_whole(own, turn) or is_whole(others, turn):
        return False
    if CHANGE.isdisjoint(one.name.words) != CHANGE.isdisjoint(other.name.words):
        return False
    if _is_given(others, one, own, turn) or _is_given(own, other, others, turn):
        return True
    if _are_turned(one, own, other, others, turn) or _are_turned(other, others, one, own, turn):
        return True
    crossed = [_affinity(others, one, turn), _affinity(own, other, turn)]
    more = sum(crossed) - _affinity(own, one, turn) - _affinity(others, other, turn)
    return min(crossed) >= _LEAST and more > _MORE


def _affinity(mention: Mention, target: Target, turn: Turn) -> float:
    return turn.reading.labels.affinity(mention, target).weight


def _is_given(said: Mention, target: Target, own: Mention, turn: Turn) -> bool:
    """Return True if another figure is surely bound to a field, and the field's own is bound to none and named by less."""
    bond = turn.owner.get(id(said))
    if bond is None or bond.target is not target or not is_sure(bond) or turn.owner.get(id(own)) is not None:
        return False
    return _affinity(own, target, turn) < _LESS * bond.weight


def _are_turned(earlier: Target, own: Mention, later: Target, others: Mention, turn: Turn) -> bool:
    """Return True if something goes from what is recorded to be later to what is recorded to be earlier: "from $1,290 to $1,150"."""
    between = turn.answer.lowered[others.span[1] : own.span[0]].split()
    if between != ["to"] or not turn.answer.lowered[: others.span[0]].endswith("from "):
        return False
    is_earlier = not _EARLIER.isdisjoint(earlier.name.words) and _EARLIER.isdisjoint(later.name.words)
    return is_earlier and not _LATER.isdisjoint(later.name.words)


def is_sure(bond: Bond) -> bool:
    """Return True if a figure is bound so well that another value than the record's contradicts it."""
    return bond.is_near and bond.weight >= ENOUGH and not _is_loose(bond)


def _is_loose(bond: Bond) -> bool:
    """Return True if a figure is a bound or an approximation that the value may meet, and the field is not about that bound.

    "Open until" and "up to 30 visits" tell the value of a closing hour and of a limit.
    """
    if not bond.mention.is_loose or leaves_out(bond.mention, bond.target):
        return False
    is_end = bond.target.end == "high" and bond.mention.kind in (MentionKind.DATE, MentionKind.TIME)
    return not (is_end or (bond.target.kind in ("number", "duration", "money", "dose") and bond.target.name.is_limit))
