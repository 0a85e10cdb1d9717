"""A text of the context as what it states: its sentences, and the words by which each can be recognised."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from attribution.matchers.long_text.words import EMPTY
from attribution.model import new
from attribution.remembering import LONGEST_KEPT, remembered
from attribution.segmentation import clause_ends
from attribution.text import fold_words, stem

_SENTENCE_SIGNS = ".!?\n"


class Statement(NamedTuple):
    """A sentence or a whole text, with the stems of the words that tell what it is about."""

    text: str
    content: frozenset[str]

    @property
    def words(self) -> list[str]:
        """The stems of all its words, in their order."""
        return list(map(stem, fold_words(self.text)))


def statement_of(text: str) -> Statement:
    """A text as one statement."""
    return _remembered(text) if len(text) <= LONGEST_KEPT else _read(text)


def _read(text: str) -> Statement:
    return new(Statement, (text, frozenset(map(stem, fold_words(text))) - EMPTY))


_remembered = remembered(_read)


def statements_of(whole: Statement) -> list[Statement]:
    """The sentences of a text; of a text that is one sentence itself."""
    text = whole.text
    ends = [end for end in clause_ends(text) if text[end - 1] in _SENTENCE_SIGNS]
    if not ends or (len(ends) == 1 and not text[ends[0] :].strip()):
        return [whole]
    edges = [0, *ends, len(text)]
    sentences = [text[start:end].strip() for start, end in pairwise(edges)]
    return [statement_of(sentence) for sentence in sentences if sentence]
