"""What of an item can be redacted: parts of its frozen record, and what people wrote beside it. Nothing here holds what is in them."""

from __future__ import annotations

from collections.abc import Iterator

from reviewers.review.items import Item
from reviewers.review.plans.visibility import sees_labels, sees_work
from reviewers.review.redacting.names import CITATION_NOTE, NOTE, kind_of
from reviewers.review.redacting.written import Part, written_beside
from reviewers.snapshots.cutting import REFERENCES, RecordPart, parts_of_record

_GROUPS = {"context": "Fields of the context", "documents": "Documents", "tool_calls": "Documents"} | dict.fromkeys(
    REFERENCES, "Names and references"
)


def all_parts_of(item: Item) -> list[Part]:
    """Everything of an item that was not redacted before, whoever may see it."""
    gone = {name for redacted in item.redacted for name in redacted.parts}
    written = (each.part for each in written_beside(item.row.organisation_id, [item.id]))
    return [part for part in (*_record(item), *written) if part.name not in gone]


def parts_of(item: Item) -> list[Part]:
    """What of it whoever loaded it may know to be there."""
    return [part for part in all_parts_of(item) if may_know(item, part)]


def may_know(item: Item, part: Part) -> bool:
    """Of notes only who may see the labels beside which they stand."""
    if part.author is None:
        return True
    is_label = kind_of(part.name) in (NOTE, CITATION_NOTE)
    return (sees_labels if is_label else sees_work)(item.viewer, item.standing, part.author)


def _record(item: Item) -> Iterator[Part]:
    return map(part_of_record, parts_of_record(item.record))


def part_of_record(part: RecordPart) -> Part:
    """A part of the frozen record as one that can be chosen."""
    return Part(part.name, part.words, _GROUPS.get(kind_of(part.name), "The turn"))
