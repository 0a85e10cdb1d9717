"""Tell whether a source seems to say the opposite of a claim: directions, denials and figures of the sentences that have most of it.

What this finds is a reason to look, never proof: of claims and passages that people judged, it names about half of the refuted claims, and
one in seven of the supported ones. It compares the claim with the few sentences that share most of its words. In each, words of a
direction ("raises", "reduced") count near the words that both have, the other way round where the sentence denies them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attribution.documents.wording import Pole, Statement, Wording, nearest_sentences, weight

MOST_SENTENCES = 4
"""The most sentences of a source that are compared with a claim: those that share most of its words."""

_NEAR, _REACH, _FADING = 6, 8, 5.0
"""Words between a direction and what both texts say of it: in the claim, in the source, and how fast it counts less."""
_MOST_ANCHORS = 4

_WEIGHTS = {
    "against": 0.5,
    "clash": 0.9,
    "denied_here": 0.25,
    "denied_only_here": 0.75,
    "word_denied": 0.9,
    "figure": 1.0,
    "absolute": 0.35,
    "unseen": -0.5,
}
"""Log odds that each sign of an opposite brings, fitted to claims that people judged (half of Check-COVID and SciFact)."""
_USUAL = -0.65
LEAST = -0.2
"""Log odds from which on the source seems to say the opposite."""


@dataclass(frozen=True, slots=True)
class Opposition:
    """How much speaks for an opposite, in log odds, and its weightiest sign, in words."""

    log_odds: float
    reason: str

    @property
    def is_opposed(self) -> bool:
        """True if the source seems to say the opposite."""
        return bool(self.reason) and self.log_odds >= LEAST


def find_opposition(claim: Wording, passages: Sequence[Wording]) -> Opposition:
    """Compare a claim with the sentences of passages that share most of its words."""
    said = claim.whole
    topic = _topic(said)
    nearest = nearest_sentences(passages, topic, MOST_SENTENCES) if topic else []
    return compare_statements(said, [passages[number].statement(sentence) for number, sentence in nearest])


def compare_statements(claim: Statement, sentences: Sequence[Statement]) -> Opposition:
    """Compare a claim with the sentences that share most of its words, the best first."""
    signs = signs_of(claim, sentences)
    told = [(_WEIGHTS[name] * amount, reason) for name, amount, reason in signs if amount > 0 and reason]
    total = _USUAL + sum([_WEIGHTS[name] * amount for name, amount, _ in signs])
    return Opposition(round(total, 4), max(told)[1] if told else "")


class Sign(NamedTuple):
    """A sign of an opposite: its name, how strong it is from -1 to 1, and the reason in words, if it is one by itself."""

    name: str
    amount: float
    reason: str = ""


def signs_of(claim: Statement, sentences: Sequence[Statement]) -> list[Sign]:
    """Return what speaks for an opposite, and against it."""
    topic = _topic(claim)
    if not topic or not sentences:
        return []
    there = {each for sentence in sentences for each in sentence.places}
    unseen = 1 - sum([topic[each] for each in topic if each in there]) / sum(topic.values())
    return [
        Sign("unseen", unseen),
        *_against(claim, sentences, topic),
        *_clash(claim, sentences),
        *_denials(claim, sentences, topic),
        *_other_figure(claim, sentences),
        *([] if _ABSOLUTE.isdisjoint(claim.words) else [Sign("absolute", 1.0)]),
    ]


def _topic(claim: Statement) -> dict[str, float]:
    """Return the content words of a claim that are neither direction nor figure, each with its weight."""
    directed = {claim.stems[place] for pole in claim.poles for place in range(pole.first, pole.last)}
    return {each: weight(claim.words[places[0]]) for each, places in claim.places.items() if each not in directed and not each[0].isdigit()}


def _against(claim: Statement, sentences: Sequence[Statement], topic: Mapping[str, float]) -> Iterator[Sign]:
    """Compare the directions beside words that both have: 1 if all speak against the claim, -1 if all speak for it."""
    balance, worst, told = 0.0, 0.0, ""
    for pole in claim.poles:
        for apart, word in _anchors(pole, claim, topic):
            for sentence in sentences:
                for other, distance in _poles_near(word, pole.axis, sentence):
                    counts = math.exp(-(apart + distance) / _FADING)
                    balance += counts if pole.sign != other.sign else -counts
                    if pole.sign != other.sign and counts > worst:
                        worst, told = counts, _told(pole, other, claim, sentence, word)
    if balance:
        yield Sign("against", math.tanh(balance), told)


def _anchors(pole: Pole, claim: Statement, topic: Mapping[str, float]) -> list[tuple[int, str]]:
    """Return the nearest words of a claim that a direction may be about, each with its distance."""
    near = [(min([_apart(pole, place) for place in claim.places[word]]), word) for word in topic]
    return sorted([each for each in near if each[0] <= _NEAR])[:_MOST_ANCHORS]


def _poles_near(word: str, axis: int, sentence: Statement) -> Iterator[tuple[Pole, int]]:
    places = sentence.places.get(word)
    for pole in sentence.poles if places else ():
        if pole.axis == axis and places:
            distance = min([_apart(pole, place) for place in places])
            if distance <= _REACH:
                yield pole, distance


def _apart(pole: Pole, place: int) -> int:
    return place - pole.last + 1 if place >= pole.first else pole.first - place + 1


def _told(pole: Pole, other: Pole, claim: Statement, sentence: Statement, word: str) -> str:
    said, there = _written(pole, claim), _written(other, sentence)
    of = claim.words[claim.places[word][0]]
    return f"of ‘{of}’ the claim says ‘{said}’, the source ‘{there}’"


def _written(pole: Pole, statement: Statement) -> str:
    written = " ".join(statement.words[pole.first : pole.last])
    return f"not {written}" if pole.first in statement.denied else written


def _clash(claim: Statement, sentences: Sequence[Statement]) -> Iterator[Sign]:
    """Find a direction of which the sentences have only the other end, wherever it stands."""
    for pole in claim.poles:
        others = [(other, sentence) for sentence in sentences for other in sentence.poles if other.axis == pole.axis]
        if others and all(other.sign != pole.sign for other, _ in others):
            other, sentence = others[0]
            yield Sign("clash", 1.0, f"the claim says ‘{_written(pole, claim)}’, the source ‘{_written(other, sentence)}’")
            return


def _denials(claim: Statement, sentences: Sequence[Statement], topic: Mapping[str, float]) -> Iterator[Sign]:
    """Find what one text denies and the other says."""
    best = sentences[0]
    shared = [place for word in topic for place in best.places.get(word, ())]
    near = [place for pole in best.poles for place in range(pole.first, pole.last) if any(abs(place - each) <= _REACH for each in shared)]
    denies = not best.denied.isdisjoint([*shared, *near])
    if claim.denied and not denies:
        yield Sign("denied_here", 1.0, _HERE)
        if not any(sentence.denied for sentence in sentences):
            yield Sign("denied_only_here", 1.0, _HERE)
    if claim.has_denial and not any(sentence.has_denial for sentence in sentences[:2]):
        yield Sign("word_denied", 1.0, _HERE)
    elif best.has_denial and not claim.has_denial:
        yield Sign("word_denied", 1.0, _THERE)


_HERE = "the claim denies it, the source does not"
_THERE = "the source denies it, the claim does not"


def _other_figure(claim: Statement, sentences: Sequence[Statement]) -> Iterator[Sign]:
    """Find a figure of the claim in whose place the sentences have another one of the same thing."""
    there = [figure for sentence in sentences for figure in sentence.figures]
    amounts = {figure.amount for figure in there}
    for figure in claim.figures:
        other = next((each for each in there if each.unit == figure.unit), None) if figure.unit and figure.amount not in amounts else None
        if other is not None:
            yield Sign("figure", 1.0, f"the claim says ‘{figure.written}’, the source ‘{other.written}’")
            return


_ABSOLUTE = frozenset(("only", "all", "every", "always", "never", "none", "entirely", "solely", "completely"))
"""Words of a claim that hardly any source supports as they stand."""
