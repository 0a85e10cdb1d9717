"""Citations of fields as JSON beside the text: for each entry the field that it names, and the words of the answer that it is for."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from attribution import lenient_json
from attribution.answer import Answer
from attribution.markers import Parsed
from attribution.markers.grammar import LONGEST_MARKER, WrittenMarker, strip
from attribution.markers.resolution import FieldIndex, resolve
from attribution.model import Field, Marker, MarkerStatus, Span
from attribution.schema.registry import Registry
from attribution.text import fold, nearest, split_words

Key = tuple[str | None, str | None]
"""Section and path of a field that is cited."""

MOST_STATED = 1_000
"""Entries that are read: more than any answer has fields."""
_LONGEST_NAME = 200
_LONGEST_WORDS = 20_000


class _Entry(NamedTuple):
    """An entry that was read. ``key`` is prefix and name as a marker has them, empty where it names no field; ``text`` is how it is shown.

    ``claim`` is the place of its words in the clean text. ``fault`` says what is wrong with it, by its number: one with a key counts all
    the same.
    """

    text: str
    key: tuple[str, str]
    claim: Span | None
    fault: str


def with_stated(
    parsed: Parsed, stated: Sequence[Any], response: str, fields: Sequence[Field], registry: Registry, hidden: Collection[str]
) -> Parsed:
    """Return the citations of an answer with those that are stated beside it, as if these were markers behind the words that they are for.

    An entry is an object that names a field, by ``tool`` (a prefix or a section) and ``field``, or by ``path``, or a text such as
    ``SF:risk_level``. The words that it is for are in ``text``, or at ``start`` to ``end``, also as ``span``, of the answer as it was sent.
    Of words that stand in the answer several times the offsets tell which are meant, else they are the first. What a marker in the text
    cites as well is there once.
    """
    places = Places([each for each in parsed.markers if each.status is not MarkerStatus.MALFORMED])
    prefixes = {section.name.lower(): section.prefix for section in registry.sections}
    entries = [
        _read(number, entry, prefixes, response, parsed.answer, places) for number, entry in enumerate(stated[:MOST_STATED], start=1)
    ]
    marked = _claims_by_field(parsed.markers)
    index = FieldIndex(fields, [_written(each) for each in entries])
    markers = [*parsed.markers]
    for each in entries:
        end = places.raw_end(each.claim[1]) if each.claim else len(response)
        marker = _marker(each, (end, end), index, registry, hidden)
        if not _is_marked(marker, marked):
            markers.append(marker)
    markers.sort(key=_place)
    return replace(parsed, markers=tuple(_numbered(markers)), faults=tuple([each.fault for each in entries if each.fault]))


def _read(number: int, entry: Any, prefixes: Mapping[str, str], response: str, answer: Answer, places: Places) -> _Entry:
    key, fault = _field_of(entry, prefixes)
    if key is None:
        return _Entry(f"entry {number}", ("", ""), None, f"entry {number} {fault}")
    claim, fault = _claim_of(lenient_json.mapping(entry), response, answer, places)
    return _Entry(":".join(key)[:LONGEST_MARKER], key, claim, f"entry {number} {fault}" if fault else "")


def _written(entry: _Entry) -> WrittenMarker:
    return WrittenMarker(entry.text, entry.key, (0, 0))


def _marker(entry: _Entry, raw: Span, index: FieldIndex, registry: Registry, hidden: Collection[str]) -> Marker:
    """Return the marker that an entry stands for; its footnote is only a sign that it has one. It is in no text that could be an echo."""
    (prefix, name), claim = entry.key, entry.claim
    if not name:
        return Marker(entry.text, "", "", MarkerStatus.MALFORMED, raw, None, detail=entry.fault, is_beside=True)
    status, field, detail = resolve(_written(entry), index, registry, hidden, ())
    marker = Marker(entry.text, prefix, name, status, raw, claim[1] if claim else None, detail=detail or entry.fault, is_beside=True)
    return marker if field is None else marker._replace(section=field.section, path=field.path, footnote=0, claim=claim)


def _claims_by_field(markers: Iterable[Marker]) -> dict[Key, list[Span]]:
    """Return the clauses that the markers of each field follow, in the order of the answer; they do not overlap."""
    claims: dict[Key, list[Span]] = {}
    for marker in markers:
        if marker.footnote is not None:
            claims.setdefault((marker.section, marker.path), []).extend([marker.claim] if marker.claim else ())
    return claims


def _is_marked(stated: Marker, marked: Mapping[Key, Sequence[Span]]) -> bool:
    """Return True if a marker in the text is the same citation: of the same field, for words in common or for any where none are told."""
    claim, claims = stated.claim, marked.get((stated.section, stated.path))
    if claims is None or claim is None:
        return claims is not None
    behind = bisect_right(claims, claim[0], key=_end)
    return behind < len(claims) and claims[behind][0] < claim[1]


def _end(span: Span) -> int:
    return span[1]


def _place(marker: Marker) -> Span:
    return marker.raw


def _numbered(markers: Iterable[Marker]) -> Iterator[Marker]:
    """Yield markers with footnotes in this order; a field cited again keeps its number and counts once."""
    footnotes: dict[Key, int] = {}
    for marker in markers:
        key = (marker.section, marker.path)
        if marker.footnote is None:
            yield marker
        elif key in footnotes:
            detail = f"cited before, as footnote {footnotes[key]}"
            yield marker._replace(footnote=footnotes[key], status=MarkerStatus.DUPLICATE, detail=detail)
        else:
            footnotes[key] = len(footnotes) + 1
            detail = marker.detail if marker.is_beside else ""
            yield marker._replace(footnote=footnotes[key], status=MarkerStatus.RESOLVED, detail=detail)


def _field_of(entry: Any, prefixes: Mapping[str, str]) -> tuple[tuple[str, str] | None, str]:
    """Return the field that an entry names, as the key of a marker, or what is wrong with it."""
    if not isinstance(entry, dict | str):
        return None, "is neither an object nor text"
    found = lenient_json.mapping(entry)
    name = entry if isinstance(entry, str) else lenient_json.text(found, "field", "path")
    section = lenient_json.text(found, "tool", "prefix", "section").strip()
    name = name.strip().removeprefix("[[").removesuffix("]]")
    if not section:
        section, name = _parted(name, prefixes)
    if not name:
        return None, "names no field"
    if not section:
        return None, "names no section"
    if len(name) > _LONGEST_NAME or len(section) > _LONGEST_NAME:
        return None, "has too long a name"
    return (prefixes.get(section.lower(), section.upper()), name.lower()), ""


def _parted(name: str, prefixes: Mapping[str, str]) -> tuple[str, str]:
    """Return section and field of a name that has both: ``SF:risk_level`` or ``safety.risk_level``. A section's name may have dots."""
    prefix, colon, field = name.partition(":")
    if colon:
        return prefix.strip(), field.strip()
    known = [section for section in prefixes if name[: len(section) + 1].lower() == f"{section}."]
    if known:
        longest = max(known, key=len)
        return longest, name[len(longest) + 1 :]
    section, dot, field = name.partition(".")
    return (section, field) if dot else ("", name)


