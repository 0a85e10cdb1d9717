"""Where claims stand in an answer, word for word."""

from __future__ import annotations

from collections.abc import Iterator

from attribution.model import Span

_MOST_PLACES = 100
"""So many places of a claim are looked at."""


class Places:
    """Where claims stand in an answer: each is looked for once, and never inside another word of Latin letters or figures."""

    def __init__(self, answer: str) -> None:
        self._answer = answer
        self._spans: dict[str, list[Span]] = {}
        self._taken: dict[tuple[str, int], int] = {}

    def of(self, claim: str) -> list[Span]:
        """The places of a claim, from the beginning of the answer."""
        if claim not in self._spans:
            self._spans[claim] = [(start, start + len(claim)) for start in self._starts(claim)]
        return self._spans[claim]

    def next_free(self, claim: str, number: int) -> Span | None:
        """The first place of a claim that was not yet taken for a source."""
        taken = self._taken.get((claim, number), 0)
        self._taken[claim, number] = taken + 1
        spans = self.of(claim)
        return spans[taken] if taken < len(spans) else None

    def _starts(self, claim: str) -> Iterator[int]:
        start = -1
        for _ in range(_MOST_PLACES):
            start = self._answer.find(claim, start + 1)
            if start < 0:
                return
            if not self._cuts_word(start) and not self._cuts_word(start + len(claim)):
                yield start
                start += len(claim) - 1

    def _cuts_word(self, place: int) -> bool:
        """Return True if a word goes on at a place; only words of letters that are written with spaces between them."""
        around = self._answer[max(0, place - 1) : place + 1]
        return len(around) == 2 and around.isascii() and around.isalnum()
