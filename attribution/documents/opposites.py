"""Tell whether a source seems to say the opposite of a claim, by the signs of it in the sentences that share most of the claim's words.

What this finds is a reason to look, never proof: of claims and passages that people judged, it names about three of five refuted
claims, and one in seven of the supported ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from attribution.documents.statements import Pole, Share, Statement, root
from attribution.documents.wording import Wording, nearest_sentences, weight

# Signs that a source says the opposite of a claim, each found in the few sentences that share most of the claim's words.

_NEAR, _REACH, _FADING = 6, 8, 5.0
"""Words between a direction and what both texts say of it: in the claim, in the source, and how fast it counts less."""
_MOST_ANCHORS = 4


class Sign(NamedTuple):
    """A sign of an opposite: its name, how strong it is from -1 to 1, and the reason in words, if it is one by itself."""

    name: str
    amount: float
    reason: str = ""


def signs_of(claim: Statement, sentences: Sequence[Statement], topic: Mapping[str, float]) -> list[Sign]:
    """Return what speaks for an opposite, and against it. ``topic`` are the words of the claim that a direction may be about."""
    if not sentences:
        return []
    signs = [
        *_near_directions(claim, sentences, topic),
        *_clash(claim, sentences),
        *_denied_here(claim, sentences),
        *_denied_there(claim, sentences[0], topic),
        *_alike(claim, sentences),
        *_figures(claim, sentences),
        *_shares(claim, sentences),
        *_outcome(claim, sentences),
        *([] if _ABSOLUTE.isdisjoint(claim.words) else [Sign("absolute", 1.0)]),
    ]
    is_told_otherwise = any(sign.name in _OTHERWISE for sign in signs) and _held(topic, sentences[0]) >= _MOST
    return [*signs, Sign("most words", 1.0)] if is_told_otherwise else signs


_OTHERWISE = frozenset(("clash", "denied there", "other figure", "share"))
_MOST = 0.55
"""A sentence with so much of a claim is about the same: then it tells more that one of these differs."""


def _held(topic: Mapping[str, float], sentence: Statement) -> float:
    """Return the share of the claim's words, by weight, that a sentence has."""
    return sum([weight for word, weight in topic.items() if word in sentence.places]) / (sum(topic.values()) or 1)


# Directions.


def _near_directions(claim: Statement, sentences: Sequence[Statement], topic: Mapping[str, float]) -> Iterator[Sign]:
    """Compare the directions beside words that both have: those the other way, and how the balance is, 1 if all speak against it."""
    balance = opposed = worst = 0.0
    told = ""
    for pole in claim.poles:
        for apart, word in _anchors(pole, claim, topic):
            for sentence in sentences:
                for other, distance in _poles_near(word, pole.axis, sentence):
                    counts = math.exp(-(apart + distance) / _FADING)
                    is_other = pole.sign != other.sign
                    balance += counts if is_other else -counts
                    opposed += counts if is_other else 0
                    if is_other and counts > worst:
                        worst, told = counts, _told(pole, other, claim, sentence, word)
    if opposed:
        yield Sign("opposed", math.tanh(opposed), told)
    if balance:
        yield Sign("balance", math.tanh(balance), told)


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
    """Find a direction of which the sentences have only the other end, wherever it stands, and whether they have the main one at all."""
    for pole in claim.poles:
        others = [(other, sentence) for sentence in sentences for other in sentence.poles if other.axis == pole.axis]
        if others and all(other.sign != pole.sign for other, _ in others):
            other, sentence = others[0]
            yield Sign("clash", 1.0, f"the claim says ‘{_written(pole, claim)}’, the source ‘{_written(other, sentence)}’")
            break
    main = claim.main
    if main is not None and not any(other.axis == main.axis for sentence in sentences for other in sentence.poles):
        yield Sign("no such direction", 1.0)


# Denials.


def _denied_here(claim: Statement, sentences: Sequence[Statement]) -> Iterator[Sign]:
    """Find what the claim denies and the sentences do not."""
    best = sentences[0]
    if claim.denials:
        if not (best.denials or best.belittling):
            yield Sign("denied here", 1.0, _HERE)
        if not any(sentence.denials or sentence.belittling for sentence in sentences):
            yield Sign("denied only here", 1.0, _HERE)
    elif claim.belittling and not any(sentence.denials or sentence.belittling for sentence in sentences):
        word = claim.words[min(claim.belittling)]
        yield Sign("belittled", 1.0, f"the claim says ‘{word}’, the source nothing like it")
    if claim.asides and not (best.denials or best.asides):
        yield Sign("aside denied here", 1.0, _HERE)
    if claim.denies_effect and best.effects() and not best.denied_effects():
        yield Sign("effect denied here", 1.0, "the claim denies an effect, the source states one")


