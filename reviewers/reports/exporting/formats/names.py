"""Names of things in formats that want an address for each: always the same for the same thing."""

from __future__ import annotations

from uuid import UUID, uuid5

_SPACE = UUID("8e6f3a52-6f0c-5b0e-9b3e-0d7c1f1f4c11")


def urn(identifier: str) -> str:
    """Of something that has an identifier of its own."""
    return f"urn:uuid:{identifier}"


def derived(*parts: object) -> str:
    """Of something that has none: made of what it belongs to and its place there, in which half of a surrogate pair may stand."""
    return str(uuid5(_SPACE, "\0".join(map(str, parts)).encode("utf-8", "backslashreplace").decode()))
