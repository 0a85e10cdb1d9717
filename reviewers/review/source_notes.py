"""What citations of documents add to the answer on the page: footnotes of sources, and marks on what they stand for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from attribution import DocumentAttribution, Reference, ReferenceStatus, Span
from reviewers.review.answer_text import NO_ROW, Layer, Note, Placed
from reviewers.review.one_text import BESIDE
from reviewers.review.passage import Segment

MOST_NOTES = 2_000


@dataclass(frozen=True, slots=True)
class Peek:
    """What a footnote shows of its source, the one at ``place``, without leaving the text. A passage that is not drawn is fetched."""

    title: str
    told: str
    place: int
    has_passage: bool
    passage: Sequence[Segment]


@dataclass(frozen=True, slots=True)
class SourceNote:
    """A footnote that leads to a source. ``anchor`` is its own place on the page, ``target`` that of the source."""

    number: int
    anchor: str
    source: str
    ordinal: int
    is_found_afterwards: bool
    target: str = ""
    peek: Peek | None = None


def source_notes(documents: DocumentAttribution, numbers: Mapping[str, int], first_order: int | None) -> list[Placed]:
    """The footnotes of sources, and a note where a citation was dropped because it means none. ``first_order`` is behind all markers.

    Without it there are no notes of dropped ones: these are found by the engine.
    """
    placed: list[Placed] = []
    seen: set[str] = set()
    for reference in documents.references:
        if reference.position is not None and len(placed) < MOST_NOTES:
            order = reference.raw[0] if reference.raw else BESIDE + reference.ordinal
            placed += [(reference.position, order, note) for note in _notes(reference, numbers, seen, first_order)]
    return placed


def _notes(reference: Reference, numbers: Mapping[str, int], seen: set[str], first_order: int | None) -> Iterator[SourceNote | Note]:
    for place, name in enumerate(reference.sources):
        anchor = f"cite-{reference.ordinal}-{place}" if name in seen else f"fn-{numbers[name]}"
        seen.add(name)
        is_found = reference.status is ReferenceStatus.FOUND
        yield SourceNote(numbers[name], anchor, name, reference.ordinal, is_found)
    lost = [target.written for target in reference.targets if target.source is None]
    if lost and first_order is not None:
        detail = f"{reference.text} means no source that the model was given"
        yield Note(None, "unresolved", None, detail, is_first=False, order=first_order + reference.ordinal)


def source_layers(documents: DocumentAttribution) -> Iterator[Layer]:
    """What citations stand for, by the first of them, and the figures and names in it that their sources do not have."""
    yield from ((*span, "sourced", ordinal) for span, ordinal in first_citations(documents).items() if span[0] < span[1])
    seen: set[Layer] = set()
    for reference in documents.references:
        if reference.span is None or reference.check is None or not reference.sources:
            continue
        start = reference.span[0]
        layers = [(start + each.span[0], start + each.span[1], "unfounded", NO_ROW) for each in reference.check.missing]
        yield from (layer for layer in layers if layer not in seen and layer[0] < layer[1])
        seen.update(layers)


def first_citations(documents: DocumentAttribution) -> dict[Span, int]:
    """The ordinal of the first citation for each run of words that any stand for."""
    firsts: dict[Span, int] = {}
    for reference in documents.references:
        if reference.span is not None and reference.sources:
            firsts.setdefault(reference.span, reference.ordinal)
    return firsts
