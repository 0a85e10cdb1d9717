"""The numbered grammar: ``[1]`` is the first document of the context. Years, indices, links, definitions and code are text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from attribution.budget import MOST_POINTERS
from attribution.documents.grammars.brackets import Bracket, Reading, find_brackets, read
from attribution.documents.references import Grammar, Pointer, WrittenCitation
from attribution.documents.removal import merged
from attribution.markers.quotations import code_ranges
from attribution.model import Span

_DEFINITION = re.compile(r"^[ \t]{0,3}\[(\^?[^\[\]\n]{1,80})\]:", re.MULTILINE)
_MATRIX = re.compile(r"\[\s{0,9}\[[0-9,.;\s–-]{1,200}\](?:\s{0,9},\s{0,9}\[[0-9,.;\s–-]{1,200}\])+\s{0,9}\]")
_ONLY_NUMBERS_ALONE = re.compile(r"[\[\],\s]*(?:\[\d{1,2}\][\[\],\s]*)+")
_DASHES = ("-", "‐", "‑", "–", "—")
"""``[1]–[3]`` is a range as well."""
_LINE_START = re.compile(r"[ \t]{0,9}(?:[-*+•>][ \t]{1,4}){0,2}(?:\*\*|__)?\Z")
_NEW_SENTENCE = re.compile(r"(?:\*\*|__)?[ \t:.–—-]*[\"'“‘(*_]*[A-Z0-9]")


def read_numbered(text: str, count: int) -> list[WrittenCitation]:
    """The numbered citations of an answer that was given ``count`` documents, in their order.

    No more are made than point to ``MOST_POINTERS`` documents together, and one that is beyond that.
    """
    brackets = list(find_brackets(text, count)) if any(sign in text for sign in "[［【") else []
    if not brackets:
        return []
    readings = _readings(text, brackets)
    accepted = [bracket for bracket, reading in zip(brackets, readings, strict=True) if reading is Reading.CITATION]
    kept = _without_enumeration(text, accepted)
    made: list[WrittenCitation] = []
    pointers = 0
    for before, bracket in zip([None, *kept], kept, strict=False):
        if pointers > MOST_POINTERS:
            break
        made.append(_citation(text, bracket, before))
        pointers += len(made[-1].pointers)
    return made


def _citation(text: str, bracket: Bracket, before: Bracket | None) -> WrittenCitation:
    numbers = bracket.numbers
    if before is not None and bracket.is_single and before.is_single and text[before.raw[1] : bracket.raw[0]] in _DASHES:
        numbers = list(range(before.parts[0][0] + 1, numbers[0])) + numbers
    pointers = tuple([Pointer(str(number), number) for number in numbers])
    return WrittenCitation(Grammar.NUMBERED, text[slice(*bracket.raw)], pointers, bracket.raw)


def _readings(text: str, brackets: Sequence[Bracket]) -> list[Reading]:
    """Return how each reads; where it cannot be told by the place alone, it reads as the others of the answer are written."""
    outside = NotProse(text)
    definitions = frozenset(_DEFINITION.findall(text)) if "]:" in text else frozenset()
    readings: list[Reading] = []
    before: Span = (-1, -1)
    for bracket in brackets:
        was_text = bool(readings) and before[1] == bracket.raw[0] and readings[-1] is Reading.TEXT
        readings.append(Reading.TEXT if outside.hold(bracket.raw[0]) else read(text, bracket, definitions, was_text))
        before = bracket.raw
    if Reading.UNSURE not in readings:
        return readings
    decided = Reading.TEXT if _stand_after_spaces(text, brackets, readings) else Reading.CITATION
    return [decided if reading is Reading.UNSURE else reading for reading in readings]


def _stand_after_spaces(text: str, brackets: Sequence[Bracket], readings: Sequence[Reading]) -> bool:
    """Return True if the answer's sure citations are set off by a space."""
    starts = [bracket.raw[0] for bracket, reading in zip(brackets, readings, strict=True) if reading is Reading.CITATION]
    return any(start and text[start - 1] == " " for start in starts)


class NotProse:
    """Where brackets are never citations: code, tags, definitions of links and footnotes, rows of numbers."""

    def __init__(self, text: str) -> None:
        parts = code_ranges(text)
        if "]:" in text:
            parts += [match.span() for match in _DEFINITION.finditer(text)]
        if "[[" in text or "[ [" in text:
            parts += [match.span() for match in _MATRIX.finditer(text) if not _ONLY_NUMBERS_ALONE.fullmatch(match[0])]
        self._parts = merged(parts)
        self._starts = [start for start, _ in self._parts]

    def hold(self, offset: int) -> bool:
        """Return True if an offset stands in such a part."""
        before = bisect_right(self._starts, offset) - 1
        return before >= 0 and offset < self._parts[before][1]


def _without_enumeration(text: str, brackets: Sequence[Bracket]) -> list[Bracket]:
    """Leaves out numbers that count lines: ``[1] Call the clinic``, ``[2] Ask for an appointment``."""
    counting = [bracket for bracket in brackets if _begins_line(text, bracket)]
    if len(counting) < 2 or [each.parts[0][0] for each in counting] != list(range(1, len(counting) + 1)):
        return list(brackets)
    left_out = {bracket.raw for bracket in counting}
    return [bracket for bracket in brackets if bracket.raw not in left_out]


def _begins_line(text: str, bracket: Bracket) -> bool:
    start, end = bracket.raw
    line = text.rfind("\n", max(0, start - 24), start) + 1
    if bracket.is_labelled or not bracket.is_single or (line == 0 and start > 24) or _LINE_START.fullmatch(text[line:start]) is None:
        return False
    return _NEW_SENTENCE.match(text, end) is not None


_LONGEST = 512
_SHOWN = 40
_MOST_REPORTED = 100
_KEYED = re.compile(rf"\[\s?citation\s?:([^\[\]\n]{{1,{_LONGEST}}})\]", re.IGNORECASE)
_BEGUN = re.compile(r"\[\s?citation\s?:", re.IGNORECASE)
_ANOTHER = re.compile(r"\s?[,;]\s?citation\s?:", re.IGNORECASE)


class KeyedCitations(NamedTuple):
    """The citations of an answer in their order, and the beginnings of those that were not written to the end."""

    citations: list[WrittenCitation]
    malformed: list[str]


def read_keyed(text: str) -> KeyedCitations:
    """The keyed citations of an answer; those in code are text. What only begins like one stays in the text and is reported."""
    begun = [match.start() for match in _BEGUN.finditer(text)]
    if not begun:
        return KeyedCitations([], [])
    outside = NotProse(text)
    found = [match for match in _KEYED.finditer(text) if not outside.hold(match.start())]
    whole = {match.start() for match in found}
    cut = [start for start in begun if start not in whole and not outside.hold(start)]
    return KeyedCitations(
        [WrittenCitation(Grammar.KEYED, match[0], tuple(map(_pointer, _ANOTHER.split(match[1]))), match.span()) for match in found],
        [
            f"‘{' '.join(text[start : start + _SHOWN].split())}’ begins a citation that is not written to the end"
            for start in cut[:_MOST_REPORTED]
        ],
    )


def _pointer(written: str) -> Pointer:
    source, _, chunk = written.partition(":")
    return Pointer(written.strip(), source=source.strip(), chunk=chunk.strip())
