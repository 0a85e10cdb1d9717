"""Replaces what tells of whom a text is, and keeps track of where everything else is now."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

REMOVED = "[removed]"

Replacement = tuple[int, int, str]
"""From where to where, in code points, and what stands there now."""

_MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?)\.?"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:19|20)\d\d"
_FLAGS = re.IGNORECASE | re.ASCII
_FOUR = re.compile(_YEAR)

PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"[a-z0-9._%+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,6}", _FLAGS), "[e-mail]"),
    (re.compile(r"(?:https?://|www\.)[^\s<>\"')\]]{1,2000}", _FLAGS), "[address]"),
    (re.compile(rf"(?<!\d){_YEAR}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{{1,9}})?)?(?:Z|[+-]\d\d:?\d\d)?)?", _FLAGS), "[date]"),
    (re.compile(r"(?<![\d/])\d{1,2}/\d{1,2}/(?:\d{4}|\d{2})(?![\d/])", _FLAGS), "[date]"),
    (re.compile(r"(?<![\d.])\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})(?![\d.])", _FLAGS), "[date]"),
    (re.compile(rf"(?<!\w){_MONTHS} {_DAY}(?:,? {_YEAR})?(?!\w)", _FLAGS), "[date]"),
    (re.compile(rf"(?<!\w){_DAY} (?:of )?{_MONTHS}(?:,? {_YEAR})?(?!\w)", _FLAGS), "[date]"),
    (re.compile(r"(?<!\d)\d{1,3}(?:\.\d{1,3}){3}(?!\d)", _FLAGS), "[address]"),
    (re.compile(r"(?<!\w)\d{3}-\d{2}-\d{4}(?!\w)", _FLAGS), "[number]"),
    (re.compile(r"(?<!\w)(?:\+\d{1,3}[ .-]?)?(?:\(\d{2,4}\)|\d{2,4})[ .-]\d{3}[ .-]?\d{2,4}(?:[ .-]?\d{2,4})?(?!\w)", _FLAGS), "[phone]"),
    (re.compile(r"(?<!\w)\d{7,20}(?!\w)", _FLAGS), "[number]"),
    (
        re.compile(
            r"(?<!\w)\d{1,5} (?:[A-Z][a-z]{1,30} ){1,3}"
            r"(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Boulevard|Blvd|Way|Court|Ct|Place|Pl)(?!\w)",
            re.ASCII,
        ),
        "[address]",
    ),
    (re.compile(r"(?<!\w)[A-Z]{2} \d{5}(?:-\d{4})?(?!\w)", re.ASCII), "[postal code]"),
    (re.compile(r"(?<!\w)(?:9\d|1[0-4]\d)(?=[ -]years?[ -]old(?!\w))", _FLAGS), "90 or more"),
)
"""What identifies by its shape alone; of a date the year stays."""


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
    """Replaces values that a record is known to hold, and what looks like an identifier."""

    def __init__(self, known: Mapping[str, str]) -> None:
        """``known`` are texts, folded, with what stands in their place."""
        self._known = known
        longest_first = sorted(known, key=len, reverse=True)
        self._pattern = re.compile(r"(?<!\w)(?:" + "|".join(map(_spaced, longest_first)) + r")(?!\w)", re.IGNORECASE) if known else None

    def replace(self, text: str) -> Replaced:
        """The text without them. Of what overlaps the longest says what stands there."""
        if not text:
            return Replaced(text, (), ())
        return _apply(text, _merged([*self._found(text), *_shaped(text)]))

    def _found(self, text: str) -> Iterable[Replacement]:
        for match in self._pattern.finditer(text) if self._pattern else ():
            yield match.start(), match.end(), self._known.get(folded(match.group()), REMOVED)


def folded(text: str) -> str:
    """A text as it is looked up: in one case, its white space single."""
    return " ".join(text.casefold().split())


def _spaced(text: str) -> str:
    return r"\s+".join(map(re.escape, text.split()))


def _shaped(text: str) -> Iterable[Replacement]:
    for pattern, instead in PATTERNS:
        for match in pattern.finditer(text):
            year = _FOUR.search(match.group()) if instead == "[date]" else None
            yield match.start(), match.end(), year.group() if year else instead


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
