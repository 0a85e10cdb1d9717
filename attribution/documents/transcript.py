"""A text as quotes are compared: its words, figures and meaningful signs, without case, accents, spacing and punctuation."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from attribution.figures import MOST_PLACES
from attribution.lexicon.words import TITLES
from attribution.model import Span
from attribution.text import JOINER, fold, lower

_MARKS = "\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufeff"
"""Accents and invisible characters inside a word."""
_LETTER = rf"[^\W_]|[{_MARKS}]"
_TOKEN = re.compile(
    rf"(?:{_LETTER})+(?:(?:['’ʼ`](?!s\b)|(?<=\d)[.,:/](?=\d))(?:{_LETTER})+)*"
    r"|[%‰$€£¥°]"
    r"|[<>≤≥=±+~](?=\s?\d)"
    r"|[-−–](?=\d)"
)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_MINUS = "-−–"
SIGNS = frozenset("-<>≤≥±+~")
"""Signs that change the figure they stand before: a quote must not leave them out."""

_SENTENCE_ENDS = frozenset(".!?:\n")
_BETWEEN_FIGURES = "\x1f"
"""Keeps 1 and 2 apart from 12 where spacing is not looked at."""


class Transcript:
    """The tokens of a text, each with its span, and the same as one line, with and without spaces between them."""

    __slots__ = ("_places", "_starts", "_tight", "_tight_starts", "line", "spans", "text", "tokens")

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[str] = []
        self.spans: list[Span] = []
        for match in _TOKEN.finditer(lower(text)):
            token = _compared(match.group())
            if token in _MINUS:
                if self._ends_with_figure():
                    continue  # a dash between two figures, not a sign before the second
                token = _MINUS[0]
            if token:
                self.tokens.append(token)
                self.spans.append(match.span())
        self.line, self._starts = _joined(self.tokens, " ")
        self._tight: str | None = None
        self._tight_starts: list[int] = []
        self._places: dict[str, list[int]] | None = None

    @property
    def places(self) -> dict[str, list[int]]:
        """The places of each token, at most ``MOST_PLACES``: looked up by each text that is aligned with this one."""
        if self._places is None:
            self._places = _places_of(self.tokens)
        return self._places

    def _ends_with_figure(self) -> bool:
        return bool(self.tokens) and self.tokens[-1][-1].isdigit()

    @property
    def tight(self) -> str:
        """All tokens without spaces between them, but for two figures."""
        if self._tight is None:
            self._tight, self._tight_starts = _joined(self.tokens, "")
        return self._tight

    def offsets_behind(self, offset: int) -> tuple[int, int]:
        """Return where in ``line`` and in ``tight`` the tokens begin that stand at or behind an offset of the text."""
        if not offset:
            return 0, 0
        place = bisect_left(self.spans, (offset, 0))
        if place >= len(self.spans):
            return len(self.line), len(self.tight)
        return self._starts[place] - 1, (self.tight and self._tight_starts[place]) or 0

    def tokens_between(self, start: int, end: int) -> list[str]:
        """The tokens that begin between two offsets of the text."""
        return self.tokens[bisect_left(self.spans, (start, 0)) : bisect_left(self.spans, (end, 0))]

    def place(self, offset: int) -> int:
        """The token that begins or stands at an offset of ``line``."""
        return bisect_right(self._starts, offset) - 1

    def tight_place(self, offset: int) -> tuple[int, int]:
        """The token that stands at an offset of ``tight``, and how many of its characters are before that."""
        place = bisect_right(self._tight_starts, offset) - 1
        return place, offset - self._tight_starts[place]

    def span(self, first: int, last: int) -> Span:
        """The span in the text from one token to another, both included."""
        return (self.spans[first][0], self.spans[last][1])

    def written(self, place: int) -> str:
        """A token as the text has it."""
        start, end = self.spans[place]
        return self.text[start:end]

    def begins_sentence(self, place: int) -> bool:
        """Return True if a token stands at the beginning or behind what ends a sentence: there a capital means nothing."""
        if not place:
            return True
        before = self.text[self.spans[place - 1][1] : self.spans[place][0]]
        return self.tokens[place - 1] not in TITLES and not _SENTENCE_ENDS.isdisjoint(before)


def _compared(token: str) -> str:
    """Without accents, apostrophes and invisible characters; a figure without commas between its thousands."""
    if token[0].isdigit() and _THOUSANDS.fullmatch(token):
        return token.replace(",", "")
    if token.isalnum() and token.isascii():
        return token
    if token[0].isdigit() or len(token) == 1:
        return token
    return fold(token).replace(JOINER, "").replace(" ", "") or token


def _places_of(tokens: list[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, token in enumerate(tokens):
        found = places.setdefault(token, [])
        if len(found) < MOST_PLACES:
            found.append(place)
    return places


def _joined(tokens: list[str], between: str) -> tuple[str, list[int]]:
    """The tokens as one line, with a space at both ends where there are spaces between, and the offset of each."""
    parts = [between]
    starts = []
    length = len(between)
    before = ""
    for token in tokens:
        gap = _BETWEEN_FIGURES if not between and before[-1:].isdigit() and token[0].isdigit() else ""
        starts.append(length + len(gap))
        parts += (gap, token, between)
        length += len(gap) + len(token) + len(between)
        before = token
    return "".join(parts), starts
