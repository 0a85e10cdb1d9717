"""What a page says in the place of what was redacted: when, by whom and on which basis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reviewers.ledger.redacted import Redacted
from reviewers.review.plans.visibility import sees_work
from reviewers.review.redacting.names import CITATION_NOTE, NOTE, in_words
from reviewers.snapshots.cutting import field_name, is_of_record

if TYPE_CHECKING:
    from reviewers.review.items import Item


@dataclass(frozen=True, slots=True)
class Gone:
    """A redaction as an item's page tells of it. ``words`` say what it took, in so far as everybody may know."""

    words: Sequence[str]
    redacted: Redacted


def redactions_of(item: Item) -> list[Gone]:
    """All of an item, the oldest first; of what others wrote beside it only once whoever asked may know that there was something."""
    told = ((each, [name for name in each.parts if _may_know(item, name)]) for each in item.redacted)
    return [Gone(in_words(parts), each) for each, parts in told if parts]


def _may_know(item: Item, name: str) -> bool:
    if is_of_record(name) or sees_work(item.viewer, item.standing, None):
        return True
    return name in {f"{NOTE}.{label.id}" for label in item.labels} | {f"{CITATION_NOTE}.{label.id}" for label in item.citation_labels}


def redaction_of(item: Item, name: str) -> Redacted | None:
    """The one that took a part, if one did."""
    return next((each for each in item.redacted if name in each.parts), None)


def redaction_of_field(item: Item, section: str, path: str) -> Redacted | None:
    """The one that took the value of a field."""
    return redaction_of(item, field_name(section, path)) if item.redacted else None


def redaction_of_note(item: Item, key: tuple[str, str]) -> Redacted | None:
    """The one that took what was written beside a field, in the review whose labels are shown."""
    if not item.redacted:
        return None
    found = (redaction_of(item, f"{NOTE}.{label.id}") for label in item.labels if label.key == key)
    return next((each for each in found if each), None)
