"""Sentences of an answer as the clauses that can be cited apart.

A clause is cut off only where it can be understood alone: behind a semicolon, or behind a comma or dash with "and" or "but", with a subject
of its own and a verb. A sentence with a condition is one clause, because what follows the condition depends on it.
"""

from __future__ import annotations

import re
from itertools import pairwise

from attribution.documents.wording import Wording, sentences_of, trimmed
from attribution.model import Span
from attribution.text import lower

FEWEST_WORDS = 3
"""A clause with fewer content words says too little to be found anywhere."""

_BORDER = re.compile(r";\s+(?:(?:and|but)\s+)?|(?:,|\s[–—-]|—)\s+(?:and|but)\s+", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_CONDITION_WORDS = """
    although because except if provided providing since though unless until when whenever where whereas whether while
"""
_FRONT_WORDS = """
    above according after among as at before below besides between by despite during for from given in like of on per to under with within
    without
"""
_REFERRING_WORDS = """
    both each either he her hers him his it its itself neither none one other others she such that their theirs them themselves then there
    these they this those which who whose
"""
_VERB_WORDS = """
    am are is was were be been has have had do does did can cannot could may might must shall should will would
    accept accepts allow allows become becomes begin begins cause causes charge charges close closes come comes contain contains cost costs
    cover covers decrease decreases depend depends end ends get gets give gives go goes help helps include includes increase increases keep
    keeps last lasts lead leads lower lowers make makes mean means need needs offer offers open opens pay pays provide provides raise raises
    range ranges reduce reduces remain remains require requires run runs see sees show shows start starts stay stays take takes treat treats
    use uses vary varies work works
"""
_CONDITIONS = frozenset(_CONDITION_WORDS.split())
_FRONTED = frozenset(_FRONT_WORDS.split())
"""Words that begin a phrase in front of a sentence, which holds for all of it: for children under twelve, …"""
_REFERRING = frozenset(_REFERRING_WORDS.split())
"""Words in place of a subject that stands before."""
_VERBS = frozenset(_VERB_WORDS.split())
_DETERMINERS = frozenset(["a", "an", "the", "my", "your", "our", "every", "all", "some", "any", "no"])


def clauses_of(answer: str) -> list[tuple[Span, ...]]:
    """Return the clauses of each sentence of an answer, without fenced code. Together they are the sentence, but for what joins them."""
    return [_divided(answer, span) for span in sentences_of(answer)]


def _divided(answer: str, sentence: Span) -> tuple[Span, ...]:
    start = sentence[0]
    text = answer[slice(*sentence)]
    borders = [match.span() for match in _BORDER.finditer(text)]
    words = [lower(word) for word in _WORD.findall(text)] if borders else []
    if not words or words[0] in _FRONTED or not _CONDITIONS.isdisjoint(words):
        return (sentence,)
    last = (len(text), len(text))
    ends = [border for border, after in pairwise([*borders, last]) if _stands_alone(text[border[1] : after[0]])]
    pieces = [trimmed(text, before[1], after[0]) for before, after in pairwise([(0, 0), *ends, last])]
    if any(len(Wording(text[first:end]).places) < FEWEST_WORDS for first, end in pieces):
        return (sentence,)
    return tuple([(start + first, start + end) for first, end in pieces])


def _stands_alone(clause: str) -> bool:
    words = [lower(word) for word in _WORD.findall(clause)]
    if not words or words[0] in _REFERRING or words[0] in _VERBS or words[0] in _FRONTED:
        return False
    subject = 2 if words[0] in _DETERMINERS else 1
    return not _VERBS.isdisjoint(words[subject:])
