"""Remembers what a function makes of short texts: words of answers, values and names of fields come back again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

MOST_KEPT = 16_384
LONGEST_KEPT = 80


def remembered(make: Callable[[str], T]) -> Callable[[str], T]:
    """``make``, asked once for each text of up to ``LONGEST_KEPT`` characters.

    Looked up in half the time of ``functools.lru_cache``, and bounded in bytes as well, which counts where texts may be hostile:
    longer ones are never kept, and of others twice ``MOST_KEPT`` at most.
    """
    return _Memory(make).__getitem__


class _Memory(dict[str, T]):
    """Two generations: what is not asked for while as many other texts come as one of them holds is forgotten."""

    __slots__ = ("_make", "_older")

    def __init__(self, make: Callable[[str], T]) -> None:
        self._make = make
        self._older: dict[str, T] = {}

    def __missing__(self, text: str) -> T:
        older = self._older
        made = older[text] if text in older else self._make(text)
        if len(text) <= LONGEST_KEPT:
            if len(self) >= MOST_KEPT:
                self._older = dict(self)
                self.clear()
            self[text] = made
        return made
