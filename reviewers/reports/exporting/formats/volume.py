"""A volume of a report that is too long for one PDF, as the page of contents tells of it."""

from __future__ import annotations

from msgspec import Struct


class Volume(Struct, frozen=True):
    """One of them: which of how many, the first and the last of its answers with their moments, and the SHA-256 of its file."""

    name: str
    number: int
    first: int
    last: int
    since: str
    until: str
    digest: str
