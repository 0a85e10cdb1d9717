"""Replaces what tells of whom a text is, and keeps track of where everything else is now."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from reviewers.reports.least.shapes import Replacement, find_shapes

REMOVED = "[removed]"

_TOKEN = re.compile(r"\w+|[^\w\s]")
_MOST_TOKENS = 200
_Words: TypeAlias = dict[str, "str | _Words"]
"""Known values by their words; under the empty word, what stands in the place of the value that ends here."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """A text after replacements. Whatever touches one is widened to all of it."""

    text: str
    befores: tuple[tuple[int, int], ...]
    afters: tuple[tuple[int, int], ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a part is now."""
        return (self._moved(start, is_end=False), self._moved(end, is_end=True)) if end > start else (self.place(start),) * 2

    def place(self, position: int) -> int:
        """Where a position is now: behind a replacement that it stood in."""
        return self._moved(position, is_end=True)

    def _moved(self, position: int, *, is_end: bool) -> int:
        number = bisect_left(self.befores, position, key=_end) if is_end else bisect_right(self.befores, position, key=_end)
        if number < len(self.befores):
            start, end = self.befores[number]
            if start < position <= end if is_end else start <= position < end:
                return self.afters[number][1] if is_end else self.afters[number][0]
        return position + (self.afters[number - 1][1] - self.befores[number - 1][1] if number else 0)


def _end(span: tuple[int, int]) -> int:
    return span[1]


class Replacer:
    """Replaces values that a record is known to hold, and what looks like an identifier.

    Known values are looked up word by word, so that a text takes the same time whatever number of them there is.
    """

    def __init__(self, known: Mapping[str, str], year: int | None = None) -> None:
        """``known`` are texts, folded, with what stands in their place; ``year`` is that of the texts."""
        self._year = year
        self._known: _Words = {}
        for text, instead in known.items():
            words = _TOKEN.findall(text)
            if any(word.isalnum() for word in words):
                _plant(self._known, words, instead)

    def replace(self, text: str) -> Replaced:
        """The text without them. Of what overlaps the longest says what stands there."""
        if not text:
            return Replaced(text, (), ())
        return _apply(text, _merged([*self._found(text), *find_shapes(text, self._year)]))

    def _found(self, text: str) -> Iterator[Replacement]:
        """The longest known value at each place, and none within it."""
        tokens = [(match.start(), match.end(), match.group().casefold()) for match in _TOKEN.finditer(text)] if self._known else []
        position = 0
        while position < len(tokens):
            count, instead = _longest(self._known, tokens, position)
            if count:
                yield tokens[position][0], tokens[position + count - 1][1], instead
            position += count or 1


def _plant(words: _Words, text: Iterable[str], instead: str) -> None:
    for word in text:
        words = words.setdefault(word.casefold(), {})  # type: ignore[assignment]
    words[""] = instead


def _longest(words: _Words, tokens: Sequence[tuple[int, int, str]], position: int) -> tuple[int, str]:
    """Of how many tokens the longest known value here is, and what stands in its place."""
    longest = (0, "")
    for count, (_, _, word) in enumerate(islice(tokens, position, position + _MOST_TOKENS), 1):
        found = words.get(word)
        if not isinstance(found, dict):
            break
        words = found
        if isinstance(instead := words.get(""), str):
            longest = (count, instead)
    return longest


def folded(text: str) -> str:
    """A text as it is looked up: in one case, its white space single."""
    return " ".join(text.casefold().split())


def _merged(found: Iterable[Replacement]) -> list[Replacement]:
    """One in the place of several that overlap, over all of them: a name in an address does not leave the rest of the address."""
    merged: list[Replacement] = []
    longest = 0
    for start, end, instead in sorted(found, key=lambda each: each[:2]):
        if merged and start < merged[-1][1]:
            is_longer = end - start > longest
            longest = max(longest, end - start)
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]), instead if is_longer else merged[-1][2])
        else:
            merged.append((start, end, instead))
            longest = end - start
    return merged


def _apply(text: str, replacements: Iterable[Replacement]) -> Replaced:
    pieces: list[str] = []
    befores: list[tuple[int, int]] = []
    afters: list[tuple[int, int]] = []
    begin = length = 0
    for start, end, instead in replacements:
        pieces += (text[begin:start], instead)
        length += start - begin
        befores.append((start, end))
        afters.append((length, length + len(instead)))
        length += len(instead)
        begin = end
    return Replaced("".join([*pieces, text[begin:]]), tuple(befores), tuple(afters))
