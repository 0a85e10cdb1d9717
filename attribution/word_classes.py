"""Makes closed classes of words from how they are written down: as a text, the words of it in any order."""

from __future__ import annotations

from attribution.text import stem


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def stems(text: str) -> frozenset[str]:
    """The stems of the words of a text."""
    return frozenset(map(stem, text.split()))
