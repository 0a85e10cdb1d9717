"""Masks over all texts of a report, for auditors from outside: what was found, said and signed stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reviewers.reports.exporting.model import Recorded
from reviewers.review.masking.keys import mask_path
from reviewers.web.masks import MASK


@dataclass(frozen=True, slots=True)
class _Whole:
    """A mask: whatever stood in the text stands on all of it."""

    text: str

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a part is now."""
        return (0, len(self.text)) if end > start else (len(self.text), len(self.text))

    def place(self, position: int) -> int:
        """Where a position is now."""
        del position
        return len(self.text)


class Masking:
    """The change."""

    def clean(self, text: str) -> _Whole:
        """The clean text."""
        return _Whole(self.text(text))

    def text(self, text: str) -> str:
        """Any other text."""
        return MASK if text else ""

    def value(self, section: str, path: str, value: Any) -> Any:
        """A value of the record."""
        del section, path
        return value if value in (None, "", [], {}) else MASK

    def key(self, name: str) -> str:
        """The name of a section or a field."""
        return name

    def path(self, path: str) -> str:
        """The path of a field; keys that are data are masked."""
        return mask_path(path)

    def note(self, text: str) -> str:
        """What a reviewer wrote."""
        return MASK if text else ""

    def reference(self, kind: str, name: str) -> str:
        """What somebody or something is called."""
        del kind
        return MASK if name else ""

    def person(self, name: str) -> str:
        """A reviewer."""
        return name

    def identity(self, name: str) -> str:
        """An identifier of the site’s own."""
        return name

    def digest(self, name: str) -> str:
        """A digest."""
        return name

    def moment(self, moment: str) -> str:
        """A moment."""
        return moment

    def events(self, events: tuple[Recorded, ...]) -> tuple[Recorded, ...]:
        """What the ledger holds."""
        return events
