"""Lays an answer out in paragraphs, cut into pieces with the rows that are visible in each.

Spans of different rows overlap in any way, so the text is cut at every edge, and each piece names all rows over it. Footnotes lie between
pieces. Where there are documents, markers and citations are both removed from the text and their footnotes are numbered together.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
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
from reviewers.review.page.markdown import styles_of

_PARAGRAPH_END = re.compile(r"\n{2,}")
_HEADING = re.compile(r"(#{1,6})[ \t]+")
_MOST_MARKS = 4_000
_MOST_OVER_ONE_PIECE = 12
"""Limits on the marks that are drawn in all and over one place, for answers with very many markers."""

MOST_PARAGRAPHS = 2_000
"""The rest of an answer of more paragraphs is one more, in which empty lines stand as they were written."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text with the same rows over it.

    ``kinds`` are some of ``_KINDS``. ``rows`` are the numbers of all rows over it, ``matched`` of those found there, ``anchors`` of those
    first seen there. ``cited`` are the citations of documents for it. ``styles`` say how it is drawn, as emphasis or code. ``claims`` are
    the unsupported claims that begin with it.
    """

    text: str
    kinds: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    matched: tuple[int, ...] = ()
    anchors: tuple[int, ...] = ()
    cited: tuple[int, ...] = ()
    styles: tuple[str, ...] = ()
    claims: tuple[int, ...] = ()

    target: ClassVar[str] = ""
    """Empty: a piece of text leads to no source and has no marker. The page reads these of every part."""
    status: ClassVar[str] = ""


@dataclass(frozen=True, slots=True)
class MarkerNote:
    """The place of a marker: a footnote, or a dropped marker with the reason."""

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
    """A paragraph. ``level`` is 0 for text and 1 to 6 for a heading."""

    level: int
    parts: Sequence[Any] = field(default_factory=tuple)


Layer = tuple[int, int, str, int]
"""Start, end, kind, and the number of the row or, for the kinds ``sourced`` and ``reported``, of the citation or the claim."""

Placed = tuple[int, int, Any]
"""Position in the clean text, order among the notes there, note."""

NO_ROW = -1
REPORTED = "reported"
"""The kind of a layer over words that are not in the record, as a reviewer says. Its number is that of the claim."""
FLAGGED = "flagged"
"""The kind of a layer over words with an open flag."""
_KINDS = ("cited", "matched", "contradicted", "malformed", "sourced", "unfounded", REPORTED, FLAGGED)
_OF_NO_ROW = ("sourced", REPORTED, FLAGGED)


def lay_out(attribution: Attribution, layers: Iterable[Layer] = (), notes: Iterable[Placed] = ()) -> list[Paragraph]:
    """Return the answer in paragraphs, cut in one sweep over all edges.

    ``layers`` and ``notes`` are shown in addition to the attribution's own.
    """
    text = attribution.clean_text
    drawn = sorted([*_layers(attribution), *layers])[:_MOST_MARKS]
    placed = _by_position([*_notes(attribution), *notes])
    styled = [(start, end, style, NO_ROW) for start, end, style in styles_of(text)]
    edges = sorted({*placed, *(edge for start, end, _, _ in [*drawn, *styled] for edge in (start, end))})
    sweep = _Sweep(drawn, _Sweep(styled))
    return [_paragraph(text, span, edges, placed, sweep) for span in _paragraphs(text, placed)]


class _Sweep:
    """The layers over an offset, for offsets in rising order. ``anchored`` are the rows seen so far, ``styled`` the sweep over styles."""

    def __init__(self, layers: Sequence[Layer], styled: _Sweep | None = None) -> None:
        self.styled = styled
        self._waiting = list(reversed(layers))
        self._over: list[Layer] = []
        self.anchored: set[int] = {NO_ROW}

    def over(self, offset: int) -> list[Layer]:
        while self._waiting and self._waiting[-1][0] <= offset:
            self._over.append(self._waiting.pop())
        self._over = [layer for layer in self._over if layer[1] > offset]
        return self._over


def _paragraphs(text: str, notes: Collection[int]) -> Iterator[Span]:
    """Yield the spans between empty lines, and an empty span for each note that lies among them. Of very many the rest is one."""
    start = 0
    for gap in islice(_PARAGRAPH_END.finditer(text), MOST_PARAGRAPHS):
        if gap.start() > start:
            yield start, gap.start()
        yield from ((note, note) for note in range(gap.start(), gap.end()) if note in notes and _is_apart(note, gap, start))
        start = gap.end()
    if start < len(text) or start in notes:
        yield start, len(text)


def _is_apart(note: int, gap: re.Match[str], start: int) -> bool:
    """True if no paragraph ends where a note lies in the gap after a paragraph that began at ``start``."""
    return note > gap.start() or gap.start() == start


def _layers(attribution: Attribution) -> Iterator[Layer]:
    for number, row in enumerate(attribution.fields):
        if row.evidence:
            yield from ((start, end, "matched", number) for start, end in row.evidence.spans)
        yield from ((start, end, "cited", number) for start, end in row.claims)
        if row.contradiction:
            yield from ((start, end, "contradicted", number) for start, end in row.contradiction.spans)
    for marker in attribution.markers:
        if marker.status is MarkerStatus.MALFORMED and marker.position is not None:
            yield marker.position, marker.position + len(marker.text), "malformed", NO_ROW


def _notes(attribution: Attribution) -> Iterator[Placed]:
    """Yield the notes of markers. Malformed ones are visible in the text and have none; nor have those that were cited for no words."""
    rows = {(row.field.section, row.field.path): number for number, row in enumerate(attribution.fields)}
    seen: set[int] = set()
    for order, marker in enumerate(attribution.markers[:_MOST_MARKS]):
        if marker.status is not MarkerStatus.MALFORMED and marker.position is not None:
            yield marker.position, marker.raw[0], _note(marker, rows, seen, order)


def _by_position(placed: Iterable[Placed]) -> dict[int, list[Any]]:
    table: dict[int, list[Any]] = {}
    for position, _, note in sorted(placed, key=lambda each: each[:2]):
        table.setdefault(position, []).append(note)
    return table


def _note(marker: Marker, rows: dict[tuple[str, str], int], seen: set[int], order: int) -> MarkerNote:
    is_first = marker.footnote is not None and marker.footnote not in seen
    if marker.footnote is not None:
        seen.add(marker.footnote)
    row = rows.get((marker.section, marker.path)) if marker.section is not None and marker.path is not None else None
    field = f"{marker.section}, {marker.path}" if row is not None else ""
    return MarkerNote(marker.footnote, marker.status.value, row, marker.detail, is_first, order, field)


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
    """Return a piece of text. Every row gets an anchor where it is first seen, even if there are too many rows to draw them all."""
    over = sweep.over(begin)
    claims = tuple(sorted({claim for start, _, kind, claim in over if kind == REPORTED and start == begin}))
    anchors = tuple(sorted({row for _, _, kind, row in over if kind not in _OF_NO_ROW} - sweep.anchored))
    sweep.anchored.update(anchors)
    over = over[:_MOST_OVER_ONE_PIECE]
    rows = tuple(sorted({row for _, _, kind, row in over if kind not in _OF_NO_ROW} - {NO_ROW}))
    cited = tuple(sorted({row for _, _, kind, row in over if kind == "sourced"}))
    kinds = tuple(kind for kind in _KINDS if any(layer[2] == kind for layer in over))
    matched = tuple(sorted({row for _, _, kind, row in over if kind in ("matched", "contradicted")}))
    styles = tuple([style for _, _, style, _ in sweep.styled.over(begin)]) if sweep.styled else ()
    return Piece(text[begin:stop], kinds, rows, matched, anchors, cited, styles, claims)


# Fields and documents in one text.


BESIDE = 1 << 60
"""The order of a citation without a mark in the raw text: after those at its place that have one."""


@dataclass(frozen=True, slots=True)
class MergedText:
    """An attribution to fields over the text without any citations. ``numbers`` are the footnotes of cited sources by their ids."""

    attribution: Attribution
    numbers: Mapping[str, int]


def merge_texts(attribution: Attribution, documents: DocumentAttribution) -> MergedText:
    """Return both attributions over the text without markers and citations, with footnotes in the order of the text.

    Post-hoc citations are numbered last, so that no other footnote ever changes its number.
    """
    spans = FieldSpans(documents.raw_text, documents.removed)
    markers = [_placed(each, spans) for each in attribution.markers]
    fields, numbers = _number(markers, documents.references)
    moved = replace(
        attribution,
        clean_text=documents.clean_text,
        fields=tuple([_moved_row(row, spans, fields) for row in attribution.fields]),
        markers=tuple([_moved_marker(marker, spans, fields) for marker in markers]),
    )
    return MergedText(moved, numbers)


def _placed(marker: Marker, spans: FieldSpans) -> Marker:
    return marker if marker.position is None else marker._replace(position=spans.moved((marker.position, marker.position))[0])


def _number(markers: Iterable[Marker], references: Iterable[Reference]) -> tuple[dict[int, int], dict[str, int]]:
    """Return the new numbers of the fields' footnotes, and the numbers of the sources."""
    fields: dict[int, int] = {}
    sources: dict[str, int] = {}
    for _, _, _, footnote, names in sorted([*_marked(markers), *_cited(references)]):
        if footnote:
            fields.setdefault(footnote, len(fields) + len(sources) + 1)
        for name in names:
            sources.setdefault(name, len(fields) + len(sources) + 1)
    return fields, sources


Place = tuple[bool, int, int, int, tuple[str, ...]]
"""True for a post-hoc citation; position in the clean text, then in the raw one; a field's footnote or 0; the ids of sources.

Fields that were cited for no words have places behind all others of the model's own.
"""


def _marked(markers: Iterable[Marker]) -> Iterator[Place]:
    return (
        (False, BESIDE if each.position is None else each.position, each.raw[0], each.footnote, ())
        for each in markers
        if each.footnote is not None
    )


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
    """Return the spans in this text. Spans that lay in nothing but a citation are left out."""
    moved = [spans.moved(span) for span in several]
    return tuple([span for span in moved if span[0] < span[1]])
