"""Commitments to protected text: an event proves what it is about without revealing it.

Each part of an event (a message, a context field, a comment) is committed as SHA-256 of a domain, 32 bytes of salt of its own, the length
of its name, its name and its content, one behind the other. The salts are derived from one seed by SHAKE-256, so a row stores 32 bytes
however many parts there are. The event holds the number of parts and one digest over all commitments in order. Revealing one part takes
its salt, its bytes and the other commitments, which reveal nothing. To redact a part the seed is replaced by the salts of the other parts
and the commitment of this one.

Rows that an event wrote are committed to one by one, with the salts that follow those of the parts.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence

SALT_LENGTH = 32
_PART_DOMAIN = b"footnote.part.v1\0"
_PARTS_DOMAIN = b"footnote.parts.v1\0"


Part = tuple[str, bytes]
"""The name and content of a part. Both are committed to: a name may reveal as much as the content."""


def commit(parts: Sequence[Part], seed: bytes) -> str:
    """Return the digest over the commitments of parts in order, whose salts are those of ``seed``."""
    return commit_parts([commit_part(salt, name, content) for salt, (name, content) in zip(salts(seed, len(parts)), parts, strict=True)])


def commit_parts(commitments: Sequence[bytes]) -> str:
    """Return the digest over the commitments of all parts."""
    return hashlib.sha256(_PARTS_DOMAIN + b"".join(commitments)).hexdigest()


def new_seed() -> bytes:
    """Return a random seed for the salts of one event."""
    return os.urandom(SALT_LENGTH)


def commit_row(salt: bytes, table: str, content: bytes) -> str:
    """Return the commitment to one row of a table."""
    return commit_part(salt, f"row.{table}", content).hex()


def commit_part(salt: bytes, name: str, content: bytes) -> bytes:
    """Return the commitment to one part."""
    encoded = name.encode("utf-8", "surrogatepass")
    return hashlib.sha256(b"".join((_PART_DOMAIN, salt, len(encoded).to_bytes(4), encoded, content))).digest()


def salts(seed: bytes, count: int) -> list[bytes]:
    """Return the salts of ``count`` parts."""
    stream = hashlib.shake_256(seed).digest(SALT_LENGTH * count)
    return [stream[start : start + SALT_LENGTH] for start in range(0, len(stream), SALT_LENGTH)]
