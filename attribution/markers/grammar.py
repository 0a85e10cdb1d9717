"""The field grammar: ``[[PREFIX:field]]``, at most 72 characters, the field a name or a dotted path; and the answer without its markers.

A prefix is ASCII. A name may begin with a digit, hold hyphens, and be written in any script; one that only looks like ASCII is a disguise
and no marker.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from attribution.answer import Answer
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


# Near-markers: what a model wrote when it meant a marker and missed. They are findings, shown as written.

_TAKEN = "\1"
_OPENINGS = {sign: re.compile(re.escape(sign)) for sign in "[({<&%\\"}
"""One for each sign: looking whether a text has one at all is many times as fast as searching for a choice of them."""

_NAME = r"[a-z_][a-z0-9_.]{1,66}"


class NearMarker(NamedTuple):
    """Almost a marker: its place in the raw answer and what is wrong with it."""

    text: str
    raw: Span
    reason: str


def find_near_markers(text: str, answer: Answer, markers: Sequence[WrittenMarker], prefixes: tuple[str, ...]) -> list[NearMarker]:
    """The near-markers of ``text`` outside its well-formed ``markers``. ``prefixes`` are the registered ones, upper case.

    They are looked for in the clean text first: nearly every answer has none, and then nothing more is done.
    """
    shape = skeleton(answer.text, answer.lowered)
    openings = _openings(shape)
    if not openings:
        return []
    pattern = _near_pattern(prefixes)
    if not any(_search(pattern, shape, openings)):
        return []
    shape = _without(skeleton(text, text.lower()), markers)
    return [_near_marker(text, match) for match in _search(pattern, shape, _openings(shape))]


def _near_marker(text: str, match: re.Match[str]) -> NearMarker:
    start, end = match.span()
    written = text[start:end].rstrip()
    return NearMarker(written, (start, start + len(written)), _reason(written, match.lastgroup or "", match.group()))


def _openings(shape: str) -> list[int]:
    """Return the places of signs that a near-marker can begin with, in order."""
    return sorted([found.start() for sign, opening in _OPENINGS.items() if sign in shape for found in opening.finditer(shape)])


def _search(pattern: re.Pattern[str], shape: str, openings: Sequence[int]) -> Iterator[re.Match[str]]:
    """Matches of ``pattern`` that do not overlap, tried only where an opening sign stands."""
    end = 0
    for start in openings:
        match = pattern.match(shape, start) if start >= end else None
        if match:
            end = match.end()
            yield match


def _without(shape: str, markers: Sequence[WrittenMarker]) -> str:
    kept: list[str] = []
    begin = 0
    for marker in markers:
        start, end = marker.raw
        kept += shape[begin:start], _TAKEN * (end - start)
        begin = end
    kept.append(shape[begin:])
    return "".join(kept)


@lru_cache(maxsize=64)
def _near_pattern(prefixes: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern for all the ways to miss. Every repetition is bounded, so a search is linear in the text."""
    loose = "|".join(rf"{INVISIBLE}{{0,3}}".join(prefix.lower()) for prefix in prefixes)
    exact = "|".join(prefix.lower() for prefix in prefixes)
    gap = rf"[\s{INVISIBLE}]{{0,3}}"
    body = rf"(?:[^\[\]{_TAKEN}]{{0,80}}\]\]?|[:\s]{{0,2}}[a-z0-9_.{INVISIBLE}-]{{0,80}})"
    encoded = r"(?:&(?:\#0{0,4}91|\#x0{0,4}5b|lsqb|lbrack);|%5b|\\\[)"
    decoded_end = r"(?:&(?:\#0{0,4}93|\#x0{0,4}5d|rsqb|rbrack);|%5d|\\?\]){0,2}"
    return re.compile(
        rf"(?P<double>\[\[{gap}(?:{loose})(?![a-z0-9_]){body})"
        rf"|(?P<encoded>{encoded}{{1,2}}\[?(?:{exact}):{_NAME}{decoded_end})"
        rf"|(?P<brackets>[\[(\{{<]{{1,3}}(?:{exact}):{_NAME}[\])\}}>]{{1,3}})"
        rf"|(?P<prefixless>\[\[[a-z]{{1,30}}_[a-z0-9_]{{1,30}}\]\])"
    )


def _reason(written: str, kind: str, shape: str) -> str:
    if not written.isascii():
        return "look-alike or invisible characters"
    if kind != "double":
        return {"encoded": "encoded brackets", "brackets": "wrong brackets", "prefixless": "no section prefix"}[kind]
    if "\n" in written or "\r" in written:
        return "line break inside"
    if len(written) > LONGEST_MARKER:
        return "too long"
    return "not a field name" if shape.endswith("]]") else "not closed"
