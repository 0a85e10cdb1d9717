"""Fields and documents in one text: markers and citations are both out of it, and their footnotes are counted together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from attribution import Attribution, DocumentAttribution, Evidence, FieldAttribution, FieldSpans, Marker, Reference, ReferenceStatus, Span

BESIDE = 1 << 60
"""Where a citation stands among others at its place that has no mark in the raw text: behind those that have one."""


@dataclass(frozen=True, slots=True)
class OneText:
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


def in_one_text(attribution: Attribution, documents: DocumentAttribution) -> OneText:
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
    return OneText(moved, numbers, fields, spans)


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
