"""What a citation in the text stands for: the words of its sentence before it, back to the citation before."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from attribution.model import Span
from attribution.segmentation import clause_ends

_FEWEST_WORDS = 3
_FEWEST_SIGNS = 6
_FARTHEST = 2_000
_MOST_SIGNS = 80
_MOST_FLOORS = 4
_STOPS = " \t\r\n.!?,;:。！？，；："
_CLOSING = _STOPS + ")]\"'”’*_"
_ENDS = frozenset(".!?\n。！？")
_EASTERN_END = re.compile("[。！？]")
_OPENING = re.compile(r"[ \t\r\n]*(?:(?:[-*+•>]|\d{1,3}[.)]|#{1,6})[ \t]+)*[*_]{0,3}[,;:.!?)\]–—-]*[ \t]*")


class Sentences:
    """Where the sentences of a text end; lines end them too."""

    __slots__ = ("ends", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        ends = [end for end in clause_ends(text) if text[end - 1] in ".!?\n"]
        self.ends = ends if text.isascii() else sorted({*ends, *[found.end() for found in _EASTERN_END.finditer(text)]})

    def start_before(self, offset: int) -> int:
        """Return where the sentence begins that goes on at ``offset``."""
        place = bisect_left(self.ends, offset)
        return max(self.ends[place - 1] if place else 0, offset - _FARTHEST)

    def end_behind(self, offset: int) -> int:
        """Return where that sentence ends."""
        place = bisect_right(self.ends, offset)
        end = self.ends[place] if place < len(self.ends) else len(self.text)
        return min(end, offset + _FARTHEST)


def claims_before(text: str, positions: Sequence[int]) -> list[Span | None]:
    """For each position in ``text``, in order, the span of the claim that a mark there stands behind."""
    sentences = Sentences(text)
    claims: list[Span | None] = []
    floors = [0]
    for place, position in enumerate(positions):
        if place and position == positions[place - 1]:
            claims.append(claims[-1])
            continue
        claims.append(_claim(sentences, position, floors[-_MOST_FLOORS:]))
        floors.append(position)
    return claims


def _claim(sentences: Sentences, position: int, floors: Sequence[int]) -> Span | None:
    """The words before in the sentence, back to the mark before; where they are too few to say anything, more of the sentence.

    ``floors`` are the places of the last marks before.
    """
    text = sentences.text
    if _is_subject(text, position):
        return _trimmed(text, position, sentences.end_behind(position))
    earliest = max(0, position - _MOST_SIGNS)
    last = earliest + len(text[earliest:position].rstrip(_CLOSING))
    start = sentences.start_before(last)
    before: Span | None = None
    for floor in reversed([floor for floor in floors if floor < last] or [start]):
        before = _trimmed(text, max(start, floor), position)
        if floor <= start or (before is not None and _has_enough_words(text[slice(*before)])):
            break
    if before is None or _has_enough_words(text[slice(*before)]) or floors[-1] > start or not _ENDS.isdisjoint(text[last:position]):
        return before
    return _trimmed(text, start, sentences.end_behind(position))


def _is_subject(text: str, position: int) -> bool:
    """Return True if the mark begins a sentence: first on its line, or between a full stop and a small letter (``[2] says …``)."""
    behind = text[max(0, position - 8) : position].rpartition("\n")
    ahead = text[position : position + 80].lstrip(" \t\r*_")[:1]
    begins_line = (behind[1] != "" or position <= 8) and not behind[2].strip(" \t-*+•>")
    return (begins_line and ahead not in ("", "\n")) or (behind[2].rstrip()[-1:] in tuple(".!?") and ahead.islower())


def _has_enough_words(claim: str) -> bool:
    """Return True if a claim says something; Chinese and Japanese set no spaces."""
    return len(claim.split(None, _FEWEST_WORDS)) >= _FEWEST_WORDS or (len(claim) >= _FEWEST_SIGNS and claim[-1] > "\u2e80")


def _trimmed(text: str, start: int, end: int) -> Span | None:
    """Without bullets, stops and spaces at either side; nothing if nothing is left."""
    begin = _OPENING.match(text, start, end)
    start = begin.end() if begin else start
    end = start + len(text[start:end].rstrip(_STOPS + "*_"))
    return (start, end) if start < end else None
