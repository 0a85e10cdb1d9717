"""What is said of a quote that was looked for in a passage."""

from __future__ import annotations

from dataclasses import dataclass

from attribution.model import Span, Word

LEAST_SIMILARITY = 0.85
"""A window that is less like the quote is another text, not an altered quote."""


class QuoteRule(Word):
    """What was found: the first four are verified, the others are not."""

    EXACT = "exact"
    CUT = "cut"
    SLIP = "slip"
    ELLIPSIS = "ellipsis"
    ALTERED_FIGURE = "altered_figure"
    ALTERED_NEGATION = "altered_negation"
    ALTERED_NAME = "altered_name"
    ALTERED_WORD = "altered_word"
    ABSENT = "absent"
    EMPTY = "empty"


_VERIFIED = frozenset((QuoteRule.EXACT, QuoteRule.CUT, QuoteRule.SLIP, QuoteRule.ELLIPSIS))


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """What became of a quote.

    ``similarity`` is that of the window most like the quote, between 0 and 1 by characters; ``window`` its span in the passage in code
    points, none where nothing is like it. ``trace`` says in one sentence why the quote is verified or refused.
    """

    rule: QuoteRule
    similarity: float
    window: Span | None
    trace: str

    @property
    def is_verified(self) -> bool:
        """True if the passage has these words."""
        return self.rule in _VERIFIED


def at(window: Span) -> str:
    """A window as traces name it."""
    return f"{window[0]}–{window[1]}"


def clip(text: str, most: int = 80) -> str:
    """A text on one line, shortened."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
