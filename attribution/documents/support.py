"""How probably a passage supports a claim, by words alone: no model, and every number of it can be checked by eye."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from attribution.documents.alignment import align
from attribution.documents.changes import contradiction, telling_words
from attribution.documents.opposites import find_opposition
from attribution.documents.overlap import Overlap, measure
from attribution.documents.quote_check import LEAST_SIMILARITY
from attribution.documents.transcript import Transcript
from attribution.documents.wording import Wording, without_markers
from attribution.model import Span

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
"""What words still count where the source seems to say the opposite: so that of two such claims the nearer one comes first."""
_MOST_NAMED = 4
_LEAST_EVIDENCE = -100.0
"""Log odds below which a probability is 0 in any case: a claim with a very long gap has more off than a number can hold."""


@dataclass(frozen=True, slots=True)
class Support:
    """What the passages have of a claim.

    ``probability`` is raw, for claims of which every second one is supported. ``passage`` is the number of the passage that has most of
    the claim, ``window`` the span of its best sentences in code points, none where no word is found. ``is_excerpt`` says that the
    passages break off, so that what is missing may stand behind their end. ``missing`` are content words that stand in no passage.
    ``opposite`` says why the source seems to say the opposite; it is empty where it does not.
    """

    probability: float
    passage: int
    window: Span | None
    is_excerpt: bool
    missing: tuple[str, ...]
    trace: str
    opposite: str = ""

    @property
    def is_supported(self) -> bool:
        """True if most of the claim's words stand in the source and it does not seem to say the opposite. Words are not support."""
        return self.probability >= LEAST_PROBABILITY


def judge_support(claim: str, passages: Sequence[str], question: str = "") -> Support:
    """Judge a claim by the passages that it cites. ``question`` is what the user asked: words from there prove little."""
    return judge_support_in(Wording(without_markers(claim)), [Wording(passage) for passage in passages], Wording(question))


def judge_support_in(claim: Wording, passages: Sequence[Wording], question: Wording, *, only_what_is_seen: bool = False) -> Support:
    """The same for texts that are asked more than once. With ``only_what_is_seen`` an excerpt's unseen rest counts for nothing."""
    if not claim.stems or not any(passage.stems for passage in passages):
        what = "there is no passage with words" if claim.stems else "the claim has no content words"
        return Support(0.0, 0, None, is_excerpt=False, missing=tuple(dict.fromkeys(claim.words)), trace=what)
    overlap = measure(claim, passages, question)
    is_excerpt = not only_what_is_seen and sum(map(_breaks_off, passages)) * 2 >= len(passages)
    evidence, opposite = _evidence(overlap, is_excerpt=is_excerpt), ""
    if otherwise := _stated_otherwise(claim, passages[overlap.passage], overlap):
        evidence, opposite = evidence - _STATED_OTHERWISE, f"it says nearly this, but {otherwise}"
    elif (opposition := find_opposition(claim, passages)).is_opposed:
        evidence, opposite = _OF_OPPOSED * evidence - _STATED_OTHERWISE - opposition.log_odds, opposition.reason
    probability = round(1 / (1 + math.exp(-max(evidence, _LEAST_EVIDENCE))), 4) if overlap.span else 0.0
    trace = opposite or _trace(overlap, is_excerpt=is_excerpt)
    return Support(probability, overlap.passage, overlap.span, is_excerpt, overlap.missing, trace, opposite)


def _stated_otherwise(claim: Wording, passage: Wording, overlap: Overlap) -> str:
    """Return how the best sentences contradict a claim that stands there nearly word for word; nothing where they do not."""
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

    Four for the best window: a claim that stands there wholly is supported, one that stands there by half is open. Six off for the
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
