"""What stands in the place of a text that somebody is not shown."""

from __future__ import annotations

from typing import Any, final


@final
class Mask(str):
    """A mask is told from a text by what it is: somebody may have written the same words. A part of it that is all of it stays one."""

    __slots__ = ()

    def __str__(self) -> str:
        return self

    @property
    def plain(self) -> str:
        """The words alone."""
        return str.__str__(self)

    def __getitem__(self, key: Any) -> str:
        part = super().__getitem__(key)
        return self if part == self else part


MASK = Mask("[masked]")
"""Of one length, whatever it stands for."""
