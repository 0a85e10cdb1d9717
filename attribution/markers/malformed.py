"""Near-markers: what a model wrote when it meant a marker and missed. They are findings, shown as written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from attribution.answer import Answer
from attribution.markers.grammar import INVISIBLE, LONGEST_MARKER, WrittenMarker, skeleton
from attribution.model import Span

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
