"""How much of a claim stands in its passages, and how near together: the measures from which support is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import fsum
from typing import NamedTuple

from attribution.documents.wording import Wording, weight
from attribution.figures import MOST_PLACES
from attribution.model import Span

_SENTENCES_OF_A_WINDOW = 3
_COST_OF_A_SENTENCE = 0.03
"""A window of more sentences must have so much more of the claim: words far apart belong together less."""
_SAME = 1e-9
"""A passage that has no more than so much more of the claim than an earlier one is not looked at: sums are rounded."""
_NEAR = 5
"""Two content words this near together in a passage are taken to belong together there."""
_HALF_SATURATED = 3
"""A word that stands so often in the passages counts half as one of their subject."""


class Overlap(NamedTuple):
    """A claim beside its passages. Shares are between 0 and 1 and weigh words by how much they tell.

    ``window``: the share of the claim in the best three sentences or fewer of one passage, which are ``span`` of passage ``passage``.
    ``joined``: how many pairs of neighbouring content words stand near together in a passage too. ``subject``: the share of the claim
    that is what the passages are about anyhow, repeated words: any claim about it would have it. ``longest_gap``: the weight of the
    longest run of content words that stand nowhere. ``figures``: the share of its figures that stand somewhere. ``mentions``: how
    often the passages say a word of the claim or of the question. ``new``: the share of its words that the question has not.
    ``missing``: content words that stand nowhere, as folded. ``size``: all words of the passages.
    """

    window: float
    joined: int
    subject: float
    longest_gap: float
    figures: float
    mentions: int
    new: float
    size: int
    passage: int
    span: Span | None
    words: int
    missing: tuple[str, ...]


def measure(claim: Wording, passages: Sequence[Wording], question: Wording) -> Overlap:
    """Compare a claim with the passages it cites, in time linear in the claim and bounded for each word of it."""
    weights = {stem: weight(word) for stem, word in zip(claim.stems, claim.words, strict=True)}
    counts = {stem: sum(len(passage.places.get(stem, ())) for passage in passages) for stem in weights}
    asked = [len(passage.places[stem]) for passage in passages for stem in question.places.keys() - weights.keys() & passage.places.keys()]
    total = sum(weights.values()) or 1.0
    window, number, span = _best_window(passages, weights)
    figures = [stem for stem in weights if not stem.isalpha()]
    return Overlap(
        window=window / total,
        joined=sum(any(_meet(passage, *pair) for passage in passages) for pair in pairwise(claim.stems)),
        subject=sum(weights[stem] * count / (count + _HALF_SATURATED) for stem, count in counts.items()) / total,
        longest_gap=_longest_gap(claim, counts, weights),
        figures=sum(counts[stem] > 0 for stem in figures) / len(figures) if figures else 1.0,
        mentions=sum(counts.values()) + sum(asked),
        new=sum(stem not in question.places for stem in weights) / (len(weights) or 1),
        size=sum(passage.size for passage in passages),
        passage=number,
        span=span,
        words=len(weights),
        missing=tuple(dict.fromkeys(word for word, stem in zip(claim.words, claim.stems, strict=True) if not counts[stem])),
    )


def _longest_gap(claim: Wording, counts: dict[str, int], weights: dict[str, float]) -> float:
    gap = longest = 0.0
    for stem in claim.stems:
        gap = 0.0 if counts[stem] else gap + weights[stem]
        longest = max(longest, gap)
    return longest


def _meet(passage: Wording, first: str, second: str) -> bool:
    """Return True if two stems stand near together anywhere: both lists of places are walked once."""
    ones, others = passage.places.get(first), passage.places.get(second)
    if ones is None or others is None:
        return False
    one = other = 0
    while one < min(len(ones), MOST_PLACES) and other < min(len(others), MOST_PLACES):
        apart = ones[one] - others[other]
        if abs(apart) <= _NEAR:
            return True
        one += apart < 0
        other += apart > 0
    return False


def _best_window(passages: Sequence[Wording], weights: dict[str, float]) -> tuple[float, int, Span | None]:
    """The weight of the claim's words in the sentences that have most of them, which passage these are in, and where.

    Words are weighed in no order of theirs, so their sum must not be rounded on the way: equal windows would differ from run to run.
    """
    best: tuple[float, int, int, int] = (0.0, 0, 0, 0)
    total = sum(weights.values())
    for number, passage in enumerate(passages):
        if sum([weight for stem, weight in weights.items() if stem in passage.places]) <= best[0] + _SAME:
            continue
        found = _stems_by_sentence(passage, weights)
        for first in found:
            seen: set[str] = set()
            for more in range(_SENTENCES_OF_A_WINDOW):
                if first + more in found:
                    seen |= found[first + more]
                    held = fsum(map(weights.__getitem__, seen)) - _COST_OF_A_SENTENCE * more * total
                    best = max(best, (held, -number, -first, -first - more))
    held, number, first, last = best
    return (held, -number, passages[-number].sentences_span(-first, -last)) if held else (0.0, 0, None)


def nearest_sentences(passages: Sequence[Wording], weights: Mapping[str, float], most: int) -> list[tuple[int, int]]:
    """Return the sentences with most of some words, as the number of the passage and that of the sentence; the best first."""
    held = [
        (-fsum(map(weights.__getitem__, stems)), number, sentence)
        for number, passage in enumerate(passages)
        for sentence, stems in _stems_by_sentence(passage, weights).items()
    ]
    return [(number, sentence) for _, number, sentence in sorted(held)[:most]]


def _stems_by_sentence(passage: Wording, weights: Mapping[str, float]) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for stem in weights.keys() & passage.places.keys():
        for place in passage.places[stem][:MOST_PLACES]:
            found.setdefault(passage.sentences[place], set()).add(stem)
    return found
