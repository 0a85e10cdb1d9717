"""Long texts in other words: a summary, review or note counts by what the answer takes from it, sentence by sentence.

All texts of a context are read together, because what tells one from another is what the others do not say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized

from attribution.answer import Answer
from attribution.matchers.long_text.contest import bids_of, settle
from attribution.matchers.long_text.said import Said, meet
from attribution.matchers.long_text.showing import find_evidence
from attribution.matchers.long_text.statement import Statement, statement_of
from attribution.matchers.long_text.weighing import weigh
from attribution.matchers.summary import match_unexplained
from attribution.model import Evidence
from attribution.profile import Profile

_A_FEW = 3
"""Of three words one has to be met for more than half of them to be in the answer."""

__all__ = ["find_long_texts"]


def find_long_texts(texts: Sequence[str], covered: set[int], answer: Answer, profile: Profile) -> list[Evidence | None]:
    """For each text what the answer takes from it, or nothing.

    ``covered`` are the places at which the answer states the value of another field: its words are explained by that one.
    """
    said = Said(answer, covered, profile.vocabulary.synonyms)
    wholes = [statement_of(text) for text in texts]
    met = [meet(whole, said) for whole in wholes]
    if not any(met):
        return [None] * len(texts)
    restated = _restated(wholes, met, covered, answer, profile)
    paraphrased = _paraphrased(wholes, met, said, profile)
    return [_surer(*each) for each in zip(restated, paraphrased, strict=True)]


def _restated(
    wholes: Sequence[Statement], met: Sequence[Sized], covered: set[int], answer: Answer, profile: Profile
) -> list[Evidence | None]:
    """Texts whose own words stand in the answer for the most part; those with few words in common are not looked at."""
    explained = {answer.words[place] for place in covered}
    explained -= {word for word in explained if not covered.issuperset(answer.places[word])}
    return [
        match_unexplained(whole.text, explained, answer, profile) if len(shared) * _A_FEW >= len(whole.content) else None
        for whole, shared in zip(wholes, met, strict=True)
    ]


def _paraphrased(
    wholes: Sequence[Statement], met: Sequence[Mapping[str, str]], said: Said, profile: Profile
) -> list[Evidence | None]:
    telling = weigh(met, said, profile.vocabulary)
    bids = [
        [] if whole.text.rstrip().endswith("?") else bids_of(whole, shared, said, telling)
        for whole, shared in zip(wholes, met, strict=True)
    ]
    return [settled and find_evidence(*settled, said, telling, profile) for settled in settle(bids)]


def _surer(restated: Evidence | None, paraphrased: Evidence | None) -> Evidence | None:
    if restated and paraphrased:
        return restated if restated.score >= paraphrased.score else paraphrased
    return restated or paraphrased
