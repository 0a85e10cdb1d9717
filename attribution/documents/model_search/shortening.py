"""How much of an answer and its sources a model is shown: bounded, cut where sentences end, and said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from attribution.documents.rendering import shares
from attribution.segmentation import clause_ends

LONGEST_ANSWER = 30_000
LONGEST_PASSAGE = 12_000
LONGEST_TOGETHER = 100_000
"""So many code points of all sources."""
MOST_PASSAGES = 100
"""The first of those that have a text."""
_FEWEST = 80
"""Of a passage for which there is less room than this nothing is shown."""


class Shortened(NamedTuple):
    """What is shown: the beginning of the answer, and the beginnings of passages by their numbers from 1; ``note`` says what is not."""

    answer: str
    passages: Mapping[int, str]
    note: str


def shorten(answer: str, passages: Sequence[str]) -> Shortened:
    """Short passages stay whole, and what they leave goes to the longer ones. One without a text is not shown and not spoken of."""
    readable = {number: text for number, text in enumerate(passages, start=1) if text.strip()}
    chosen = dict(list(readable.items())[:MOST_PASSAGES])
    rooms = shares([min(len(text), LONGEST_PASSAGE) for text in chosen.values()], LONGEST_TOGETHER)
    cut = {number: cut_text(text, room) for (number, text), room in zip(chosen.items(), rooms, strict=True)}
    shown = {number: text for number, text in cut.items() if text}
    beginning = cut_text(answer, LONGEST_ANSWER)
    return Shortened(beginning, shown, "; ".join(_notes(answer, beginning, readable, shown)))


def cut_text(text: str, room: int) -> str:
    """The beginning of a text that fits, up to the end of a sentence if one ends in its second half, otherwise of a word."""
    if len(text) <= room:
        return text
    if room < _FEWEST:
        return ""
    ends = [end for end in clause_ends(text[: room + 1]) if end <= room and text[end - 1] in ".!?\n"]
    if ends and ends[-1] * 2 >= room:
        return text[: ends[-1]]
    return text[:room].rpartition(" ")[0] or text[:room]


def _notes(answer: str, beginning: str, readable: Mapping[int, str], shown: Mapping[int, str]) -> list[str]:
    cut = sum([len(text) < len(readable[number]) for number, text in shown.items()])
    left_out = len(readable) - len(shown)
    notes = [f"the answer cut after {len(beginning)} of {len(answer)} characters"] if len(beginning) < len(answer) else []
    notes += [f"{cut} of {len(readable)} sources cut"] if cut else []
    return notes + ([f"{left_out} of {len(readable)} sources left out"] if left_out else [])
