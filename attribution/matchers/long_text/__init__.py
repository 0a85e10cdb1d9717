"""Long texts in other words: a summary, review or note counts by what the answer takes from it, sentence by sentence.

All texts of a context are read together, because what tells one from another is what the others do not say.
"""

from __future__ import annotations

from collections.abc import Sequence

from attribution.answer import Answer
from attribution.matchers.long_text.contest import bids_of, settle
from attribution.matchers.long_text.said import meet, read_answer
from attribution.matchers.long_text.showing import evidence_of, rule_of
from attribution.matchers.long_text.statement import statement_of
from attribution.matchers.long_text.weighing import Weights
from attribution.model import Evidence
from attribution.profile import Profile

__all__ = ["find_paraphrases"]


def find_paraphrases(texts: Sequence[str], answer: Answer, covered: set[int], profile: Profile) -> list[Evidence | None]:
    """For each text what the answer takes from it, or nothing.

    ``covered`` are the places at which the answer states the value of another field: its words are explained by that one.
    """
    said = read_answer(answer, covered, profile.vocabulary.synonyms)
    wholes = [statement_of(text) for text in texts]
    met = [meet(whole, said) for whole in wholes]
    if not any(met):
        return [None] * len(texts)
    weights = Weights(said, met, answer, profile.vocabulary)
    bids = [
        [] if whole.text.rstrip().endswith("?") else bids_of(whole, shared, said, weights, answer)
        for whole, shared in zip(wholes, met, strict=True)
    ]
    found: list[Evidence | None] = []
    for settled in settle(bids):
        rule = rule_of(settled[0], profile) if settled else ""
        found.append(evidence_of(settled[1], rule, said, weights, answer, profile) if settled and rule else None)
    return found
