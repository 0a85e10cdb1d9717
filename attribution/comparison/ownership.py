"""The fields that a place may be of besides the one in question: a nearer label's, a price's of anything, one that was exchanged."""

from __future__ import annotations

from attribution.binding.assignment import Bond
from attribution.comparison.figures import Relation, compare
from attribution.comparison.turn import ENOUGH, NAMED, RIVAL, Turn
from attribution.mentions.mention import Mention, MentionKind
from attribution.reading import FIGURES
from attribution.schema.target import Target
from attribution.text import stem, words

_OF_ANY_PRICE = frozenset(map(stem, words("cost costs price prices pay charge charges runs a an each per every visit session")))
_CLEARLY_LESS = 0.75
"""The share of a rival label's weight below which a field's own label is weaker."""


def is_owned_by_another(place: int, last: int, target: Target, turn: Turn) -> bool:
    """Return True if a nearer label names another field for what stands at a place."""
    bonds = [(mention, turn.owner.get(id(mention))) for mention in turn.mentions_at(place, last)]
    if not bonds or any(bond is not None and bond.target is target for _, bond in bonds):
        return False
    for mention, bond in bonds:
        if bond is None or bond.weight < RIVAL or _are_twins(bond.target, target):
            continue
        if target.kind == "money" and is_priced_generally(mention, bond.target, turn):
            continue
        own = turn.reading.labels.affinity(mention, target).weight
        if _are_exchanged(bond, target, turn) or (own < _CLEARLY_LESS * bond.weight and not _has_its_own(bond, turn)):
            return True
    return False


def is_priced_generally(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if the sentence of a price names a field by words only that go with any price: "costs: $25 per visit"."""
    if target.kind != "money":
        return False
    sentence = turn.answer.places_around(mention.first, turn.answer.sentence_at(mention.span[0]))
    named = [
        turn.answer.stem_words[first:last]
        for item, weight in target.labels.items()
        if weight > NAMED
        for first, last in turn.reading.labels.places.get(item, ())
        if first in sentence
    ]
    return bool(named) and all(_OF_ANY_PRICE.issuperset(words) for words in named)


def _has_its_own(bond: Bond, turn: Turn) -> bool:
    """Return True if the field that a figure is bound to has another value, and that is stated elsewhere."""
    target = bond.target
    if target.kind not in FIGURES or compare(bond.mention, target) is not Relation.DIFFERENT:
        return False
    return any(
        other is not bond and other.weight >= ENOUGH and compare(other.mention, target) is Relation.EQUAL
        for other in turn.by_row.get(target.row, ())
    )


def _are_exchanged(bond: Bond, target: Target, turn: Turn) -> bool:
    """Return True if two fields are bound to other values than theirs: each is said of the other."""
    if bond.mention.kind is MentionKind.VALUE:
        return _are_words_exchanged(bond, target, turn)
    if target.kind not in FIGURES or bond.target.kind not in FIGURES or compare(bond.mention, bond.target) is not Relation.DIFFERENT:
        return False
    return any(
        other.is_near and other.weight >= ENOUGH and compare(other.mention, target) is Relation.DIFFERENT
        for other in turn.by_row.get(target.row, ())
        if not (is_whole(other.mention, turn) or is_whole(bond.mention, turn))
    )


def _are_words_exchanged(bond: Bond, target: Target, turn: Turn) -> bool:
    """Return True if two fields of one class are bound to values that are not theirs: "alcohol risk is high, drug risk is low"."""
    entry = bond.mention.unit
    if entry not in target.steps or bond.mention.values[0] in bond.target.steps.get(entry, ()):
        return False
    return any(
        other.is_near and other.weight >= ENOUGH and other.mention.unit == entry and other.mention.values[0] not in target.steps[entry]
        for other in turn.by_row.get(target.row, ())
    )


def is_whole(mention: Mention, turn: Turn) -> bool:
    """Return True if a figure is what another is a part of: "18 visits left out of 24"."""
    return turn.answer.words[max(0, mention.first - 2) : mention.first] == ["out", "of"]


def _are_twins(one: Target, other: Target) -> bool:
    """Return True if two fields have one name and one value: what shows one shows the other."""
    return one.name.stems == other.name.stems and one.field.value == other.field.value
