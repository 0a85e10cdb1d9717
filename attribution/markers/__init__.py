"""Markers: how an answer cites the fields of its context, read once from the raw answer."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from attribution.answer import Answer
from attribution.markers.grammar import NearMarker, Stripper, WrittenMarker, clean, find_markers, find_near_markers, strip
from attribution.markers.resolution import FieldIndex, Quotations, Verdict, claim_before, given_markers, resolve
from attribution.model import Field, Marker, MarkerStatus, Span, new
from attribution.schema.registry import Registry

__all__ = ["Parsed", "Stripper", "parse_markers", "strip"]

_QUOTED: Verdict = (MarkerStatus.QUOTED, None, "inside code or a quotation")


@dataclass(frozen=True, slots=True)
class Parsed:
    """An answer without its markers, prepared for matching, and the markers in the order in which they were written.

    ``faults`` say what is wrong with citations beside the text.
    """

    answer: Answer
    markers: tuple[Marker, ...]
    faults: tuple[str, ...] = ()


def parse_markers(
    response: str,
    fields: Sequence[Field],
    registry: Registry,
    hidden: Collection[str],
    others: Sequence[object] = (),
    answered_on: date | None = None,
    asked: str = "",
) -> Parsed:
    """All markers of a raw answer with their status, place, footnote and the clause they follow.

    ``others`` is what the model was given besides the fields; a marker that is in any of it is an echo.
    ``asked`` is what the user wrote before.
    """
    written = find_markers(response)
    clean_text, positions = clean(response, written)
    answer = Answer(clean_text, answered_on, asked)
    markers: list[Marker] = []
    if written:
        verdicts = _verdicts(response, written, fields, registry, hidden, others)
        markers = _number(written, positions, verdicts, answer)
    near = find_near_markers(response, answer, written, registry.prefixes)
    return Parsed(answer, tuple(sorted([*markers, *_malformed(near, markers)], key=_place) if near else markers))


def _place(marker: Marker) -> Span:
    return marker.raw


def _verdicts(
    response: str,
    written: Sequence[WrittenMarker],
    fields: Sequence[Field],
    registry: Registry,
    hidden: Collection[str],
    others: Sequence[object],
) -> list[Verdict]:
    index = FieldIndex(fields, written)
    given = given_markers(fields, others)
    quotations = Quotations(response)
    has_quotations = bool(quotations)
    known: dict[tuple[str, str], Verdict] = {}
    verdicts: list[Verdict] = []
    for marker in written:
        _, key, raw = marker
        if key not in known:
            known[key] = resolve(marker, index, registry, hidden, given)
        verdicts.append(_QUOTED if has_quotations and quotations.hold(raw) else known[key])
    return verdicts


def _number(written: Sequence[WrittenMarker], positions: Sequence[int], verdicts: Sequence[Verdict], answer: Answer) -> list[Marker]:
    """Footnotes in order of first citation; a field cited again keeps its number and counts once.

    A claim does not reach back over the marker before it, unless that one is only quoted.
    """
    footnotes: dict[tuple[str, str], int] = {}
    markers: list[Marker] = []
    floor = 0
    for (text, (prefix, name), raw), position, (status, field, detail) in zip(written, positions, verdicts, strict=True):
        if field is None:
            markers.append(new(Marker, (text, prefix, name, status, raw, position, None, None, None, None, detail, False)))
        else:
            section, path = key = (field[0], field[1])
            repeated = f"cited before, as footnote {footnotes[key]}" if key in footnotes else ""
            footnote = footnotes.setdefault(key, len(footnotes) + 1)
            claim = claim_before(answer, position, floor)
            final = MarkerStatus.DUPLICATE if repeated else status
            markers.append(new(Marker, (text, prefix, name, final, raw, position, section, path, footnote, claim, repeated, False)))
        if status is not MarkerStatus.QUOTED:
            floor = position
    return markers


def _malformed(found: Sequence[NearMarker], markers: Sequence[Marker]) -> Iterator[Marker]:
    """Near-markers, in their order, each at its place in the clean text: as far behind the marker before it as in the raw answer."""
    before = 0
    for each in found:
        start = each.raw[0]
        while before < len(markers) and markers[before].raw[0] < start:
            before += 1
        position = (markers[before - 1].position or 0) + start - markers[before - 1].raw[1] if before else start
        yield Marker(each.text, "", "", MarkerStatus.MALFORMED, each.raw, position, detail=each.reason)
