"""What was nearly a citation: ``[doc1]``, ``(citation:a:1)``, ``[cite:b]``, ``[^1]``, ``¹``. It cites nothing, and that is said.

What must not be taken for one: definitions of footnotes, code, links, powers and units.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from attribution.documents.grammars.bracket import Bracket, find_brackets
from attribution.documents.grammars.numbered import NotProse
from attribution.documents.grammars.surroundings import Reading, read
from attribution.model import Span

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
