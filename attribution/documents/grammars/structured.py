"""The structured grammar: citations as JSON beside the text, in the canonical form or nearly so."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from attribution import lenient_json
from attribution.budget import MOST_CHECKED, Budget
from attribution.documents.grammars.numbered import NotProse, read_numbered
from attribution.documents.references import Grammar, Pointer, WrittenCitation
from attribution.documents.removal import CleanText, parts_to_remove
from attribution.documents.resolution import SourceIndex
from attribution.model import Span

_BRACKET = re.compile(r"\[{1,2}([^\[\]\n]{1,400})\]{1,2}")
_SEPARATOR = re.compile(r"[,;]")
_PREFIX = re.compile(r"\s*(?:citation\s?:|\^)?\s*", re.IGNORECASE)
_MOST_BEHIND = 4
_MOST_MARKS = 10_000
_MOST_TRIED = 50


class Mark(NamedTuple):
    """A mark in the text, and the names of the citations it marks."""

    raw: Span
    names: tuple[str, ...]


def find_marks(text: str, names: Collection[str]) -> list[Mark]:
    """Return the marks in a text that consist of these names; those in code and links are text."""
    if not names or "[" not in text:
        return []
    found = [(match, _named(match[1], names)) for match in _BRACKET.finditer(text)]
    marks = [(match, its) for match, its in found if its and text[match.end() : match.end() + 1] not in ("(", ":")][:_MOST_MARKS]
    outside = NotProse(text) if marks else None
    return [Mark(match.span(), its) for match, its in marks if outside and not outside.hold(match.start())]


def _named(body: str, names: Collection[str]) -> tuple[str, ...]:
    parts = [_PREFIX.sub("", part, count=1).strip() for part in _SEPARATOR.split(body)]
    return tuple(parts) if all(part in names for part in parts) else ()


class Unmarked:
    """A text without marks, in which claims are looked for; claims may be written with the marks or without them."""

    def __init__(self, text: str, marks: Sequence[Mark], names: Collection[str]) -> None:
        self.length = len(text)
        self._names = names
        self._raw = text
        self._bare = CleanText(text, parts_to_remove(text, [mark.raw for mark in marks])) if marks else None

    def find(self, claim: str) -> Span | None:
        """Return where a claim stands word for word, in offsets of the text with its marks."""
        its = [mark.raw for mark in find_marks(claim, self._names)]
        wanted = CleanText(claim, parts_to_remove(claim, its)).text if its else claim
        if self._bare is None:
            return _place(wanted, self._raw)
        span = _place(wanted, self._bare.text)
        return (self._bare.raw_position(span[0]), self._bare.raw_position(span[1] - 1) + 1) if span else None


def _place(claim: str, text: str) -> Span | None:
    wanted = claim.strip()
    start = text.find(wanted) if wanted else -1
    return (start, start + len(wanted)) if start >= 0 else None


def with_marks(citations: Sequence[WrittenCitation], marks: Sequence[Mark], claimed: Collection[int] = ()) -> list[WrittenCitation]:
    """The citations with the places of their marks, and one more for each further mark.

    ``claimed`` are the places of those that mark a claim only: a mark elsewhere is another citation of the same source.
    """
    marked = list(citations)
    free: dict[str, list[int]] = {}
    for place, each in enumerate(citations):
        free.setdefault(each.text, []).append(place)
    first = {name: places[0] for name, places in free.items()}
    also = {name: each.text for each in reversed(citations) for pointer in each.pointers for name in _names_in(pointer)}
    for mark in sorted(marks):
        for name in dict.fromkeys(mark.names):
            written = name if name in first else also.get(name, "")
            if written in first:
                _put(marked, mark, first[written], free[written], claimed)
    return marked


def _names_in(pointer: Pointer) -> tuple[str, str]:
    return (pointer.source, f"{pointer.source}:{pointer.chunk}")


def _put(marked: list[WrittenCitation], mark: Mark, first: int, free: list[int], claimed: Collection[int]) -> None:
    """Give a mark to a citation that has none: to that of the claim it follows, or to one without a claim."""
    near = free[:_MOST_TRIED]
    chosen = next((place for place in near if _stands_behind(mark.raw, marked[place].claim)), None)
    if chosen is None:
        chosen = next((place for place in near if place not in claimed and marked[place].claim is None), None)
    if chosen is None:
        marked.append(marked[first]._replace(raw=mark.raw, claim=None))
    else:
        free.remove(chosen)
        marked[chosen] = marked[chosen]._replace(raw=mark.raw)


def _stands_behind(raw: Span, claim: Span | None) -> bool:
    """Return True if a mark is in a claim or directly behind it."""
    return claim is not None and claim[0] <= raw[0] <= claim[1] + _MOST_BEHIND


MOST_READ = 10_000


def cost_of_place(text: str) -> int:
    """Return the steps of looking for words in a text that looks like them everywhere."""
    return 20 + len(text) // 32


class Unreadable(NamedTuple):
    """An entry that is no citation, and why."""

    place: int
    reason: str


def read_structured(entries: Sequence[Any], text: str, index: SourceIndex) -> tuple[list[WrittenCitation], list[Unreadable]]:
    """Return the citations of a list beside ``text``, and the entries that are none.

    An entry is an object that names a source, a place in the context as a number, or ``docId:chunkId`` as text. What marks in the text
    name is the same citation as the entry: it is there once.
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
    found = lenient_json.mapping(entry)
    return WrittenCitation(
        grammar=Grammar.STRUCTURED,
        text=pointer.written,
        pointers=(pointer,),
        claim=_claim(found, text),
        quote=lenient_json.text(found, "quote", "relevant_quote", "cited_text"),
        quote_span=span_of(lenient_json.first(found, "span", "quote_span")),
        confidence=lenient_json.text(found, "confidence"),
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
    found = lenient_json.mapping(entry)
    source = lenient_json.text(found, "source_id", "document_id", "doc_id", "id")
    chunk = lenient_json.text(found, "chunk_id", "chunk")
    uri = lenient_json.text(found, "url", "uri", "path")
    title = lenient_json.text(found, "title")
    place = lenient_json.whole(found, "index", "number") if not (source or uri or title) else None
    if not (source or uri or title) and place is None:
        return None
    written = ":".join([part for part in (source, chunk) if part]) or uri or title or str(place)
    return Pointer(written, place, source, chunk, lenient_json.text(found, "namespace"), uri, title)


def pointer_of_entry(entry: Any, known: Mapping[str, object]) -> Pointer | None:
    """Return what an entry cites that may have an id of its own, beside that of its source."""
    found = lenient_json.mapping(entry)
    name = lenient_json.text(found, "id", "citation_id")
    is_named = name and lenient_json.text(found, "source_id", "source", "document_id", "doc_id", "url", "uri", "title")
    return pointer_of_named(name, found, known) if is_named else pointer_of(entry)


def pointer_of_named(name: str, entry: lenient_json.Object, known: Mapping[str, object]) -> Pointer:
    """Return what a citation means that has an id of its own: the source it names, else the one that its own id or place names."""
    plain = {key: value for key, value in entry.items() if key != "id"}
    source = lenient_json.text(entry, "source_id", "source", "document_id", "doc_id")
    pointer = pointer_of({**plain, "source_id": source}) if plain else None
    if pointer is None or (source not in known and name in known):
        return Pointer(name, int(name)) if name.isascii() and name.isdigit() and name not in known else Pointer(name, source=name)
    return pointer._replace(written=name)


def _names_of(entries: Sequence[Any], pointers: Sequence[Pointer | None]) -> dict[str, str]:
    """Return what marks may call the entries by, and how each entry is written: its own id, or source and chunk."""
    names: dict[str, str] = {}
    for entry, pointer in zip(entries, pointers, strict=False):
        if pointer is not None and (pointer.source or pointer.written):
            own = lenient_json.text(lenient_json.mapping(entry), "id", "citation_id")
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
    found = lenient_json.mapping(value)
    start, end = (lenient_json.whole(found, "start"), lenient_json.whole(found, "end")) if found else _pair(value)
    return (start, end) if start is not None and end is not None and 0 <= start < end else None


def fault_of(entry: lenient_json.Object) -> str:
    """Return what is wrong with the places that an entry names, in its source or in the answer."""
    for name, given in (
        ("span", lenient_json.first(entry, "span", "quote_span")),
        ("answer_span", lenient_json.first(entry, "answer_span", "claim_span")),
    ):
        if given is not None and span_of(given) is None:
            found = lenient_json.mapping(given)
            start, end = (lenient_json.whole(found, "start"), lenient_json.whole(found, "end")) if found else _pair(given)
            if start is None or end is None:
                return f"its {name} is no pair of whole numbers"
            return f"its {name} starts at {start} and ends at {end}"
    return ""


def _pair(value: Any) -> tuple[int | None, int | None]:
    pair = lenient_json.items(value)
    if len(pair) != 2 or not all(isinstance(each, int) and not isinstance(each, bool) for each in pair):
        return None, None
    return pair[0], pair[1]


def _claim(found: lenient_json.Object, text: Unmarked) -> Span | None:
    """Return the place in the text that a citation says it supports, by its words or, where these are not there, by its offsets."""
    claim = lenient_json.text(found, "claim", "claim_text", "answer_text")
    if claim:
        return text.find(claim)
    span = span_of(lenient_json.first(found, "answer_span", "claim_span"))
    return span if span is not None and span[1] <= text.length else None
