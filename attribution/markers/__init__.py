"""Markers: how an answer cites the fields of its context, read once from the raw answer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from attribution.answer import Answer
from attribution.markers.claim import claim_before
from attribution.markers.clean import Stripper, clean, strip
from attribution.markers.grammar import WrittenMarker, find_markers
from attribution.markers.malformed import NearMarker, find_near_markers
from attribution.markers.quoting import Quotations
from attribution.markers.resolution import FieldIndex, Verdict, given_markers, resolve
from attribution.model import Field, Marker, MarkerStatus, new
from attribution.registry import Registry

__all__ = ["Parsed", "Stripper", "parse_markers", "strip"]

_QUOTED: Verdict = (MarkerStatus.QUOTED, None, "inside code or a quotation")


@dataclass(frozen=True, slots=True)
class Parsed:
    """An answer without its markers, prepared for matching, and the markers in the order in which they were written."""

    answer: Answer
    markers: tuple[Marker, ...]


def parse_markers(
    response: str,
    fields: Sequence[Field],
    registry: Registry,
    hidden: Collection[str],
    others: Sequence[object] = (),
    answered_on: date | None = None,
    asked: str = "",
) -> Parsed:
    """All markers of a raw answer with their status, place, footnote and the clause they stand behind.

    ``others`` is what the model was given besides the fields; a marker that stands in any of it is an echo.
    ``asked`` is what the user wrote before.
    """
    written = tuple(find_markers(response))
    clean_text, positions = clean(response, written)
    answer = Answer(clean_text, answered_on, asked)
    markers: list[Marker] = []
    if written:
        verdicts = _verdicts(response, written, fields, registry, hidden, others)
        markers = list(_number(written, positions, verdicts, answer))
    near = list(_malformed(find_near_markers(response, answer, written, registry.prefixes), markers))
    return Parsed(answer, tuple(sorted(markers + near, key=lambda marker: marker.raw)) if near else tuple(markers))


def _verdicts(
    response: str,
    written: Sequence[WrittenMarker],
    fields: Sequence[Field],
    registry: Registry,
    hidden: Collection[str],
    others: Sequence[object],
) -> Iterator[Verdict]:
    index = FieldIndex(fields, written)
    given = given_markers(fields, others)
    quotations = Quotations(response)
    has_quotations = bool(quotations)
    known: dict[tuple[str, str], Verdict] = {}
    for marker in written:
        if marker.key not in known:
            known[marker.key] = resolve(marker, index, registry, hidden, given)
        yield _QUOTED if has_quotations and quotations.hold(marker.raw) else known[marker.key]


def _number(written: Sequence[WrittenMarker], positions: Sequence[int], verdicts: Iterator[Verdict], answer: Answer) -> Iterator[Marker]:
    """Footnotes in order of first citation; a field cited again keeps its number and counts once.

    A claim does not reach back over the marker before it, unless that one is only quoted.
    """
    footnotes: dict[tuple[str, str], int] = {}
    floor = 0
    for marker, position, (status, field, detail) in zip(written, positions, verdicts, strict=True):
        if field is None:
            yield Marker(marker.text, *marker.key, status, marker.raw, position, detail=detail)
        else:
            key = (field.section, field.path)
            repeated = f"cited before, as footnote {footnotes[key]}" if key in footnotes else ""
            footnote = footnotes.setdefault(key, len(footnotes) + 1)
            claim = claim_before(answer, position, floor)
            final = MarkerStatus.DUPLICATE if repeated else status
            yield new(Marker, (marker.text, *marker.key, final, marker.raw, position, *key, footnote, claim, repeated))
        if status is not MarkerStatus.QUOTED:
            floor = position


def _malformed(found: Iterable[NearMarker], markers: Sequence[Marker]) -> Iterator[Marker]:
    """Near-markers, in their order, each at its place in the clean text: as far behind the marker before it as in the raw answer."""
    before = 0
    for each in found:
        start = each.raw[0]
        while before < len(markers) and markers[before].raw[0] < start:
            before += 1
        position = markers[before - 1].position + start - markers[before - 1].raw[1] if before else start
        yield Marker(each.text, "", "", MarkerStatus.MALFORMED, each.raw, position, detail=each.reason)
