"""Puts a provider's citations into the text of the answer that was kept, which may not be the provider's letter by letter."""

from __future__ import annotations

from attribution.budget import MOST_CHECKED, Budget
from attribution.documents.citation import WrittenCitation
from attribution.documents.native.reading import NativeAnswer
from attribution.documents.units import nearest
from attribution.model import Span


def anchored(answer: NativeAnswer, raw: str) -> tuple[list[WrittenCitation], list[str]]:
    """The citations with their spans in ``raw``, and what is said of those whose words do not stand there."""
    if raw == answer.text:
        return answer.citations, []
    places = _Places(answer.text, raw)
    placed: list[WrittenCitation] = []
    lost: list[str] = []
    for citation in answer.citations:
        spans = [(span, places.find(span)) for span in (citation.claim, citation.raw) if span is not None]
        lost += [f"‘{_clipped(answer.text, old)}’ does not stand in the answer that was kept" for old, new in spans if new is None]
        moved = citation._replace(
            claim=places.find(citation.claim) if citation.claim else None,
            raw=places.find(citation.raw) if citation.raw else None,
        )
        placed.append(moved)
    return placed, lost


class _Places:
    """Where words of one text stand in another; line ends may differ."""

    def __init__(self, text: str, raw: str) -> None:
        self._text = text
        self._raw = raw
        self._backwards = raw[::-1]
        self._budget = Budget(MOST_CHECKED)
        self._known: dict[Span, Span | None] = {}

    def find(self, span: Span) -> Span | None:
        if span not in self._known:
            cost = 20 + (len(self._raw) + span[1] - span[0]) // 32
            self._known[span] = self._search(span) if self._budget.take(cost) else None
        return self._known[span]

    def _search(self, span: Span) -> Span | None:
        words = self._text[slice(*span)]
        expected = span[0] * len(self._raw) // max(1, len(self._text))
        for variant in dict.fromkeys((words, words.replace("\r\n", "\n"), words.replace("\n", "\r\n"), words.strip())):
            found = nearest(self._raw, self._backwards, variant, expected) if variant else None
            if found:
                return found
        return None


def _clipped(text: str, span: Span) -> str:
    return text[slice(*span)] if span[1] - span[0] <= 80 else text[span[0] : span[0] + 79] + "…"
