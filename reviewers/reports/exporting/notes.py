"""Where the footnotes of an answer stand in its text, in the order in which the review page shows them."""

from __future__ import annotations

from attribution import DocumentAttribution
from reviewers.reports.exporting.model import Note
from reviewers.reports.exporting.stored import Document
from reviewers.review.items import Item
from reviewers.review.source_notes import SourceNote, source_notes


def notes_of(item: Item, document: Document) -> tuple[Note, ...]:
    """Those of fields and of sources together."""
    if item.grounds is None:
        placed = [(each.position, each.raw[0], each.footnote) for each in document.marks() if each.footnote]
        return tuple([Note(position, footnote, is_found_afterwards=False) for position, _, footnote in sorted(placed)])
    return _with_sources(item, item.grounds)


def _with_sources(item: Item, grounds: DocumentAttribution) -> tuple[Note, ...]:
    markers = item.shown.attribution.markers
    placed = [
        (each.position, each.raw[0], Note(each.position, each.footnote, is_found_afterwards=False)) for each in markers if each.footnote
    ]
    for position, order, note in source_notes(grounds, item.shown.numbers, len(markers)):
        if isinstance(note, SourceNote):
            placed.append((position, order, Note(position, note.number, is_found_afterwards=note.is_found_afterwards)))
    return tuple([note for _, _, note in sorted(placed, key=lambda each: each[:2])])


def pieces(text: str, notes: tuple[Note, ...]) -> list[tuple[str, Note | None]]:
    """The text cut at its footnotes: each piece with the one behind it."""
    cut: list[tuple[str, Note | None]] = []
    begin = 0
    for note in notes:
        cut.append((text[begin : note.position], note))
        begin = note.position
    return [*cut, (text[begin:], None)]
