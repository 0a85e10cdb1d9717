"""Masks for keys of maps that are data: a record may hold ``{"contacts": {"Jane Doe 1970": …}}``, and the key tells as much as a value.

A key that looks like the name of a field stays, for what was found is told by it: words of letters in lower case, joined by underscores,
hyphens or humps, with few digits, or the place in a list. ``jane_doe`` is not told from one, which pages and files say. Any other
one is masked. The same key has the same mask, made with the site's secret, so that rows, labels and findings of an answer still belong
together.
"""

from __future__ import annotations

import hmac
import re

from django.conf import settings

_DOMAIN = b"footnote.keys.v1\0"
_LENGTH = 6
_NAMED = re.compile(r"[a-z]{1,30}\d{0,2}(?:[A-Z][a-z]{0,30}\d{0,2}){0,8}(?:[_-][a-zA-Z]{0,30}\d{0,2}){0,12}")
_PLACE = re.compile(r"\d{1,4}")
_CAPITALS = re.compile(r"[A-Z]{1,6}\d{0,2}(?:_[A-Z]{1,12}){0,6}")
_PART = re.compile(r"(?<!\\)\.")
_MASKED = re.compile(r"\[key [0-9a-f]{6}\]")


def mask_key(key: str) -> str:
    """Return a key as somebody may see it who is not shown values."""
    if any(each.fullmatch(key) for each in (_NAMED, _PLACE, _CAPITALS, _MASKED)) or not key:
        return key
    return f"[key {_digest(key)}]"


def mask_path(path: str) -> str:
    """Return a path with masks for those of its keys that are data. Dots within keys are escaped."""
    return ".".join(mask_key(key) for key in _PART.split(path))


def _digest(key: str) -> str:
    secret = hmac.digest(settings.SECRET_KEY.encode(), _DOMAIN, "sha256")
    return hmac.digest(secret, key.encode("utf-8", "surrogatepass"), "sha256").hex()[:_LENGTH]
