"""Clean text: the answer without its markers and without the single space before each; nothing else changes."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.markers.grammar import LONGEST_MARKER, UNFINISHED_MARKER, WrittenMarker, find_markers


def clean(text: str, markers: Sequence[WrittenMarker]) -> tuple[str, list[int]]:
    """The clean text, and for each marker its position in it."""
    kept: list[str] = []
    positions: list[int] = []
    length = begin = 0
    for marker in markers:
        end = marker.raw[0]
        if end > begin and text[end - 1] == " ":
            end -= 1
        kept.append(text[begin:end])
        length += end - begin
        positions.append(length)
        begin = marker.raw[1]
    kept.append(text[begin:])
    return "".join(kept), positions


def strip(text: str) -> str:
    """The clean text alone."""
    return _strip_all(text) if "[[" in text else text


class Stripper:
    """Strips markers from an answer that arrives in pieces.

    ``feed`` yields what is safe to show at once; at most one possible marker and the space before it is held back. The pieces
    joined, with ``finish()`` at the end, equal ``strip`` of the whole text, however it was cut.
    """

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = ""

    def feed(self, delta: str) -> str:
        """Take the next piece; return what can be shown now."""
        text = self._held + delta
        unfinished = UNFINISHED_MARKER.search(text, max(0, len(text) - LONGEST_MARKER - 1))
        cut = unfinished.start() if unfinished else len(text)
        self._held = text[cut:]
        return _strip_all(text[:cut])

    def finish(self) -> str:
        """The answer has ended; return what was held back."""
        held, self._held = self._held, ""
        return _strip_all(held)


def _strip_all(text: str) -> str:
    return clean(text, find_markers(text))[0]
