"""The keyed grammar: ``[citation:docId:chunkId]``. Document ids hold no colon; chunk ids may."""

from __future__ import annotations

import re
from typing import NamedTuple

from attribution.documents.citation import Grammar, Pointer, WrittenCitation
from attribution.documents.grammars.numbered import NotProse

_LONGEST = 512
_SHOWN = 40
_MOST_REPORTED = 100
_KEYED = re.compile(rf"\[\s?citation\s?:([^\[\]\n]{{1,{_LONGEST}}})\]", re.IGNORECASE)
_BEGUN = re.compile(r"\[\s?citation\s?:", re.IGNORECASE)
_ANOTHER = re.compile(r"\s?[,;]\s?citation\s?:", re.IGNORECASE)


class KeyedCitations(NamedTuple):
    """The citations of an answer in their order, and the beginnings of those that were not written to the end."""

    citations: list[WrittenCitation]
    malformed: list[str]


def read_keyed(text: str) -> KeyedCitations:
    """The keyed citations of an answer; those in code are text. What only begins like one stays in the text and is reported."""
    begun = [match.start() for match in _BEGUN.finditer(text)]
    if not begun:
        return KeyedCitations([], [])
    outside = NotProse(text)
    found = [match for match in _KEYED.finditer(text) if not outside.hold(match.start())]
    whole = {match.start() for match in found}
    cut = [start for start in begun if start not in whole and not outside.hold(start)]
    return KeyedCitations(
        [WrittenCitation(Grammar.KEYED, match[0], tuple(map(_pointer, _ANOTHER.split(match[1]))), match.span()) for match in found],
        [
            f"‘{' '.join(text[start : start + _SHOWN].split())}’ begins a citation that is not written to the end"
            for start in cut[:_MOST_REPORTED]
        ],
    )


def _pointer(written: str) -> Pointer:
    source, _, chunk = written.partition(":")
    return Pointer(written.strip(), source=source.strip(), chunk=chunk.strip())
