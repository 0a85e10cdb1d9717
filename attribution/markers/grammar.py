"""The field grammar: ``[[PREFIX:field]]``, at most 72 characters, the field a name or a dotted path; and the answer without its markers.

A prefix is ASCII. A name may begin with a digit, hold hyphens, and be written in any script; one that only looks like ASCII is a disguise
and no marker.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from attribution.model import Span, new
from attribution.remembering import remembered

# What characters can be mistaken for: brackets and letters in their plain shape, formless marks invisible.

INVISIBLE = "\0"

_OPENING = "［⟦〚⁅﹇⦋⦍⦏⸢⸤⹕⹗⹙⹛【「『〔〖〘⎡⎢⎣❲⟬⦗〈《"
_CLOSING = "］⟧〛⁆﹈⦌⦎⦐⸣⸥⹖⹘⹚⹜】」』〕〗〙⎤⎥⎦❳⟭⦘〉》"
_COLON = "：︓﹕∶꞉ː׃։"
_LETTERS = {
    **dict(zip("аеорсхуіѕјԁкмтнвгѵԛԝ", "aeopcxyisjdkmthbrvqw", strict=True)),
    **dict(zip("АЕОРСХУІЅЈКМТНВԌҐ", "AEOPCXYISJKMTHBGG", strict=True)),
    **dict(zip("αεοινρτυκχΑΕΟΙΝΡΤΥΚΧΒΗΜΖϹ", "aeoivptukxAEOINPTYKXBHMZC", strict=True)),
}
_MOST_REMEMBERED = 8_192


def skeleton(text: str, lowered: str) -> str:
    """Return what a text can be mistaken for, as long as it is; ``lowered`` is the text in lower case."""
    return lowered if text.isascii() else text.translate(_SKELETON)


class _Skeleton(dict[int, str]):
    """Code point to what it can be mistaken for, lower case. Bounded like the folding table."""

    def __missing__(self, code: int) -> str:
        shape = _shape(chr(code))
        if len(self) < _MOST_REMEMBERED:
            self[code] = shape
        return shape


def _shape(character: str) -> str:
    if unicodedata.category(character) in ("Cf", "Mn", "Me") and character not in "\n\r\t":
        return INVISIBLE
    compatible = unicodedata.normalize("NFKC", character)
    shape = compatible if len(compatible) == 1 else character
    lowered = shape.lower()
    return lowered if len(lowered) == 1 else shape


def _table() -> dict[int, str]:
    groups = ((_OPENING, "["), (_CLOSING, "]"), (_COLON, ":"))
    table = {ord(character): shape for characters, shape in groups for character in characters}
    return table | {ord(character): shape.lower() for character, shape in _LETTERS.items()}


_SKELETON = _Skeleton(_table())


# The grammar.

LONGEST_MARKER = 72

_LETTER = r"A-Za-z0-9_\-\u00aa-\U0010ffff"
MARKER = re.compile(rf"\[\[(?=[{_LETTER}.:]{{3,68}}\]\])[A-Za-z_][A-Za-z0-9_]{{0,63}}:[{_LETTER}]{{1,64}}(?:\.[{_LETTER}]{{1,64}})*\]\]")
"""A possible marker: characters beyond ASCII are looked at one by one, see ``is_name``."""

UNFINISHED_MARKER = re.compile(rf" ?(?:\[(?:\[(?:[A-Za-z_][A-Za-z0-9_]{{0,63}}(?::(?:[{_LETTER}][{_LETTER}.]{{0,66}}\]?)?)?)?)?)?\Z")
"""The end of a text that the next characters may turn into a marker, with the space before it."""

_HYPHENS = re.compile(r"-+")


class WrittenMarker(NamedTuple):
    """A well-formed marker as it is in the answer. Its ``key`` is prefix and name in the case of the registry."""

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


# Clean text: the answer without its markers and without the single space before each; nothing else changes.


def clean(text: str, markers: Sequence[WrittenMarker]) -> tuple[str, list[int]]:
    """The clean text, and for each marker its position in it."""
    kept: list[str] = []
    positions: list[int] = []
    length = begin = 0
    for marker in markers:
        end = marker.raw[0]
        if end > begin and text[end - 1] == " ":
            end -= 1
        kept.append(text[begin:end])
        length += end - begin
        positions.append(length)
        begin = marker.raw[1]
    kept.append(text[begin:])
    return "".join(kept), positions


def strip(text: str) -> str:
    """The clean text alone."""
    return _strip_all(text) if "[[" in text else text


class Stripper:
    """Strips markers from an answer that arrives in pieces.

    ``feed`` yields what is safe to show at once; at most one possible marker and the space before it is held back. The pieces
    joined, with ``finish()`` at the end, equal ``strip`` of the whole text, however it was cut.
    """

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = ""

    def feed(self, delta: str) -> str:
        """Take the next piece; return what can be shown now."""
        text = self._held + delta
        unfinished = UNFINISHED_MARKER.search(text, max(0, len(text) - LONGEST_MARKER - 1))
        cut = unfinished.start() if unfinished else len(text)
        self._held = text[cut:]
        return _strip_all(text[:cut])

    def finish(self) -> str:
        """The answer has ended; return what was held back."""
        held, self._held = self._held, ""
        return _strip_all(held)


def _strip_all(text: str) -> str:
    return clean(text, find_markers(text))[0]
