"""Cuts an answer into the pieces that a page shows: paragraphs of text, each piece with the rows that are visible in it.

Spans of different rows overlap in any way, so the text is cut at every edge, and each piece names all rows over it. Footnotes stand
between pieces.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, ClassVar

from attribution import (
    Attribution,
    DocumentAttribution,
    Evidence,
    FieldAttribution,
    FieldSpans,
    Marker,
    MarkerStatus,
    Reference,
    ReferenceStatus,
    Span,
)

_PARAGRAPH_END = re.compile(r"\n{2,}")
_HEADING = re.compile(r"(#{1,6})[ \t]+")
_MOST_MARKS = 4_000
_MOST_OVER_ONE_PIECE = 12
"""How many marks are drawn, and how many over one place: an answer of a hundred thousand markers stays a page."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text with the same rows over it. ``kinds`` are of ``_KINDS``; ``rows`` all numbers, ``matched`` those found.

    ``cited`` are the citations of documents that stand for it.
    """

    text: str
    kinds: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    matched: tuple[int, ...] = ()
    anchors: tuple[int, ...] = ()
    cited: tuple[int, ...] = ()

    target: ClassVar[str] = ""
    """It leads to no source, and no marker stood there: a page asks that of every part."""
    status: ClassVar[str] = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A marker's place: a footnote, or where one was dropped and why."""

    number: int | None
    status: str
    row: int | None
    detail: str
    is_first: bool
    order: int
    field: str = ""

    target: ClassVar[str] = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph; ``level`` is 0 for text and 1 to 6 for a heading."""

    level: int
    parts: Sequence[Any] = field(default_factory=tuple)


Layer = tuple[int, int, str, int]
"""Start, end, kind, row; of what stands for a source the citation."""

Placed = tuple[int, int, Any]
"""Position in the clean text, order among the notes there, note."""

NO_ROW = -1
_KINDS = ("cited", "matched", "contradicted", "malformed", "sourced", "unfounded")


def lay_out(attribution: Attribution, layers: Iterable[Layer] = (), notes: Iterable[Placed] = ()) -> list[Paragraph]:
    """The answer in paragraphs, cut in one sweep over the edges of everything that is to be seen in it.

    ``layers`` and ``notes`` are seen in it besides the attribution's own.
    """
    text = attribution.clean_text
    drawn = sorted([*_layers(attribution), *layers])[:_MOST_MARKS]
    placed = _by_position([*_notes(attribution), *notes])
    edges = sorted({*placed, *(edge for start, end, _, _ in drawn for edge in (start, end))})
    sweep = _Sweep(drawn)
    return [_paragraph(text, span, edges, placed, sweep) for span in _paragraphs(text, placed)]


class _Sweep:
    """The layers over an offset, asked for offsets that only grow. ``anchored`` are the rows that were met already."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        self._waiting = list(reversed(layers))
        self._over: list[Layer] = []
        self.anchored: set[int] = {NO_ROW}

    def over(self, offset: int) -> list[Layer]:
        while self._waiting and self._waiting[-1][0] <= offset:
            self._over.append(self._waiting.pop())
        self._over = [layer for layer in self._over if layer[1] > offset]
        return self._over


def _paragraphs(text: str, notes: Collection[int]) -> Iterator[Span]:
    """What stands between empty lines, and a paragraph without text wherever a note stands among them."""
    start = 0
    for gap in _PARAGRAPH_END.finditer(text):
        if gap.start() > start:
            yield start, gap.start()
        yield from ((note, note) for note in range(gap.start(), gap.end()) if note in notes and _is_apart(note, gap, start))
        start = gap.end()
    if start < len(text) or start in notes:
        yield start, len(text)


def _is_apart(note: int, gap: re.Match[str], start: int) -> bool:
    """Whether no paragraph ends where a note stands in a gap behind a paragraph that began at ``start``."""
    return note > gap.start() or gap.start() == start


def _layers(attribution: Attribution) -> Iterator[Layer]:
    for number, row in enumerate(attribution.fields):
        if row.evidence:
            yield from ((start, end, "matched", number) for start, end in row.evidence.spans)
        yield from ((start, end, "cited", number) for start, end in row.claims)
        if row.contradiction:
            yield from ((start, end, "contradicted", number) for start, end in row.contradiction.spans)
    for marker in attribution.markers:
        if marker.status is MarkerStatus.MALFORMED:
            yield marker.position, marker.position + len(marker.text), "malformed", NO_ROW


def _notes(attribution: Attribution) -> Iterator[Placed]:
    """The notes of markers. Malformed ones stand in the text and have none."""
    rows = {(row.field.section, row.field.path): number for number, row in enumerate(attribution.fields)}
    seen: set[int] = set()
    for order, marker in enumerate(attribution.markers[:_MOST_MARKS]):
        if marker.status is not MarkerStatus.MALFORMED:
            yield marker.position, marker.raw[0], _note(marker, rows, seen, order)


def _by_position(placed: Iterable[Placed]) -> dict[int, list[Any]]:
    table: dict[int, list[Any]] = {}
    for position, _, note in sorted(placed, key=lambda each: each[:2]):
        table.setdefault(position, []).append(note)
    return table


def _note(marker: Marker, rows: dict[tuple[str, str], int], seen: set[int], order: int) -> Note:
    is_first = marker.footnote is not None and marker.footnote not in seen
    if marker.footnote is not None:
        seen.add(marker.footnote)
    row = rows.get((marker.section, marker.path)) if marker.section is not None and marker.path is not None else None
    field = f"{marker.section}, {marker.path}" if row is not None else ""
    return Note(marker.footnote, marker.status.value, row, marker.detail, is_first, order, field)


