"""How probably a passage supports a claim, by words alone: no model, and every number of it can be checked by eye."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum
from typing import NamedTuple

from attribution.documents.differences import LEAST_SIMILARITY, align, contradiction, telling_words
from attribution.documents.opposites import LEAST_DOUBT, find_opposition
from attribution.documents.transcript import Transcript
from attribution.documents.wording import Wording, stems_by_sentence, weight, without_markers
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
    """A claim beside its passages. Shares are between 0 and 1 and weigh words by how much they tell."""

    window: float
    """The share of the claim in the best three sentences or fewer of one passage."""
    joined: int
    """How many pairs of neighbouring content words stand near together in a passage too."""
    subject: float
    """The share of the claim that is what the passages are about anyhow, repeated words: any claim about it would have it."""
    longest_gap: float
    """The weight of the longest run of content words that stand nowhere."""
    figures: float
    """The share of its figures that stand somewhere."""
    mentions: int
    """How often the passages say a word of the claim or of the question."""
    new: float
    """The share of its words that the question has not."""
    size: int
    """All words of the passages."""
    passage: int
    """The passage of the window, by its number."""
    span: Span | None
    """The window in that passage."""
    words: int
    """The different content words of the claim."""
    missing: tuple[str, ...]
    """Content words that stand nowhere, as folded."""


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
        found = stems_by_sentence(passage, weights)
        for first in found:
            seen: set[str] = set()
            for more in range(_SENTENCES_OF_A_WINDOW):
                if first + more in found:
                    seen |= found[first + more]
                    held = fsum(map(weights.__getitem__, seen)) - _COST_OF_A_SENTENCE * more * total
                    best = max(best, (held, -number, -first, -first - more))
    held, number, first, last = best
    return (held, -number, passages[-number].sentences_span(-first, -last)) if held else (0.0, 0, None)


LEAST_PROBABILITY = 0.5
"""From here on a claim counts as supported."""

_SHORTEST_EXCERPT, _LONGEST_EXCERPT = 60, 250
"""Words of what retrieval cuts out of a document. What is shorter is a snippet or a headline, what is longer the document."""
_ENDED = re.compile(r"[.!?…:;\"”'’)\]]\s{0,8}\Z")
_NEARLY_ALL = 0.75
"""A window that has so much of the claim may be enough by itself; and it is looked whether it says the opposite."""
_STATED_OTHERWISE = 6
"""Log odds off where it does: more than all words together can bring."""
_OF_OPPOSED = 0.1
"""The share that shared words still count where the source seems to say the opposite: above 0, so that such claims are ranked too."""
_MOST_NAMED = 4
_LEAST_EVIDENCE = -100.0
"""Log odds below which a probability is 0 in any case: a claim with a very long gap has more off than a number can hold."""


@dataclass(frozen=True, slots=True)
class Support:
    """How well passages support a claim.

    ``probability`` is raw, for claims of which every second one is supported. ``passage`` is the number of the passage that has most of
    the claim, ``window`` the span of its best sentences in code points, none where no word is found. ``is_excerpt`` says that the
    passages break off, so that what is missing may follow their end. ``missing`` are content words that are in no passage.
    ``opposite`` says why the source seems to say the opposite; it is empty where it does not. ``doubt`` says what speaks against a claim
    most of whose words are there, where that is not enough for an opposite.
    """

    probability: float
    passage: int
    window: Span | None
    is_excerpt: bool
    missing: tuple[str, ...]
    trace: str
    opposite: str = ""
    doubt: str = ""

    @property
    def is_supported(self) -> bool:
        """True if most of the claim's words are in the source and nothing speaks for the opposite. Words are not support."""
        return self.probability >= LEAST_PROBABILITY


def judge_support(claim: str, passages: Sequence[str], question: str = "") -> Support:
    """Judge a claim by the passages that it cites. ``question`` is what the user asked: words from there prove little."""
    return judge_support_in(Wording(without_markers(claim)), [Wording(passage) for passage in passages], Wording(question))


