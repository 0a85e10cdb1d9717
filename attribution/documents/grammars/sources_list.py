"""The list of sources that some answers end with: ``Sources used: [1], [3]``, or a heading and an entry on each line."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from attribution.model import Span

_NAMES = (
    r"(?:sources?(?:[ \t]+(?:used|cited|consulted|list))?|(?:used|cited)[ \t]+sources|references?(?:[ \t]+(?:used|cited))?|citations?"
    r"|documents?[ \t]+(?:used|cited)|works[ \t]+cited|bibliography)"
)
_LEAD = r"[ \t]{0,3}(?:#{1,6}[ \t]+)?(?:\*\*|__|\*|_)?"
_HEADING = re.compile(
    rf"^{_LEAD}{_NAMES}[ \t]*+(?:(?::[ \t]*(?:\*\*|__|\*|_)?|(?:\*\*|__|\*|_):?)[ \t]*([^\n]*)|([ \t\r]*))$", re.IGNORECASE | re.MULTILINE
)
_INLINE = re.compile(rf"(?<=[.!?\])])[ \t]+(?:\*\*|\*|_)?{_NAMES}:(?:\*\*|\*|_)?[ \t]*(?=[\[(［【\d])", re.IGNORECASE)
_ENTRY = re.compile(
    r"[ \t]{0,6}(?:[-*•+][ \t]++)?(?:[\[［【][ \t]?(?:(?:document|source)[ \t])?(\d{1,4})[ \t]?[\]］】]\(?|(\d{1,4})[.):])"
    r"[ \t]*+:?[ \t]*+([^\n]*+)\Z",
    re.IGNORECASE,
)
_IS_DEFINITION = re.compile(r"[ \t]{0,3}\[(?:(?:document|source)[ \t])?\d+\]:", re.IGNORECASE)
_NUMBERS_ONLY = re.compile(r"[\s\d\[\](),;.、，&［］【】–-]|\band\b|\b(?:documents?|sources?)\b", re.IGNORECASE)
_NUMBERS = re.compile(r"(\d{1,4})(?:\s?[-–—]\s?(\d{1,4}))?")
_BLANKS = " \t\r"
_MOST_BEHIND = 400
_HIGHEST = 99


class SourcesList(NamedTuple):
    """A list of sources: where it stands, the places it names, and what it says each of them is."""

    raw: Span
    text: str
    entries: tuple[tuple[int, str], ...]


def find_sources_list(text: str, count: int, cited: Sequence[Span]) -> SourcesList | None:
    """The list at the end of an answer that was given ``count`` documents; ``cited`` is where numbers are cited in the text."""
    return _with_heading(text, count) or _in_last_line(text, count) or _without_heading(text, cited)


def _with_heading(text: str, count: int) -> SourcesList | None:
    """The last heading that names sources, with entries below it or behind it."""
    heading = None
    for heading in _HEADING.finditer(text):  # noqa: B007 - the last one is wanted
        pass
    if heading is None:
        return None
    same_line = (heading[1] or "").strip()
    entries = _numbers(same_line)
    if same_line and (not entries or _NUMBERS_ONLY.sub("", same_line)):
        entry = _ENTRY.match(same_line)
        if entry is None:
            return None
        entries = [(int(entry[1] or entry[2]), entry[3].rstrip(_BLANKS))]
    below, end = _entries_below(text, heading.end())
    return _list(text, heading.start(), end, [*entries, *below], count)


def _in_last_line(text: str, count: int) -> SourcesList | None:
    """``… as needed. Sources: [1], [2]`` at the very end."""
    found = _INLINE.search(text, max(0, text.rstrip().rfind("\n")))
    if found is None or _NUMBERS_ONLY.sub("", text[found.end() :]):
        return None
    return _list(text, found.start(), len(text), _numbers(text[found.end() :]), count)


def _without_heading(text: str, cited: Sequence[Span]) -> SourcesList | None:
    """Last lines that each begin with a number cited in the text before."""
    end = len(text.rstrip())
    start = end
    entries: list[tuple[int, str]] = []
    while start > 0:
        line = text.rfind("\n", 0, start) + 1
        entry = _ENTRY.match(text[line:start].rstrip("\n"))
        if entry is None or entry[1] is None or not entry[3].rstrip(_BLANKS) or _IS_DEFINITION.match(text, line):
            break
        entries.append((int(entry[1]), entry[3].rstrip(_BLANKS)))
        start = max(0, line - 1)
    if not entries:
        return None
    begin = start + 1 if start else 0
    places = {number for span in cited if span[1] <= begin for number, _ in _numbers(text[slice(*span)])}
    if not {number for number, _ in entries} <= places:
        return None
    return SourcesList((_with_rule_before(text, begin), len(text)), text[begin:end], tuple(reversed(entries)))


def _list(text: str, start: int, end: int, entries: Collection[tuple[int, str]], count: int) -> SourcesList | None:
    if not entries or not all(1 <= number <= max(_HIGHEST, count) for number, _ in entries):
        return None
    behind = text[end:].strip()
    if len(behind) > _MOST_BEHIND or re.search(r"\[\d", behind):
        return None
    return SourcesList((_with_rule_before(text, start), end if behind else len(text)), text[start:end].strip(), tuple(entries))


def _entries_below(text: str, start: int) -> tuple[list[tuple[int, str]], int]:
    """The entries on the lines below a heading, and where the last of them ends; blank lines may stand between."""
    entries: list[tuple[int, str]] = []
    end = start
    place = start + 1
    while 0 < place <= len(text):
        stop = text.find("\n", place)
        line = text[place : stop if stop >= 0 else len(text)]
        entry = _ENTRY.match(line)
        if entry is None and line.strip():
            break
        if entry is not None:
            entries.append((int(entry[1] or entry[2]), entry[3].rstrip(_BLANKS)))
            end = place + len(line)
        place = stop + 1
        if stop < 0:
            break
    return entries, end


def _numbers(text: str) -> list[tuple[int, str]]:
    """The numbers of a list on one line, ranges counted out."""
    numbers: list[tuple[int, str]] = []
    for match in _NUMBERS.finditer(text):
        first, last = int(match[1]), int(match[2] or match[1])
        numbers += [(number, "") for number in range(first, min(last, first + _HIGHEST) + 1)]
    return numbers


def _with_rule_before(text: str, start: int) -> int:
    """Return where the white space and the line across the page before a list begin."""
    place = len(text[:start].rstrip())
    line = text.rfind("\n", 0, place) + 1
    if set(text[line:place].strip()) in ({"-"}, {"*"}, {"_"}) and place - line >= 3:
        return len(text[:line].rstrip())
    return place
