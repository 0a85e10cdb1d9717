"""The keyed grammar: ``[citation:docId:chunkId]``. Document ids hold no colon; chunk ids may."""

from __future__ import annotations

import re

from attribution.documents.grammars.numbered import NotProse
from attribution.documents.model import Grammar, Pointer, WrittenCitation

_LONGEST = 512
_KEYED = re.compile(rf"\[\s?citation\s?:([^\[\]\n]{{1,{_LONGEST}}})\]", re.IGNORECASE)
_ANOTHER = re.compile(r"\s?[,;]\s?citation\s?:", re.IGNORECASE)


def read_keyed(text: str) -> list[WrittenCitation]:
    """The keyed citations of an answer, in their order; those in code are text."""
    found = list(_KEYED.finditer(text))
    if not found:
        return []
    outside = NotProse(text)
    return [
        WrittenCitation(Grammar.KEYED, match[0], tuple(map(_pointer, _ANOTHER.split(match[1]))), match.span())
        for match in found
        if not outside.hold(match.start())
    ]


def _pointer(written: str) -> Pointer:
    source, _, chunk = written.partition(":")
    return Pointer(written.strip(), source=source.strip(), chunk=chunk.strip())
