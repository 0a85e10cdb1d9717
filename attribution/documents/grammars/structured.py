"""The structured grammar: citations as JSON beside the text, in the canonical form or nearly so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from attribution.budget import MOST_CHECKED, Budget
from attribution.documents import keys
from attribution.documents.citation import Grammar, Pointer, WrittenCitation
from attribution.model import Span

MOST_READ = 10_000


def cost_of_place(text: str) -> int:
    """Return the steps of looking for words in a text."""
    return 20 + len(text) // 128


class Unreadable(NamedTuple):
    """An entry that is no citation, and why."""

    place: int
    reason: str


def read_structured(entries: Sequence[Any], text: str) -> tuple[list[WrittenCitation], list[Unreadable]]:
    """The citations of a list beside ``text``, and the entries that are none.

    An entry is an object that names a source, a place in the context as a number, or ``docId:chunkId`` as text.
    """
    citations: list[WrittenCitation] = []
    unreadable: list[Unreadable] = []
    budget = Budget(MOST_CHECKED)
    for place, entry in enumerate(entries[:MOST_READ]):
        citation = read_entry(entry, text if budget.take(cost_of_place(text)) else "")
        if citation is None:
            unreadable.append(Unreadable(place, f"entry {place + 1} of the citations names no source"))
        else:
            citations.append(citation)
    return citations, unreadable


def read_entry(entry: Any, text: str) -> WrittenCitation | None:
    """One citation, if it names a source."""
    pointer = pointer_of(entry)
    if pointer is None:
        return None
    found = keys.mapping(entry)
    return WrittenCitation(
        grammar=Grammar.STRUCTURED,
        text=pointer.written,
        pointers=(pointer,),
        claim=_claim(found, text),
        quote=keys.text(found, "quote", "relevant_quote", "cited_text"),
        quote_span=span_of(keys.first(found, "span", "quote_span")),
        confidence=keys.text(found, "confidence"),
    )


def pointer_of(entry: Any) -> Pointer | None:
    """What an entry says it cites, if anything."""
    if isinstance(entry, bool) or entry is None:
        return None
    if isinstance(entry, int):
        return Pointer(str(entry), entry)
    if isinstance(entry, str):
        source, _, chunk = entry.partition(":") if "://" not in entry else (entry, "", "")
        return Pointer(entry, source=source.strip(), chunk=chunk.strip()) if source.strip() else None
    found = keys.mapping(entry)
    source = keys.text(found, "source_id", "document_id", "doc_id", "id")
    chunk = keys.text(found, "chunk_id", "chunk")
    uri = keys.text(found, "url", "uri", "path")
    title = keys.text(found, "title")
    place = keys.whole(found, "index", "number") if not (source or uri or title) else None
    if not (source or uri or title) and place is None:
        return None
    written = ":".join([part for part in (source, chunk) if part]) or uri or title or str(place)
    return Pointer(written, place, source, chunk, keys.text(found, "namespace"), uri, title)


def span_of(value: Any) -> Span | None:
    """A span written as a pair or as an object with a start and an end; nothing that is no span."""
    found = keys.mapping(value)
    start, end = (keys.whole(found, "start"), keys.whole(found, "end")) if found else _pair(value)
    return (start, end) if start is not None and end is not None and 0 <= start < end else None


def _pair(value: Any) -> tuple[int | None, int | None]:
    pair = keys.items(value)
    if len(pair) != 2 or not all(isinstance(each, int) and not isinstance(each, bool) for each in pair):
        return None, None
    return pair[0], pair[1]


def _claim(found: keys.Object, text: str) -> Span | None:
    """The place in the text that a citation says it stands for, by its words or, where these are not there, by its offsets."""
    claim = keys.text(found, "claim", "claim_text", "answer_text")
    if claim:
        return find_claim(claim, text)
    span = span_of(keys.first(found, "answer_span", "claim_span"))
    return span if span is not None and span[1] <= len(text) else None


def find_claim(claim: str, text: str) -> Span | None:
    """Where a claim stands word for word in the text."""
    wanted = claim.strip()
    start = text.find(wanted) if wanted else -1
    return (start, start + len(wanted)) if start >= 0 else None
