"""A text of the context as what it states: its sentences, and the words by which each can be recognised."""

from __future__ import annotations

from itertools import pairwise

from attribution.matchers.long_text.words import EMPTY, EMPTY_WORDS
from attribution.remembering import LONGEST_KEPT, remembered
from attribution.segmentation import clause_ends
from attribution.text import fold_words, stem

_SENTENCE_SIGNS = ".!?\n"


class Statement:
    """A sentence or a whole text. ``words`` are all of it, folded; what else is known of it is worked out when asked for."""

    __slots__ = ("_content", "_told", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = fold_words(text)
        self._told = -1
        self._content: frozenset[str] | None = None

    @property
    def told(self) -> int:
        """How many of its words tell what it is about."""
        if self._told < 0:
            self._told = len(self.words) - sum(map(EMPTY_WORDS.__contains__, self.words))
        return self._told

    @property
    def content(self) -> frozenset[str]:
        """The stems of the words that tell what it is about."""
        if self._content is None:
            self._content = frozenset(map(stem, frozenset(self.words) - EMPTY_WORDS)) - EMPTY
        return self._content

    @property
    def stems(self) -> list[str]:
        """The stems of all its words, in their order."""
        return list(map(stem, self.words))


def statement_of(text: str) -> Statement:
    """A text as one statement."""
    return _remembered(text) if len(text) <= LONGEST_KEPT else Statement(text)


_remembered = remembered(Statement)


def statements_of(whole: Statement) -> list[Statement]:
    """The sentences of a text; of a text that is one sentence itself."""
    text = whole.text
    ends = [end for end in clause_ends(text) if text[end - 1] in _SENTENCE_SIGNS]
    if not ends or (len(ends) == 1 and not text[ends[0] :].strip()):
        return [whole]
    edges = [0, *ends, len(text)]
    sentences = [text[start:end].strip() for start, end in pairwise(edges)]
    return [statement_of(sentence) for sentence in sentences if sentence]
