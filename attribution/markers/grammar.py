"""The field grammar: ``[[PREFIX:field]]``, at most 72 characters, the field a name or a dotted path.

A prefix is ASCII. A name may begin with a digit, hold hyphens, and be written in any script; one that only looks like ASCII is a disguise
and no marker.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from attribution.markers.lookalikes import skeleton
from attribution.model import Span, new
from attribution.remembering import remembered

LONGEST_MARKER = 72

_LETTER = r"A-Za-z0-9_\-\u00aa-\U0010ffff"
MARKER = re.compile(rf"\[\[(?=[{_LETTER}.:]{{3,68}}\]\])[A-Za-z_][A-Za-z0-9_]{{0,63}}:[{_LETTER}]{{1,64}}(?:\.[{_LETTER}]{{1,64}})*\]\]")
"""What may be a marker: characters beyond ASCII are looked at one by one, see ``is_name``."""

UNFINISHED_MARKER = re.compile(rf" ?(?:\[(?:\[(?:[A-Za-z_][A-Za-z0-9_]{{0,63}}(?::(?:[{_LETTER}][{_LETTER}.]{{0,66}}\]?)?)?)?)?)?\Z")
"""The end of a text that the next characters may turn into a marker, with the space before it."""

_HYPHENS = re.compile(r"-+")


class WrittenMarker(NamedTuple):
    """A well-formed marker as it stands in the answer. Its ``key`` is prefix and name in the case of the registry."""

    text: str
    key: tuple[str, str]
    raw: Span


def find_markers(text: str) -> list[WrittenMarker]:
    """The well-formed markers of ``text``, left to right, never overlapping."""
    return [new(WrittenMarker, (*_read(match[0]), match.span())) for match in MARKER.finditer(text) if _is_marker(match[0])]


def is_name(name: str) -> bool:
    """Return True if a field of this name, or path, can be cited.

    It is letters, digits, underscores and hyphens, with dots between; in other scripts letters with their marks. It is not empty, not
    hyphens alone, not too long for a marker, and no disguise of an ASCII name.
    """
    return len(name) < LONGEST_MARKER - len("[[X:]]") and bool(MARKER.fullmatch(f"[[X:{name}]]")) and _is_marker(f"[[X:{name}]]")


@remembered
def _is_marker(marker: str) -> bool:
    name = marker[2:-2].partition(":")[2]
    if any(not part or _HYPHENS.fullmatch(part) for part in name.split(".")):
        return False
    return name.isascii() or (_is_written_in_letters(name) and not skeleton(name, name.lower()).replace("\0", "").isascii())


def _is_written_in_letters(name: str) -> bool:
    """Return True if all that is not ASCII is a letter, a digit, or a mark upon one."""
    kinds = [unicodedata.category(character) for character in name]
    marked = all(kinds[place - 1][0] in "LM" for place, kind in enumerate(kinds) if kind[0] == "M") and kinds[0][0] != "M"
    return marked and all(character.isascii() or kind[0] in "LM" or kind == "Nd" for character, kind in zip(name, kinds, strict=True))


@remembered
def _read(marker: str) -> tuple[str, tuple[str, str]]:
    """A marker as written, the same text for all of its kind, and its key."""
    prefix, _, name = marker[2:-2].partition(":")
    return marker, (prefix.upper(), name.lower())
