"""Sentence against sentence: how much of what a sentence of the answer says each text says, measured against the best of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from attribution.answer import Answer
from attribution.matchers.long_text.said import Said, meet, told_apart
from attribution.matchers.long_text.statement import Statement, statements_of
from attribution.matchers.long_text.weighing import INFORMATIVE, Weights

_MOST_SENTENCES = 8
_FEWEST_WORDS = 2
_LENGTH_POWER = 0.25
"""Of a long sentence more stands in any answer by chance; by so little that a sentence of sixteen words needs twice what one word does."""

_LEAST_BEST = 0.7
"""A sentence of the answer whose best text is weaker than this share of the best of all is small talk, and settles nothing."""


class Bid(NamedTuple):
    """A statement that says what sentence number ``sentence`` of the answer does; ``met`` are the keys, each in the statement's words."""

    statement: Statement
    sentence: int
    strength: float
    met: dict[str, str]


def bids_of(whole: Statement, met: dict[str, str], said: Said, weights: Weights, answer: Answer) -> list[Bid]:
    """The best statement of a text for each sentence of the answer."""
    if not _is_enough(met, weights):
        return []
    best: dict[int, Bid] = {}
    statements = statements_of(whole)
    for statement in statements:
        shared = met if len(statements) == 1 else meet(statement, said)
        for bid in _bids(statement, told_apart(shared, said), said, weights, answer):
            if bid.sentence not in best or bid.strength > best[bid.sentence].strength:
                best[bid.sentence] = bid
    return list(best.values())


def settle(bids: Sequence[Sequence[Bid]]) -> list[tuple[float, Bid] | None]:
    """For each text its best bid, and how it stands against the others of the same sentence; between equals nothing is lost."""
    best: dict[int, float] = {}
    for bid in (bid for each in bids for bid in each):
        best[bid.sentence] = max(best.get(bid.sentence, 0.0), bid.strength)
    least = _LEAST_BEST * max(best.values(), default=0.0)
    return [
        max(((bid.strength / max(best[bid.sentence], least) ** 0.5, bid) for bid in each), key=lambda pair: pair[0], default=None)
        for each in bids
    ]


def _bids(statement: Statement, met: dict[str, str], said: Said, weights: Weights, answer: Answer) -> list[Bid]:
    if not _is_enough(met, weights):
        return []
    shared: dict[int, dict[str, str]] = {}
    for key, words in met.items():
        for sentence in _sentences(key, said, answer):
            shared.setdefault(sentence, {})[key] = words
    length = (len(statement.content) + 0.5) ** _LENGTH_POWER
    return [
        Bid(statement, sentence, sum(map(weights.of, keys)) / length, keys)
        for sentence, keys in shared.items()
        if _is_enough(keys, weights)
    ]


def _is_enough(met: dict[str, str], weights: Weights) -> bool:
    """One word in common is not enough, unless the user asked about it."""
    informative = [key for key in met if weights.of(key) >= INFORMATIVE]
    return len(informative) >= _FEWEST_WORDS or any(weights.is_asked(key) for key in informative)


def _sentences(key: str, said: Said, answer: Answer) -> list[int]:
    ends, starts = answer.sentence_ends, answer.starts
    numbers = [bisect_right(ends, starts[first]) for first, _ in said.places(key)[:_MOST_SENTENCES]]
    return sorted(set(numbers)) if len(numbers) > 1 else numbers