def judge_support_in(claim: Wording, passages: Sequence[Wording], question: Wording, *, only_what_is_seen: bool = False) -> Support:
    """Like ``judge_support``, for texts that are read already. With ``only_what_is_seen`` an excerpt's unseen rest counts for nothing."""
    if not claim.stems or not any(passage.stems for passage in passages):
        what = "there is no passage with words" if claim.stems else "the claim has no content words"
        return Support(0.0, 0, None, is_excerpt=False, missing=tuple(dict.fromkeys(claim.words)), trace=what)
    overlap = measure(claim, passages, question)
    is_excerpt = not only_what_is_seen and sum(map(_breaks_off, passages)) * 2 >= len(passages)
    evidence, trace = _evidence(overlap, is_excerpt=is_excerpt), _trace(overlap, is_excerpt=is_excerpt)
    opposite = doubt = ""
    opposition = find_opposition(claim, passages)
    if otherwise := _stated_otherwise(claim, passages[overlap.passage], overlap):
        evidence, opposite = evidence - _STATED_OTHERWISE, f"it says nearly this, but {otherwise}"
    elif opposition.is_opposed(is_excerpt=is_excerpt):
        evidence, opposite = _OF_OPPOSED * evidence - _STATED_OTHERWISE - opposition.log_odds, opposition.reason
    elif not is_excerpt and overlap.size <= _LONGEST_EXCERPT:
        doubted = evidence - max(0.0, opposition.log_odds - LEAST_DOUBT)
        doubt = (opposition.reason or _NOT_ALL) if evidence >= 0 > doubted else ""
        evidence = doubted
    trace = opposite or (f"{trace}; but {doubt}" if doubt else trace)
    return Support(_probability(evidence, overlap), overlap.passage, overlap.span, is_excerpt, overlap.missing, trace, opposite, doubt)


_NOT_ALL = "not all that it says of them"


def _probability(evidence: float, overlap: Overlap) -> float:
    return round(1 / (1 + math.exp(-max(evidence, _LEAST_EVIDENCE))), 4) if overlap.span else 0.0


def _stated_otherwise(claim: Wording, passage: Wording, overlap: Overlap) -> str:
    """Return how the best sentences contradict a claim that is there nearly word for word; nothing where they do not."""
    if overlap.span is None or overlap.window < _NEARLY_ALL:
        return ""
    window = passage.window(overlap.span)
    if telling_words(claim.text) == window.telling:
        return ""
    said, there = Transcript(claim.text), window.transcript
    nearest = align(said, there)
    return contradiction(nearest, said, there) if nearest and nearest.similarity >= LEAST_SIMILARITY else ""


def _breaks_off(passage: Wording) -> bool:
    """Return True if a passage is a piece cut out of a document: as long as such pieces are, and not ended as a text ends."""
    return _SHORTEST_EXCERPT <= passage.size <= _LONGEST_EXCERPT and _ENDED.search(passage.text[-8:]) is None


def _evidence(overlap: Overlap, *, is_excerpt: bool) -> float:
    """Log odds of support. An excerpt that has nearly all of the claim itself needs no rest that may say it."""
    if not is_excerpt:
        return _of_whole(overlap)
    return max(_of_excerpt(overlap), _of_whole(overlap)) if overlap.window >= _NEARLY_ALL else _of_excerpt(overlap)


def _of_whole(overlap: Overlap) -> float:
    """Log odds where the passages are all there is: what they do not say they do not support.

    Four for the best window: a claim that is there wholly is supported, one that is there by half is open. Six off for the
    subject, which any claim about it shares. A figure that is missing weighs as much as a third of the words. Pairs and gaps tell
    the same words in another order from the same statement.
    """
    return 4 * overlap.window - 6 * overlap.subject + 1.5 * overlap.figures - 0.15 * overlap.longest_gap + 0.1 * overlap.joined - 2.3


def _of_excerpt(overlap: Overlap) -> float:
    """Log odds where the passages break off: the more they speak of claim and question, the likelier the rest says it.

    Mentions and length count by their logarithms, the twentieth mention tells less than the second. A claim that only repeats the
    question finds its words in any passage about it, so what is new in it counts, and so do pairs that stand together. The middle is
    where excerpts that were judged to support their claims and those that were not are told apart best.
    """
    return math.log1p(overlap.mentions) + math.log1p(overlap.size) + overlap.new + 0.1 * overlap.joined - 8.75


def _trace(overlap: Overlap, *, is_excerpt: bool) -> str:
    if overlap.span is None:
        return "no content word of the claim stands in the source"
    found = overlap.words - len(overlap.missing)
    told = f"{found} of {overlap.words} content words stand in the source, {overlap.window:.0%} of their weight together"
    if overlap.missing:
        more = f" and {len(overlap.missing) - _MOST_NAMED} more" if len(overlap.missing) > _MOST_NAMED else ""
        told += f"; not there: {', '.join(f'‘{word}’' for word in overlap.missing[:_MOST_NAMED])}{more}"
    return told + ("; the source breaks off" if is_excerpt else "")
