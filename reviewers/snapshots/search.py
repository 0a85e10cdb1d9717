"""Full-text search by the engine's own folding: case and accents do not matter, the beginning of a word is enough.

The index holds folded words without positions. Building it here rather than with a PostgreSQL text configuration keeps one idea of a
word in the product, in every language.
"""

from __future__ import annotations

from collections.abc import Mapping

from attribution import fold_words

_LONGEST_WORD = 60
_MOST_WORDS = 10_000
_MOST_TERMS = 20


def search_vector(names: Mapping[str, str], *texts: str) -> str:
    """The tsvector, as text, of a message's names and texts."""
    words = {word[:_LONGEST_WORD] for text in (*names.values(), *texts) for word in fold_words(text)[:_MOST_WORDS]}
    words.discard("")
    return " ".join([f"'{word}'" for word in sorted(words)[:_MOST_WORDS]])


def search_query(text: str) -> str:
    """The tsquery, as text, for all the words of ``text``, each taken as the beginning of a word. Empty if it has none."""
    words = [word[:_LONGEST_WORD] for word in fold_words(text) if word][:_MOST_TERMS]
    return " & ".join(f"'{word}':*" for word in dict.fromkeys(words))
