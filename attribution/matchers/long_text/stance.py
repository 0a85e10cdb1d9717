"""Whether two sentences that share their words agree: "no history of seizures" is not what "a history of seizures" draws on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from attribution.lexicon.words import CONTRACTED_BEFORE_NOT, NEGATIONS

AGREEMENT, DISAGREEMENT = 1.0, 0.85
"""What is left of a statement's strength. Not much is lost: a denial may be of something else in the sentence."""


def agreement(one: Sequence[str], other: Sequence[str]) -> float:
    """Return how far two sentences, as folded words, agree: both deny something, or neither does."""
    return AGREEMENT if _denies(one) == _denies(other) else DISAGREEMENT


def _denies(words: Sequence[str]) -> bool:
    is_contracted = any(word == "t" and before in CONTRACTED_BEFORE_NOT for before, word in pairwise(words))
    return is_contracted or not NEGATIONS.isdisjoint(words)
