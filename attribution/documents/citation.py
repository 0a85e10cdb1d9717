"""A citation as it was made, before anything is looked up."""

from __future__ import annotations

from typing import NamedTuple

from attribution.model import Span, Word


class Grammar(Word):
    """How a citation is written."""

    NUMBERED = "numbered"
    KEYED = "keyed"
    STRUCTURED = "structured"
    CLAIMS = "claims"
    NATIVE = "native"
    LISTED = "listed"
    POST_HOC = "post_hoc"
    REPAIR = "repair"


class Pointer(NamedTuple):
    """What one part of a citation says it cites; what it does not say is empty.

    ``place`` counts documents from 1. It is a number that the model read, which documents may carry themselves, unless it
    ``is_position``: then a provider counted.
    """

    written: str
    place: int | None = None
    source: str = ""
    chunk: str = ""
    namespace: str = ""
    uri: str = ""
    title: str = ""
    is_position: bool = False


class WrittenCitation(NamedTuple):
    """A citation as it was made, before anything is looked up. Offsets are those of the raw text.

    ``raw`` is the mark in the text, which is taken out of it. ``claim`` is what the citation stands for, where it says so itself.
    ``quote`` and ``quote_span`` are what it says of the cited passage; ``confidence`` is the model's own word. ``fault`` says what is wrong
    with a place in the source or the answer that cannot be one.
    """

    grammar: Grammar
    text: str
    pointers: tuple[Pointer, ...]
    raw: Span | None = None
    claim: Span | None = None
    quote: str = ""
    quote_span: Span | None = None
    confidence: str = ""
    fault: str = ""
