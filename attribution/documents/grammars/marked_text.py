"""Reads the citations that are in an answer's text, in all grammars at once, and takes them out of it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from attribution.budget import MOST_POINTERS
from attribution.documents.grammars.numbered import Bracket, NotProse, Reading, find_brackets, read, read_keyed, read_numbered
from attribution.documents.references import Issue, IssueCode, WrittenCitation
from attribution.documents.removal import CleanText, parts_to_remove, with_space_before
from attribution.documents.resolution import SourceIndex
from attribution.markers.grammar import find_markers
from attribution.model import Span

# The list of sources that some answers end with: ``Sources used: [1], [3]``, or a heading and an entry on each line.

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
_HIGHEST_LISTED = 99


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
    if not entries or not all(1 <= number <= max(_HIGHEST_LISTED, count) for number, _ in entries):
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
        numbers += [(number, "") for number in range(first, min(last, first + _HIGHEST_LISTED) + 1)]
    return numbers


def _with_rule_before(text: str, start: int) -> int:
    """Return where the white space and the line across the page before a list begin."""
    place = len(text[:start].rstrip())
    line = text.rfind("\n", 0, place) + 1
    if set(text[line:place].strip()) in ({"-"}, {"*"}, {"_"}) and place - line >= 3:
        return len(text[:line].rstrip())
    return place


_WORDS_BEFORE = 24
_FEWEST_BEFORE = 12
_HIGHEST = 999


def without_echoes(
    raw: str, citations: Sequence[WrittenCitation], passages: Iterable[str]
) -> tuple[list[WrittenCitation], list[WrittenCitation]]:
    """The citations that are the model's own, and those that are in a passage just so, with the same words before them."""
    ends = [(each, _end(raw, each.raw[0], each.raw[1])) for each in citations if each.raw is not None]
    if not ends:
        return list(citations), []
    copied = {
        end for passage in passages if "[" in passage for found in find_brackets(passage, _HIGHEST) if (end := _end(passage, *found.raw))
    }
    if not copied:
        return list(citations), []
    return [each for each, end in ends if end not in copied], [each for each, end in ends if end in copied]


def _end(text: str, start: int, end: int) -> str:
    """A mark with the words before it; empty where there are too few to tell."""
    before = max(0, start - _WORDS_BEFORE)
    return text[before:end] if start - before >= _FEWEST_BEFORE else ""


_WORDS = r"(?:documents?|docs?|sources?|src|references?|refs?)"
_NAMED = r"([^\[\]()\n]{1,200}?)"
_KEYED = re.compile(
    rf"\(\s?citation\s?:\s?{_NAMED}\s?\)|\[\s?citation[ \t]{{1,3}}{_NAMED}\s?\]"
    rf"|\[\s?(?:cite|{_WORDS})\s?[:=]\s?{_NAMED}\s?\]",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    rf"\[{_WORDS}[._#-]?(\d{{1,3}})\]|\({_WORDS}\.?[ \u00a0_#-]?(\d{{1,3}})\)|\[\^(\d{{1,3}})\]"
    r"|【(\d{1,3})(?::\d{1,3})?†[^【】\n]{0,200}】",
    re.IGNORECASE,
)
_RAISED = re.compile(r"(?:(?<=[^\W\d_]{3})|(?<=[^\W\d_]{3}[.!?,;)”’\"]))([⁰¹²³⁴-⁹]{1,2})(?![\w⁰¹²³⁴-⁹/^])")
_BARE = re.compile(r"\[([^\[\]()\n]{2,200})\](?![(\[:])")
_DEFINED = re.compile(r"^[ \t]{0,3}\[([^\^\[\]\n][^\[\]\n]{0,80})\]:", re.MULTILINE)
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_NEEDED = ("needed", "required", "missing")
_SHOWN = 80
_MOST_TOLD = 40


class NearMiss(NamedTuple):
    """Something that was nearly a citation, and what it says of it."""

    raw: Span
    message: str


def find_near_misses(text: str, count: int, known: Collection[str], taken: Collection[Span]) -> list[NearMiss]:
    """Return what was nearly a citation of ``count`` documents or of the ids in ``known``; ``taken`` is what was read as one."""
    outside = NotProse(text)
    definitions = frozenset(_DEFINED.findall(text)) if "]:" in text else frozenset()
    spans = sorted(taken)
    found: list[NearMiss] = []
    for each in sorted([*_keyed(text, count, known), *_numbered(text, count), *_raised(text, count), *_backwards(text, count)]):
        is_link = text.startswith("](", each.raw[1] - 1) or text[each.raw[0] + 1 : each.raw[1] - 1] in definitions
        if len(found) < _MOST_TOLD and not is_link and not outside.hold(each.raw[0]) and not _overlaps(each.raw, spans):
            found.append(each)
            insort(spans, each.raw)
    return found


def _overlaps(raw: Span, spans: Sequence[Span]) -> bool:
    behind = bisect_left(spans, (raw[1], 0))
    return behind > 0 and raw[0] < spans[behind - 1][1]


def _keyed(text: str, count: int, known: Collection[str]) -> Iterator[NearMiss]:
    for match in _KEYED.finditer(text):
        name = next(part for part in match.groups() if part).strip()
        is_loose = match[2] is not None
        if is_loose and (name.lower() in _NEEDED or not (":" in name or name in known)):
            continue
        meant = f"[{name}]" if name.isdecimal() and int(name) <= count else f"[citation:{name}]"
        yield _miss(text, match.span(), meant)
    for match in _BARE.finditer(text):
        name = match[1].strip()
        if not name.isdecimal() and (name in known or name.partition(":")[0] in known):
            yield _miss(text, match.span(), f"[citation:{name}]")


