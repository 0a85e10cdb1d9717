"""Identifiers that sort by the time they were made."""

from __future__ import annotations

import os
import time
import uuid


def uuid7() -> uuid.UUID:
    """A version 7 UUID (RFC 9562, section 5.7): 48 bits of milliseconds, then random bits.

    Rows made after each other stand beside each other in an index, and an identifier tells nothing but when it was made.
    """
    milliseconds = time.time_ns() // 1_000_000
    value = milliseconds << 80 | int.from_bytes(os.urandom(10))
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return uuid.UUID(int=value)
