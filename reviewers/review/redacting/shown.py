"""What a page says in the place of what was redacted: when, by whom and on which basis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reviewers.ledger.redacted import Redacted
from reviewers.review.redacting.names import NOTE, in_words
from reviewers.snapshots.cutting import field_name

if TYPE_CHECKING:
    from reviewers.review.items import Item


@dataclass(frozen=True, slots=True)
class Gone:
    """A redaction as an item's page tells of it. ``words`` say what it took, in so far as everybody may know."""

    words: Sequence[str]
    redacted: Redacted


def redactions_of(item: Item) -> list[Gone]:
    """All of an item, the oldest first."""
    return [Gone(in_words(each.parts), each) for each in item.redacted]


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