def _numbered(text: str, count: int) -> Iterator[NearMiss]:
    for match in _NUMBERED.finditer(text):
        if match[4] is not None:
            yield _miss(text, match.span(), "a citation that stands in the provider's own response")
            continue
        number = int(next(part for part in match.groups() if part))
        if match[3] is None or number <= count:
            yield _miss(text, match.span(), f"[{number}]" if 1 <= number <= count else "")


def _raised(text: str, count: int) -> Iterator[NearMiss]:
    for match in _RAISED.finditer(text):
        number = int(match[1].translate(_DIGITS))
        if 1 <= number <= count:
            yield _miss(text, match.span(), f"[{number}]")


def _backwards(text: str, count: int) -> Iterator[NearMiss]:
    """Yield ranges that end before they begin."""
    for bracket in find_brackets(text, count):
        if any(first > last and 1 <= last <= count for first, last in bracket.parts) and _is_cited(text, bracket):
            parts = [sorted(part) for part in bracket.parts]
            meant = ", ".join([f"{first}-{last}" if first != last else str(first) for first, last in parts])
            yield _miss(text, bracket.raw, f"[{meant}]")


def _is_cited(text: str, bracket: Bracket) -> bool:
    """Return True if it would be read as a citation if it were the right way round."""
    return max(bracket.parts[0]) < 100 and read(text, bracket._replace(is_plausible=True), (), False) is not Reading.TEXT  # noqa: FBT003


def _miss(text: str, raw: Span, meant: str) -> NearMiss:
    written = text[slice(*raw)][:_SHOWN]
    told = f"; {meant[:_SHOWN]} was probably meant" if meant else ""
    return NearMiss(raw, f"‘{written}’ is no citation as it is written{told}")


_LAST: Span = (1 << 60, 1 << 60)


class MarkedText(NamedTuple):
    """An answer's citations in their order, the list at its end, its text without both, and what is wrong with marks that stay."""

    citations: list[WrittenCitation]
    sources_list: SourcesList | None
    clean: CleanText
    issues: list[Issue]


def read_marked_text(raw: str, sources: SourceIndex, beside: Sequence[WrittenCitation] = (), *, are_read: bool = True) -> MarkedText:
    """The citations of an answer that was given ``sources``, with those that were made ``beside`` it.

    Markers of fields are taken out as well. Numbers are not looked for where a provider says itself what is cited
    (``are_read`` is false).
    """
    count = len(sources.places)
    numbered = read_numbered(raw, count) if are_read else []
    found = find_sources_list(raw, count, [span for each in numbered if (span := each.raw)]) if are_read else None
    if found is not None:
        start, end = found.raw
        numbered = read_numbered(raw[:start] + "\n" * (end - start) + raw[end:], count)
    marked = {each.raw for each in beside if each.raw is not None}
    numbered = [each for each in numbered if each.raw not in marked]
    numbered, echoed = without_echoes(raw, numbered, [source.content for source in sources.all])
    numbered, more = _first(numbered)
    written, malformed = read_keyed(raw)
    written, more_keyed = _first(written)
    keyed = [each for each in written if each.raw is not None and (found is None or not _inside(each.raw, found.raw))]
    keyed = [each for each in keyed if each.raw not in marked]
    citations = sorted([*numbered, *keyed, *beside], key=_place)
    marks = {span for each in citations if (span := each.raw) and span[0] < span[1]}
    fields = with_space_before(raw, [marker.raw for marker in find_markers(raw)])
    parts = [*parts_to_remove(raw, sorted(marks)), *fields]
    taken = [*marks, *([found.raw] if found else []), *[each.raw for each in echoed if each.raw]]
    missed = find_near_misses(raw, count, sources.known, taken) if are_read and sources.all else []
    left = _left(len(citations), are_all=not (more or more_keyed))
    return MarkedText(
        citations,
        found,
        CleanText(raw, [*parts, found.raw] if found else parts),
        [*_cut([*malformed, *[each.message for each in missed]]), *_echoes(echoed), *left],
    )


def _first(citations: list[WrittenCitation]) -> tuple[list[WrittenCitation], bool]:
    """The first citations, as many as together point to so many sources, and whether there are others."""
    pointers = list(accumulate([len(each.pointers) for each in citations]))
    count = bisect_right(pointers, MOST_POINTERS)
    return citations[:count], count < len(citations)


def _left(count: int, *, are_all: bool) -> list[Issue]:
    if are_all:
        return []
    return [Issue(IssueCode.READ_IN_PART, f"{count:,} citations are read; those behind them stand in the text as they are")]


def _cut(messages: Sequence[str]) -> list[Issue]:
    return [Issue(IssueCode.MALFORMED, message) for message in messages]


def _echoes(echoed: Sequence[WrittenCitation]) -> list[Issue]:
    why = "stands in a document just so, with the words before it: it is the document's own"
    return [Issue(IssueCode.ECHOED, f"‘{each.text}’ {why}") for each in echoed]


def _place(citation: WrittenCitation) -> Span:
    """In the order of the text; what has no place in it comes last."""
    return citation.raw or (citation.claim and (citation.claim[1], citation.claim[1])) or _LAST


def _inside(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] < outer[1]
