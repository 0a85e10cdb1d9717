"""The structured grammar: citations as JSON beside the text, in the canonical form or nearly so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from attribution.budget import MOST_CHECKED, Budget
from attribution.documents import keys
from attribution.documents.citation import Grammar, Pointer, WrittenCitation
from attribution.documents.grammars.inline import Mark, Unmarked, find_marks, with_marks
from attribution.documents.grammars.numbered import read_numbered
from attribution.documents.resolution import SourceIndex
from attribution.model import Span

MOST_READ = 10_000


def cost_of_place(text: str) -> int:
    """Return the steps of looking for words in a text."""
    return 20 + len(text) // 128


class Unreadable(NamedTuple):
    """An entry that is no citation, and why."""

    place: int
    reason: str


def read_structured(entries: Sequence[Any], text: str, index: SourceIndex) -> tuple[list[WrittenCitation], list[Unreadable]]:
    """Return the citations of a list beside ``text``, and the entries that are none.

    An entry is an object that names a source, a place in the context as a number, or ``docId:chunkId`` as text. What marks in the text
    name is the same citation as the entry: it stands there once.
    """
    citations: list[WrittenCitation] = []
    unreadable: list[Unreadable] = []
    budget = Budget(MOST_CHECKED)
    pointers = [pointer_of_entry(entry, index.known) for entry in entries[:MOST_READ]]
    names = _names_of(entries, pointers)
    marks = find_marks(text, names)
    unmarked, unread = Unmarked(text, marks, names), Unmarked("", (), ())
    for place, (entry, pointer) in enumerate(zip(entries, pointers, strict=False)):
        if pointer is None:
            unreadable.append(Unreadable(place, f"entry {place + 1} of the citations names no source"))
        else:
            citations.append(_citation(entry, pointer, unmarked if budget.take(cost_of_place(text)) else unread))
    return with_marks(citations, [*marks, *_numbers(text, citations, marks, index)]), unreadable


def _citation(entry: Any, pointer: Pointer, text: Unmarked) -> WrittenCitation:
    """One citation that names a source."""
    found = keys.mapping(entry)
    return WrittenCitation(
        grammar=Grammar.STRUCTURED,
        text=pointer.written,
        pointers=(pointer,),
        claim=_claim(found, text),
        quote=keys.text(found, "quote", "relevant_quote", "cited_text"),
        quote_span=span_of(keys.first(found, "span", "quote_span")),
        confidence=keys.text(found, "confidence"),
        fault=fault_of(found),
    )


def pointer_of(entry: Any) -> Pointer | None:
    """Return what an entry says it cites, if anything."""
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


def pointer_of_entry(entry: Any, known: Mapping[str, object]) -> Pointer | None:
    """Return what an entry cites that may have an id of its own, beside that of its source."""
    found = keys.mapping(entry)
    name = keys.text(found, "id", "citation_id")
    is_named = name and keys.text(found, "source_id", "source", "document_id", "doc_id", "url", "uri", "title")
    return pointer_of_named(name, found, known) if is_named else pointer_of(entry)


def pointer_of_named(name: str, entry: keys.Object, known: Mapping[str, object]) -> Pointer:
    """Return what a citation means that has an id of its own: the source it names, else the one that its own id or place names."""
    plain = {key: value for key, value in entry.items() if key != "id"}
    source = keys.text(entry, "source_id", "source", "document_id", "doc_id")
    pointer = pointer_of({**plain, "source_id": source}) if plain else None
    if pointer is None or (source not in known and name in known):
        return Pointer(name, int(name)) if name.isascii() and name.isdigit() and name not in known else Pointer(name, source=name)
    return pointer._replace(written=name)


def _names_of(entries: Sequence[Any], pointers: Sequence[Pointer | None]) -> dict[str, str]:
    """Return what marks may call the entries by, and how each entry is written: its own id, or source and chunk."""
    names: dict[str, str] = {}
    for entry, pointer in zip(entries, pointers, strict=False):
        if pointer is not None and (pointer.source or pointer.written):
            own = keys.text(keys.mapping(entry), "id", "citation_id")
            for name in (own, pointer.written, f"{pointer.source}:{pointer.chunk}" if pointer.chunk else pointer.source):
                if name:
                    names.setdefault(name, pointer.written)
    return names


def _numbers(text: str, citations: Sequence[WrittenCitation], marks: Sequence[Mark], index: SourceIndex) -> list[Mark]:
    """Return numbers in the text whose documents the entries name: one citation, written twice."""
    if not citations or "[" not in text:
        return []
    by_source = {
        source.id: each.text for each in reversed(citations) if (source := index.resolve(each.pointers[0], each.quote).source) is not None
    }
    taken = {mark.raw for mark in marks}
    found: list[Mark] = []
    for each in read_numbered(text, len(index.places)):
        sources = [index.resolve(pointer).source for pointer in each.pointers]
        names = [by_source.get(source.id, "") if source else "" for source in sources]
        if each.raw is not None and each.raw not in taken and names and all(names):
            found.append(Mark(each.raw, tuple(names)))
    return found


def span_of(value: Any) -> Span | None:
    """A span written as a pair or as an object with a start and an end; nothing that is no span."""
    found = keys.mapping(value)
    start, end = (keys.whole(found, "start"), keys.whole(found, "end")) if found else _pair(value)
    return (start, end) if start is not None and end is not None and 0 <= start < end else None


def fault_of(entry: keys.Object) -> str:
    """Return what is wrong with the places that an entry names, in its source or in the answer."""
    for name, given in (("span", keys.first(entry, "span", "quote_span")), ("answer_span", keys.first(entry, "answer_span", "claim_span"))):
        if given is not None and span_of(given) is None:
            found = keys.mapping(given)
            start, end = (keys.whole(found, "start"), keys.whole(found, "end")) if found else _pair(given)
            if start is None or end is None:
                return f"its {name} is no pair of whole numbers"
            return f"its {name} starts at {start} and ends at {end}"
    return ""


def _pair(value: Any) -> tuple[int | None, int | None]:
    pair = keys.items(value)
    if len(pair) != 2 or not all(isinstance(each, int) and not isinstance(each, bool) for each in pair):
        return None, None
    return pair[0], pair[1]


def _claim(found: keys.Object, text: Unmarked) -> Span | None:
    """The place in the text that a citation says it stands for, by its words or, where these are not there, by its offsets."""
    claim = keys.text(found, "claim", "claim_text", "answer_text")
    if claim:
        return text.find(claim)
    span = span_of(keys.first(found, "answer_span", "claim_span"))
    return span if span is not None and span[1] <= text.length else None
