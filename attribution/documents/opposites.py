"""Tell whether a source seems to say the opposite of a claim, by the signs of it in the sentences that share most of the claim's words.

What this finds is a reason to look, never proof: of claims and passages that people judged, it names about three of five refuted
claims, and one in seven of the supported ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from attribution.documents.signs import signs_of
from attribution.documents.statements import Statement, root
from attribution.documents.wording import Wording, nearest_sentences, weight

MOST_SENTENCES = 3
"""The most sentences of a source that are compared with a claim: those that share most of its words."""

WEIGHTS = {
    "opposed": 1.2,
    "balance": 0.3,
    "clash": 0.9,
    "no such direction": 0.4,
    "effect denied here": 1.0,
    "denied here": 1.0,
    "denied only here": 1.6,
    "belittled": 1.4,
    "aside denied here": 0.8,
    "denied there": 0.5,
    "aside denied there": 0.3,
    "alike": 1.2,
    "figure": 0.7,
    "other figure": 0.6,
    "share": 1.2,
    "same share": -0.4,
    "outcome": 0.5,
    "absolute": 0.3,
    "most words": 0.8,
}
"""Log odds that each sign of an opposite brings: near those of a logistic regression on half of the claims that people judged."""
USUAL = -1.4
"""Log odds without any sign."""
LEAST, LEAST_IN_EXCERPT = -0.3, 0.6
"""Log odds from which on the source seems to say the opposite. One that breaks off may say more behind its end, so it takes more signs."""
LEAST_DOUBT = -1.0
"""Log odds above which signs count against support though they are not enough for an opposite."""


@dataclass(frozen=True, slots=True)
class Opposition:
    """How much speaks for an opposite, in log odds, and its weightiest sign, in words."""

    log_odds: float
    reason: str

    def is_opposed(self, *, is_excerpt: bool = False) -> bool:
        """Return True if the source seems to say the opposite."""
        return bool(self.reason) and self.log_odds >= (LEAST_IN_EXCERPT if is_excerpt else LEAST)


def find_opposition(claim: Wording, passages: Sequence[Wording]) -> Opposition:
    """Compare a claim with the sentences of passages that share most of its words; with none of them it says nothing."""
    said = claim.whole
    topic = topic_of(said)
    sought = {stem: weight(word) for stem, word in zip(claim.stems, claim.words, strict=True) if root(stem) in topic}
    nearest = [passages[number].statement(sentence) for number, sentence in nearest_sentences(passages, sought, MOST_SENTENCES)]
    return compare_statements(said, nearest or _by_other_names(topic, passages))


def _by_other_names(topic: Mapping[str, float], passages: Sequence[Wording]) -> list[Statement]:
    """Return those of the first sentences that speak of the same by other words for it."""
    first = islice(((passage, sentence) for passage in passages for sentence in range(passage.sentence_count)), MOST_SENTENCES)
    statements = [passage.statement(sentence) for passage, sentence in first]
    return [each for each in statements if not topic.keys().isdisjoint(each.places)]


def compare_statements(claim: Statement, sentences: Sequence[Statement]) -> Opposition:
    """Compare a claim with the sentences that share most of its words, the best first."""
    signs = signs_of(claim, sentences, topic_of(claim))
    told = [(WEIGHTS[name] * amount, reason) for name, amount, reason in signs if amount > 0 and reason]
    total = USUAL + sum([WEIGHTS[name] * amount for name, amount, _ in signs])
    return Opposition(round(total, 4), max(told)[1] if told else "")


def topic_of(claim: Statement) -> Mapping[str, float]:
    """Return the roots of a claim's content words that are neither direction nor figure, each with its weight."""
    directed = {root(claim.stems[place]) for pole in claim.poles for place in range(pole.first, pole.last)}
    return {each: weight(claim.words[places[0]]) for each, places in claim.places.items() if each not in directed and not each[0].isdigit()}
