"""The clause a marker stands behind: what the model says it took from the field."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from attribution.answer import Answer
from attribution.model import Span

_FARTHEST = 400
_FEWEST_WORDS = 3
_ENDING = ".!?,:; \n\t\r"


def claim_before(answer: Answer, position: int, floor: int) -> Span | None:
    """The clause that ends at ``position``, not reaching back over ``floor``, where the marker before stands.

    The marker may stand behind the full stop. A clause of one or two words is taken with the one before it, within the sentence.
    """
    text, ends = answer.text, answer.clause_ends
    earliest = max(0, position - _FARTHEST)
    end = earliest + len(text[earliest:position].rstrip(_ENDING))
    if end <= earliest:
        return None
    earliest = max(earliest, floor if floor < end else 0)
    last_word = bisect_left(answer.starts, end)
    clause = bisect_right(ends, end - 1)
    start = max(earliest, ends[clause - 1] if clause else 0)
    while start > earliest and last_word - bisect_left(answer.starts, start) < _FEWEST_WORDS and text[start - 1] in ",:–—-":
        clause -= 1
        start = max(earliest, ends[clause - 1] if clause else 0)
    start = end - len(text[start:end].lstrip())
    return (start, end) if start < end else None