def _denied_there(claim: Statement, best: Statement, topic: Mapping[str, float]) -> Iterator[Sign]:
    """Find what the best sentence denies near words that both have, and the claim does not."""
    if claim.denials:
        return
    shared = [place for word in topic for place in best.places.get(word, ())]
    if not claim.belittling and any(abs(place - other) <= _REACH for place in best.denials for other in shared):
        yield Sign("denied there", 1.0, _THERE)
    if best.asides and not best.denials:
        yield Sign("aside denied there", 1.0, _THERE)


_HERE = "the claim denies it, the source does not"
_THERE = "the source denies it, the claim does not"


def _alike(claim: Statement, sentences: Sequence[Statement]) -> Iterator[Sign]:
    """Find what the claim calls alike and the sentences different."""
    if claim.is_alike and any(each.differs for each in sentences[:2]) and not any(each.is_alike for each in sentences):
        yield Sign("alike", 1.0, "the claim says that they are alike, the source that they differ")


# Figures, shares and outcomes.

_ROUNDED = 0.06
"""Two figures that differ by no larger share are the same one, rounded."""


def _figures(claim: Statement, sentences: Sequence[Statement]) -> Iterator[Sign]:
    """Find a figure of the claim that the sentences do not have: a sign by itself if they have another one of the same thing."""
    there = [figure for sentence in sentences for figure in sentence.figures]
    amounts = [figure.amount for figure in there]
    amounts += [share.low for sentence in sentences for share in sentence.shares]
    for figure in claim.figures:
        if not any(math.isclose(figure.amount, amount, rel_tol=_ROUNDED) for amount in amounts):
            yield Sign("figure", 1.0)
            other = next((each for each in there if each.unit == figure.unit), None) if figure.unit else None
            if other is not None:
                yield Sign("other figure", 1.0, f"the claim says ‘{figure.written}’, the source ‘{other.written}’")
            return


_LOOSE, _POINTS = 0.1, 2.0
"""How far a share may be from another that is the same, roughly told: by a tenth of it, and two points."""


def _shares(claim: Statement, sentences: Sequence[Statement]) -> Iterator[Sign]:
    """Find a share of the claim where the sentences have shares, or ratios, but none like it."""
    there = [share for sentence in sentences for share in sentence.shares]
    ratios = [100 * figure.amount for sentence in sentences for figure in sentence.figures if 0 < figure.amount < 1]
    like = [*there, *[Share(share, share, "") for ratio in ratios for share in (ratio, 100 - ratio)]]
    if not there or not claim.shares:
        return
    others = [share for share in claim.shares if not any(_is_like(share, each) for each in like)]
    if others:
        yield Sign("share", 1.0, f"the claim says ‘{others[0].written}’, the source ‘{there[0].written}’")
    if len(others) < len(claim.shares):
        yield Sign("same share", 1.0)


def _is_like(share: Share, other: Share) -> bool:
    return other.low <= share.high * (1 + _LOOSE) + _POINTS and other.high >= share.low * (1 - _LOOSE) - _POINTS


_MOST_OUTCOMES = 3


def _outcome(claim: Statement, sentences: Sequence[Statement]) -> Iterator[Sign]:
    """Compare whether things get better: 1 if they do for one and get worse for the other."""
    there = sum([sentence.outcome for sentence in sentences[:_MOST_OUTCOMES]])
    if claim.outcome and there:
        better, worse = ("better", "worse") if claim.outcome > 0 else ("worse", "better")
        strength = math.tanh(abs(there) / 2)
        is_other = (claim.outcome > 0) is not (there > 0)
        yield Sign(
            "outcome", strength if is_other else -strength, f"the claim tells of something {better}, the source of something {worse}"
        )


_ABSOLUTE = frozenset(("only", "all", "every", "always", "never", "none", "entirely", "solely", "completely"))
"""Words of a claim that hardly any source supports as they stand."""


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
