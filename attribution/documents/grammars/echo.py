"""Marks that an answer copied with the words around them: the document's own references, not the model's citations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attribution.documents.citation import WrittenCitation
from attribution.documents.grammars.bracket import find_brackets

_WORDS_BEFORE = 24
_FEWEST_BEFORE = 12
_HIGHEST = 999


def without_echoes(
    raw: str, citations: Sequence[WrittenCitation], passages: Iterable[str]
) -> tuple[list[WrittenCitation], list[WrittenCitation]]:
    """The citations that are the model's own, and those that stand in a passage just so, with the same words before them."""
    ends = [(each, _end(raw, each.raw[0], each.raw[1])) for each in citations if each.raw is not None]
    if not ends:
        return list(citations), []
    copied = {
        end for passage in passages if "[" in passage for found in find_brackets(passage, _HIGHEST) if (end := _end(passage, *found.raw))
    }
    if not copied:
        return list(citations), []
    return [each for each, end in ends if end not in copied], [each for each, end in ends if end in copied]


def _end(text: str, start: int, end: int) -> str:
    """A mark with the words before it; empty where there are too few to tell."""
    before = max(0, start - _WORDS_BEFORE)
    return text[before:end] if start - before >= _FEWEST_BEFORE else ""