def _claim_of(entry: lenient_json.Object, response: str, answer: Answer, places: Places) -> tuple[Span | None, str]:
    """Return the words of the answer that an entry is for, if it tells any, and what is wrong with what it tells."""
    words = strip(lenient_json.text(entry, "text")[:_LONGEST_WORDS]).strip()
    offsets, fault = _offsets_of(entry, len(response))
    span = places.clean_span(offsets, answer.text) if offsets else None
    if not words:
        return span, fault or ("gives a place without words" if offsets and not span else "")
    found = _nearest(words, answer, span[0] if span else 0)
    return found, "" if found else "gives words that are not in the answer"


def _offsets_of(entry: lenient_json.Object, length: int) -> tuple[Span | None, str]:
    """Return the offsets that an entry tells, or what is wrong with them."""
    pair = lenient_json.items(entry.get("span", [entry.get("start"), entry.get("end")]))
    if pair == [None, None]:
        return None, ""
    start, end = map(lenient_json.as_whole, pair) if len(pair) == len(("start", "end")) else (None, None)
    if start is None or end is None:
        return None, "gives a place that is no pair of whole numbers"
    return ((start, end), "") if 0 <= start < end <= length else (None, "gives a place that the answer does not have")


def _nearest(words: str, answer: Answer, near: int) -> Span | None:
    """Return where words stand, the place nearest to an offset; where they do not stand so, the same words with other signs between."""
    if exact := nearest(answer.text, answer.backwards, words, near):
        return exact
    folded = tuple(split_words(fold(words)))
    spans = [answer.span(place, len(folded)) for place in answer.find(folded)] if folded else []
    return min(spans, key=lambda span: abs(span[0] - near), default=None)


class Places:
    """The offsets of an answer as it was sent and of its clean text, each from the other, by the markers that were taken out."""

    def __init__(self, markers: Sequence[Marker]) -> None:
        self._positions = [marker.position or 0 for marker in markers]
        self._ends = [marker.raw[1] for marker in markers]
        self._taken = [end - position for end, position in zip(self._ends, self._positions, strict=True)]
        self._starts = [position + before for position, before in zip(self._positions, [0, *self._taken], strict=False)]

    def raw_end(self, position: int) -> int:
        """Return where the sign before an offset of the clean text ends in the answer as it was sent."""
        before = bisect_left(self._positions, position)
        return position + (self._taken[before - 1] if before else 0)

    def clean_span(self, raw: Span, text: str) -> Span | None:
        """Return a span of the answer as it was sent in its clean ``text``, without the white space around it; None if it has no words."""
        start, end = map(self._clean, raw)
        written = text[start:end]
        start += len(written) - len(written.lstrip())
        end = start + len(written.strip())
        return (start, end) if start < end else None

    def _clean(self, offset: int) -> int:
        before = bisect_right(self._starts, offset) - 1
        if before < 0:
            return offset
        return self._positions[before] if offset < self._ends[before] else offset - self._taken[before]
