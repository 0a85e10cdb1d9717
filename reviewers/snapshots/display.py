"""Protected text as it may be stored in text columns and shown: nothing invisible stays invisible, nothing is dropped."""

from __future__ import annotations

import re

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def storable(text: str) -> str:
    """A key that PostgreSQL can hold, different for different keys: what it cannot hold is written as its JSON escape."""
    return _UNSTORABLE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def visible(text: str) -> str:
    """A text that PostgreSQL can hold: NUL as its symbol, a lone surrogate as the replacement character. The bytes are kept elsewhere."""
    return _UNSTORABLE.sub(lambda match: "␀" if match.group() == "\0" else "�", text)
