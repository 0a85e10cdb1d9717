"""Limit how much of one turn is read: counted in characters, fields, sources and steps, never in seconds.

Within these bounds the work for a turn is bounded as well, whatever is in it. What exceeds them is not refused: it is left out, and
a finding says so. An ordinary turn is far below all of them. The same turn is always cut at the same place.
"""

from __future__ import annotations

MOST_ANSWER = 100_000
"""Characters of an answer."""
MOST_FIELDS = 5_000
"""Fields of a context."""
MOST_NAMES = 600_000
"""Characters of their paths and names together, each name counted by what it costs to understand it."""
MOST_STEPS = 150_000
"""Steps of comparing fields with an answer: a step is a place looked at."""
MOST_SOURCES = 2_000
"""Documents, and as many results of tools."""
MOST_POINTERS = 5_000
"""Sources that the citations in an answer's text point to, each counted as often as it is cited."""
MOST_CHECKED = 1_000_000
"""Steps of checking citations against their sources: about one for a character that is read."""
MOST_TOLD = 2_000_000
"""Characters of what citations say, and of what is said of them: each of very many may repeat the same long text."""

_FREE_NAME, _PER_CHARACTER = 24, 16
_BREAKS = (" ", "\n", "\t")
_LONGEST_PIECE = 400
_OPENING, _CLOSING = "[[", "]]"


class Budget:
    """Steps that may be taken. What is asked for is granted or not at all; what was not granted is counted."""

    __slots__ = ("left", "refused")

    def __init__(self, steps: int) -> None:
        self.left = steps
        self.refused = 0

    def take(self, steps: int) -> bool:
        """Take steps if there are as many left."""
        if steps > self.left:
            self.refused += 1
            return False
        self.left -= steps
        return True


def cost_of_name(name: str) -> int:
    """Return the steps of understanding a field's name: a long one has many words, each of which may be one of several things."""
    return len(name) + _PER_CHARACTER * max(0, min(len(name), 200) - _FREE_NAME)


def cost_of_value(value: object) -> int:
    """Return the steps of comparing a value with an answer, apart from the places at which it is found."""
    if isinstance(value, str):
        return 1 + len(value)
    return sum([2 + len(each) if isinstance(each, str) else 2 for each in value]) if isinstance(value, list) else 1


def cost_of_figures(text: str) -> int:
    """Return the steps of reading the figures and names of a text: a digit may be part of several figures."""
    return len(text) // 2 + 14 * sum([text.count(digit) for digit in "0123456789"])


def part_read(answer: str) -> str:
    """Return the beginning of an answer that is read: all of it but for a very long one, which is cut between words and not in a marker."""
    if len(answer) <= MOST_ANSWER:
        return answer
    earliest = MOST_ANSWER - _LONGEST_PIECE
    end = max([answer.rfind(sign, earliest, MOST_ANSWER) for sign in _BREAKS])
    end = end if end >= 0 else MOST_ANSWER
    opened = answer.rfind(_OPENING, earliest, end)
    return answer[:opened] if opened > answer.rfind(_CLOSING, earliest, end) else answer[:end]
