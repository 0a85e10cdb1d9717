"""Reads the forms that texts of the ledger are written in, each of which has one spelling only."""

from __future__ import annotations

import base64
import binascii
import re

_NUMBER = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)


class FormError(ValueError):
    """A text is not what it should be. Nothing in it may be relied on."""


def encode(content: bytes) -> str:
    """Base64 with padding."""
    return base64.b64encode(content).decode()


def decode(text: str) -> bytes:
    """Base64 as it has to be written: other spellings of the same bytes are refused, as one flipped bit may make one."""
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise FormError("This is no base64.") from error
    if encode(content) != text:
        raise FormError("This is not how base64 is written.")
    return content


def number(text: str) -> int:
    """A whole number without sign or leading zero."""
    if not _NUMBER.fullmatch(text):
        raise FormError("This is no number.")
    return int(text)
