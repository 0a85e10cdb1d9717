"""The mask that replaces a text somebody may not see."""

from __future__ import annotations

from typing import Any, final


@final
class Mask(str):
    """A mask, recognised by its type: somebody may have written the same words. A slice of all of it is a mask too."""

    __slots__ = ()

    def __str__(self) -> str:
        return self

    @property
    def plain(self) -> str:
        """The words of the mask."""
        return str.__str__(self)

    def __getitem__(self, key: Any) -> str:
        part = super().__getitem__(key)
        return self if part == self else part


MASK = Mask("[masked]")
"""The mask, of one length for every text."""
