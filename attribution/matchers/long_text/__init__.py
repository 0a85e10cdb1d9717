"""Long texts: a summary, review or note counts by what the answer takes from it, sentence by sentence, in its words or in others.

All texts of a context are read together, because what tells one from another is what the others do not say.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from attribution.answer import Answer
from attribution.matchers.long_text.contest import bids_of, fewest_words, settle
from attribution.matchers.long_text.said import Said, meet, own_words
from attribution.matchers.long_text.showing import find_evidence
from attribution.matchers.long_text.statement import Statement, statement_of
from attribution.matchers.long_text.weighing import weigh
from attribution.matchers.summary import match_unexplained
from attribution.model import Evidence, FieldType
from attribution.profile import Profile

__all__ = ["LONG_TYPES", "SENTENCE_SIGNS", "explained_words", "find_long_texts", "long_elements"]

LONG_TYPES = frozenset({FieldType.SUMMARY, FieldType.FIELD_VALUE, FieldType.LIST})
SENTENCE_SIGNS = (".", "!", "?")
"""What a short text ends with that is a sentence, and therefore read as a long one."""

_EXPLAINS_NOTHING = (FieldType.BOOLEAN, FieldType.QUESTION)

_SHARE_LOOKED_AT = 0.4
"""With fewer of a text's telling words in the answer, short and repeated ones counted, enough of its longer ones cannot be there."""

_MANY_WORDS = 5
"""A text with so many of its own words in the answer explains them: no other text is what these are drawn from."""


def long_elements(value: object, summary_length: int) -> list[str]:
    """The elements of a list that are long texts."""
    elements = value if isinstance(value, list) else []
    return [each for each in elements if type(each) is str and (len(each) > summary_length or each.endswith(SENTENCE_SIGNS))]


def explained_words(found: Sequence[Evidence], answer: Answer) -> set[str]:
    """The words by which the answer states the values of fields that have been found."""
    stating = [evidence.spans for evidence in found if evidence.method not in _EXPLAINS_NOTHING]
    return {word for spans in stating for start, end in spans for word in answer.folded[start:end].split()}


def find_long_texts(texts: Sequence[str], explained: set[str], answer: Answer, profile: Profile) -> list[Evidence | None]:
    """For each text what the answer takes from it, or nothing. The words ``explained`` state the values of other fields."""
    words = own_words(answer, explained)
    wholes = list(map(statement_of, texts))
    shared = [len(words.intersection(whole.words)) for whole in wholes]
    restated = [
        match_unexplained(whole.text, whole.words, explained, answer, profile) if count and count >= _SHARE_LOOKED_AT * whole.told else None
        for whole, count in zip(wholes, shared, strict=True)
    ]
    explaining = [whole.words for whole, its in zip(wholes, restated, strict=True) if its and len(its.spans) >= _MANY_WORDS]
    if explaining:
        words = words.difference(*explaining)
        shared = [len(words.intersection(whole.words)) for whole in wholes]
    if not answer.asked and not any(map(_may_be_drawn_on, wholes, shared)):
        return restated
    paraphrased = _paraphrased(wholes, Said(answer, words, profile.vocabulary.synonyms), profile)
    return [own or other for own, other in zip(restated, paraphrased, strict=True)]


def _may_be_drawn_on(whole: Statement, shared: int) -> bool:
    """Return True if a sentence of a text may share enough words, all but one of them as they are."""
    return shared > 0 and shared >= fewest_words(_usual_length(whole)) - 1


def _usual_length(whole: Statement) -> int:
    """Return how many words a sentence of a text has that tell what it is about, if all have about as many."""
    return whole.told // (1 + whole.text.count(". "))


def _paraphrased(wholes: Sequence[Statement], said: Said, profile: Profile) -> list[Evidence | None]:
    """Return what the answer draws on in other words."""
    found: list[Evidence | None] = [None] * len(wholes)
    met = [meet(whole, said) for whole in wholes]
    open_to = [_is_candidate(whole, keys, said) for whole, keys in zip(wholes, met, strict=True)]
    wanted: set[str] = set().union(*[keys for keys, is_open in zip(met, open_to, strict=True) if is_open])
    telling = weigh(met, wanted, said, profile.vocabulary)
    bids = [bids_of(whole, keys, said, telling) if is_open else [] for whole, keys, is_open in zip(wholes, met, open_to, strict=True)]
    for number, strength, bid in settle(bids):
        found[number] = find_evidence(strength, bid, said, telling, profile)
    return found


def _is_candidate(whole: Statement, met: Collection[str], said: Said) -> bool:
    """Return True if a text may share enough with a sentence of the answer. A question states nothing: nothing can be drawn from it."""
    needed = fewest_words(_usual_length(whole)) - (0 if said.asked.isdisjoint(met) else 1)
    return len(met) >= needed and not whole.text.rstrip().endswith("?")
