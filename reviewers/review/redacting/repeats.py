"""Whether words that are to be redacted stand in another text as well: a run of them, or all of a shorter text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

RUN = 4
"""So many words in a row are taken for a repetition."""

_FEWEST_LETTERS = 4
_WORD = re.compile(r"\w+")

Words = tuple[str, ...]


class Sought:
    """Texts that are to go, ready to be looked for in many others. A text of fewer words has to stand in the other as a whole."""

    def __init__(self, texts: Iterable[str]) -> None:
        read = [_words(text) for text in texts]
        self._runs = {length: {run for words in read for run in _runs(words, length)} for length in range(1, RUN + 1)}
        self._short = {words for words in read if len(words) < RUN and _tells(words)}

    def stands_in(self, texts: Iterable[str]) -> bool:
        """Whether one of these repeats some of it."""
        return any(self._stands_in(_words(text)) for text in texts)

    def _stands_in(self, words: Words) -> bool:
        length = min(RUN, len(words))
        if _tells(words) and any(run in self._runs[length] for run in _runs(words, length)):
            return True
        return any(short in set(_runs(words, len(short))) for short in self._short)


def _tells(words: Words) -> bool:
    """Whether it is more than a figure or a particle."""
    return sum(map(len, words)) >= _FEWEST_LETTERS


def _words(text: str) -> Words:
    return tuple(_WORD.findall(text.casefold()))


def _runs(words: Words, length: int) -> Iterator[Words]:
    return (words[start : start + length] for start in range(len(words) - length + 1))
