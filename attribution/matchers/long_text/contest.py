"""Sentence against sentence: how much of what a sentence of the answer says each text says, measured against the best of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from attribution.matchers.long_text.said import Said, meet
from attribution.matchers.long_text.statement import Statement, statements_of
from attribution.matchers.long_text.weighing import Telling
from attribution.model import new

_FEWEST_WORDS, _ONE_OF = 2, 4
"""At least two words, in a long sentence one of four: two of thirty stand in many an answer by chance."""
_LENGTH_POWER = 0.25
"""Of a long sentence more stands in any answer by chance; by so little that a sentence of sixteen words needs twice what one word does."""

_LEAST_BEST = 0.7
"""A sentence of the answer whose best text is weaker than this share of the best of all is small talk, and settles nothing."""

_PLENTY = 3.0
"""Where the best text says this much of a sentence, another has to say as much, not only something, to be what it draws on."""


class Bid(NamedTuple):
    """A statement that says what sentence number ``sentence`` of the answer does; ``met`` are the keys of both."""

    statement: Statement
    sentence: int
    strength: float
    met: Collection[str]


def bids_of(whole: Statement, met: Collection[str], said: Said, telling: Mapping[str, Telling]) -> list[Bid]:
    """The best statement of a text for each sentence of the answer."""
    statements = statements_of(whole)
    if len(statements) == 1:
        return _bids(whole, met, telling)
    best: dict[int, Bid] = {}
    for statement in statements:
        for bid in _bids(statement, meet(statement, said), telling):
            if bid.sentence not in best or bid.strength > best[bid.sentence].strength:
                best[bid.sentence] = bid
    return list(best.values())


def settle(bids: Sequence[Sequence[Bid]]) -> list[tuple[int, float, Bid]]:
    """The texts that bid, by their number, each with its best bid and how that stands against the others of the same sentence.

    Between equals nothing is lost.
    """
    best: dict[int, float] = {}
    for each in bids:
        for bid in each:
            best[bid.sentence] = max(best.get(bid.sentence, 0.0), bid.strength)
    least = _LEAST_BEST * max(best.values(), default=0.0)
    against = {sentence: _against(max(strength, least)) for sentence, strength in best.items()}
    return [
        (number, *max([(bid.strength / against[bid.sentence], bid) for bid in each], key=_strength))
        for number, each in enumerate(bids)
        if each
    ]


def _strength(settled: tuple[float, Bid]) -> tuple[float, int]:
    """The strength; of equals the earlier sentence of the answer goes first."""
    return settled[0], -settled[1].sentence


def _against(best: float) -> float:
    return best**0.5 if best <= _PLENTY else float(best / _PLENTY**0.5)


def _bids(statement: Statement, met: Collection[str], telling: Mapping[str, Telling]) -> list[Bid]:
    length = (len(statement.content) + 0.5) ** _LENGTH_POWER
    strengths = _strengths(met, fewest_words(len(statement.content)), telling)
    return [new(Bid, (statement, sentence, strength / length, met)) for sentence, strength in strengths.items()]


def fewest_words(length: int) -> int:
    """Return how many words of a sentence the answer must share, where the user asked about none of them."""
    return max(_FEWEST_WORDS, length // _ONE_OF)


def _strengths(met: Collection[str], fewest: int, telling: Mapping[str, Telling]) -> dict[int, float]:
    """Return what the keys weigh in each sentence of the answer where they are enough."""
    counted = count(met, telling)
    return {number: sum([each.weight for each in said.values()]) for number, said in counted.items() if _is_enough(said.values(), fewest)}


def _is_enough(said: Collection[Telling], fewest: int) -> bool:
    """One word fewer is enough if the user asked about one of them; words that only judge are no reason."""
    reasons = [each for each in said if not each.is_evaluating]
    return len(reasons) >= fewest or (len(reasons) == fewest - 1 and any(each.is_asked for each in reasons))


def count(met: Collection[str], telling: Mapping[str, Telling]) -> dict[int, dict[int, Telling]]:
    """By sentence of the answer and by place: what is said there. Each word counts once, for the most that it tells."""
    counted = [telling[key] for key in met if key in telling]
    known = {group for each in counted for group in each.known_by}
    sentences: dict[int, dict[int, Telling]] = {}
    for each in sorted(counted):
        if each.key not in known:
            for sentence, place in each.places:
                sentences.setdefault(sentence, {})[place] = each
    return sentences
