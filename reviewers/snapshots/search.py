"""Full-text search with the engine's own folding: case and accents do not matter, and the beginning of a word matches.

The index holds folded words without positions. Building it here rather than with a PostgreSQL text configuration keeps one definition of a
word in the product, in every language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from attribution import fold_words

_LONGEST_WORD = 60
_MOST_WORDS = 10_000
_MOST_TERMS = 20
_WIDEST_CHARACTER = 4
_LARGEST_VECTOR = 1_000_000
"""Bytes of the words in an index; PostgreSQL stores at most 1,048,575."""


def search_vector(names: Mapping[str, str], *texts: str) -> str:
    """Return the tsvector, as text, of a turn's names and texts. If they are too long their beginning is indexed."""
    words: dict[str, None] = {}
    for text in (*names.values(), *texts):
        words |= dict.fromkeys(fold_words(text)[:_MOST_WORDS])
    if max(map(len, words), default=0) > _LONGEST_WORD:
        words = dict.fromkeys([word[:_LONGEST_WORD] for word in words])
    if len(words) > _MOST_WORDS or sum(map(len, words)) * _WIDEST_CHARACTER > _LARGEST_VECTOR:
        words = dict.fromkeys(_beginning(words))
    return " ".join([f"'{word}'" for word in words])


def _beginning(words: Iterable[str]) -> Iterator[str]:
    size = 0
    for word in islice(words, _MOST_WORDS):
        size += len(word.encode())
        if size > _LARGEST_VECTOR:
            return
        yield word


def search_query(text: str) -> str:
    """Return the tsquery, as text, for all the words of ``text`` as beginnings of words. Empty if it has none."""
    words = [word[:_LONGEST_WORD] for word in fold_words(text) if word][:_MOST_TERMS]
    return " & ".join(f"'{word}':*" for word in dict.fromkeys(words))