def _paragraph(text: str, span: Span, edges: Sequence[int], notes: dict[int, list[Any]], sweep: _Sweep) -> Paragraph:
    start, end = span
    heading = _HEADING.match(text, start, end)
    level = len(heading[1]) if heading and "\n" not in text[start:end] else 0
    cuts = [start, *edges[bisect_right(edges, start) : bisect_left(edges, end)], end] if end > start else [start]
    parts: list[Any] = []
    for begin, stop in pairwise(cuts):
        parts += notes.get(begin, ())
        parts.append(_piece(text, begin, stop, sweep))
    parts += notes.get(end, ())
    return Paragraph(level, parts)


def _piece(text: str, begin: int, stop: int, sweep: _Sweep) -> Piece:
    """Every row has an anchor where it is first seen, even where so many rows are seen that not all of them are drawn."""
    over = sweep.over(begin)
    anchors = tuple(sorted({row for _, _, kind, row in over if kind != "sourced"} - sweep.anchored))
    sweep.anchored.update(anchors)
    over = over[:_MOST_OVER_ONE_PIECE]
    rows = tuple(sorted({row for _, _, kind, row in over if kind != "sourced"} - {NO_ROW}))
    cited = tuple(sorted({row for _, _, kind, row in over if kind == "sourced"}))
    kinds = tuple(kind for kind in _KINDS if any(layer[2] == kind for layer in over))
    matched = tuple(sorted({row for _, _, kind, row in over if kind in ("matched", "contradicted")}))
    return Piece(text[begin:stop], kinds, rows, matched, anchors, cited)


# Fields and documents in one text: markers and citations are both out of it, and their footnotes are counted together.


BESIDE = 1 << 60
"""Where a citation stands among others at its place that has no mark in the raw text: behind those that have one."""


@dataclass(frozen=True, slots=True)
class MergedText:
    """An attribution to fields, moved into the text without any citations; ``numbers`` are the footnotes of cited sources by their ids.

    Where there are no documents nothing is moved: then ``footnotes`` and ``spans``, which tell how fields' ones were, are nothing.
    """

    attribution: Attribution
    numbers: Mapping[str, int]
    footnotes: Mapping[int, int] | None = None
    spans: FieldSpans | None = field(default=None, compare=False)

    def number(self, footnote: int | None) -> int | None:
        """The number that a field's footnote has here."""
        return footnote if footnote is None or self.footnotes is None else self.footnotes.get(footnote)

    def places(self, spans: Iterable[Span]) -> Iterable[Span]:
        """Where spans of the attribution stand here."""
        return spans if self.spans is None else _moved(spans, self.spans)


def merge_texts(attribution: Attribution, documents: DocumentAttribution) -> MergedText:
    """Both attributions of an answer over its text without markers and citations, footnotes numbered as they are first met in it.

    Those that were found afterwards are numbered behind all others, so that none of these ever changes its number.
    """
    spans = FieldSpans(documents.raw_text, documents.removed)
    markers = [each._replace(position=spans.moved((each.position, each.position))[0]) for each in attribution.markers]
    fields, numbers = _number(markers, documents.references)
    moved = replace(
        attribution,
        clean_text=documents.clean_text,
        fields=tuple([_moved_row(row, spans, fields) for row in attribution.fields]),
        markers=tuple([_moved_marker(marker, spans, fields) for marker in markers]),
    )
    return MergedText(moved, numbers, fields, spans)


def _number(markers: Iterable[Marker], references: Iterable[Reference]) -> tuple[dict[int, int], dict[str, int]]:
    """New numbers of the fields' footnotes, and numbers of sources."""
    fields: dict[int, int] = {}
    sources: dict[str, int] = {}
    for _, _, _, footnote, names in sorted([*_marked(markers), *_cited(references)]):
        if footnote:
            fields.setdefault(footnote, len(fields) + len(sources) + 1)
        for name in names:
            sources.setdefault(name, len(fields) + len(sources) + 1)
    return fields, sources


Place = tuple[bool, int, int, int, tuple[str, ...]]
"""Whether it was found afterwards; position in the clean text, then in the raw one; a field's footnote or 0; the ids of sources."""


def _marked(markers: Iterable[Marker]) -> Iterator[Place]:
    return ((False, each.position, each.raw[0], each.footnote, ()) for each in markers if each.footnote is not None)


def _cited(references: Iterable[Reference]) -> Iterator[Place]:
    return (
        (each.status is ReferenceStatus.FOUND, each.position, each.raw[0] if each.raw else BESIDE + each.ordinal, 0, each.sources)
        for each in references
        if each.position is not None
    )


def _moved_marker(marker: Marker, spans: FieldSpans, fields: Mapping[int, int]) -> Marker:
    return marker._replace(
        claim=spans.moved(marker.claim) if marker.claim else None,
        footnote=fields[marker.footnote] if marker.footnote is not None else None,
    )


def _moved_row(row: FieldAttribution, spans: FieldSpans, fields: Mapping[int, int]) -> FieldAttribution:
    return row._replace(
        footnote=fields.get(row.footnote) if row.footnote is not None else None,
        claims=_moved(row.claims, spans),
        evidence=_moved_evidence(row.evidence, spans),
        contradiction=replace(row.contradiction, spans=_moved(row.contradiction.spans, spans)) if row.contradiction else None,
    )


def _moved_evidence(evidence: Evidence | None, spans: FieldSpans) -> Evidence | None:
    return evidence._replace(spans=_moved(evidence.spans, spans)) if evidence else None


def _moved(several: Iterable[Span], spans: FieldSpans) -> tuple[Span, ...]:
    """The spans in the text, those left out that stood in nothing but a citation, such as a list of sources at the end."""
    moved = [spans.moved(span) for span in several]
    return tuple([span for span in moved if span[0] < span[1]])
