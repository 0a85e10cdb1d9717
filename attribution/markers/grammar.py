"""The field grammar: ``[[PREFIX:field]]``, ASCII, at most 72 characters, the field a name or a dotted path."""

from __future__ import annotations

import re
from typing import NamedTuple

from attribution.model import Span, new
from attribution.remembering import remembered

LONGEST_MARKER = 72

MARKER = re.compile(
    r"\[\[(?=[A-Za-z0-9_.:]{3,68}\]\])"
    r"[A-Za-z_][A-Za-z0-9_]{0,63}:[A-Za-z_][A-Za-z0-9_]{0,63}(?:\.[A-Za-z0-9_]{1,64})*\]\]"
)

UNFINISHED_MARKER = re.compile(r" ?(?:\[(?:\[(?:[A-Za-z_][A-Za-z0-9_]{0,63}(?::(?:[A-Za-z_][A-Za-z0-9_.]{0,66}\]?)?)?)?)?)?\Z")
"""The end of a text that the next characters may turn into a marker, with the space before it."""


class WrittenMarker(NamedTuple):
    """A well-formed marker as it stands in the answer. Its ``key`` is prefix and name in the case of the registry."""

    text: str
    key: tuple[str, str]
    raw: Span


def find_markers(text: str) -> list[WrittenMarker]:
    """The well-formed markers of ``text``, left to right, never overlapping."""
    return [new(WrittenMarker, (*_read(match[0]), match.span())) for match in MARKER.finditer(text)]


@remembered
def _read(marker: str) -> tuple[str, tuple[str, str]]:
    """A marker as written, the same text for all of its kind, and its key."""
    prefix, _, name = marker[2:-2].partition(":")
    return marker, (prefix.upper(), name.lower())
