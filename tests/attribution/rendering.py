"""Writes results as the lines that fixtures expect."""

from __future__ import annotations

import unicodedata

from attribution import Attribution, FieldAttribution, Marker, Span


def rows(attribution: Attribution) -> str:
    """One line for each field: what matching found."""
    return "\n".join(f"{_place(row)}: {_found(row, attribution.clean_text)}" for row in attribution.fields)


def tracks(attribution: Attribution) -> str:
    """The source, and one line for each field: what the model reports beside what matching found."""
    text = attribution.clean_text
    lines = [f"{_place(row)}: {row.track}{_footnote(row.footnote)}; {_found(row, text)}" for row in attribution.fields]
    return "\n".join([f"source: {attribution.source}", *lines])


def markers(attribution: Attribution) -> str:
    """The clean text, and one line for each marker."""
    return "\n".join([f"clean: {_shown(attribution.clean_text)}", *(_marker(each, attribution) for each in attribution.markers)])


def contradictions(attribution: Attribution) -> str:
    """One line for each field that the answer contradicts."""
    lines = [
        f"{_place(row)}: record {row.contradiction.recorded}, answer {row.contradiction.stated}"
        f"{_quoted(row.contradiction.spans, attribution.clean_text)}"
        for row in attribution.fields
        if row.contradiction
    ]
    return "\n".join(lines) or "nothing"


def findings(attribution: Attribution) -> str:
    """One line for each guardrail finding."""
    lines = [f"{each.code} {each.count}: {each.message}" for each in attribution.guardrails]
    return "\n".join(lines) or "nothing"


def traces(attribution: Attribution) -> str:
    """One line for each field that is used: the sentence a reviewer checks."""
    return "\n".join(f"{_place(row)}: {row.trace}" for row in attribution.used)


def _place(row: FieldAttribution) -> str:
    return f"{row.field.section}.{row.field.path}"


def _found(row: FieldAttribution, text: str) -> str:
    evidence = row.evidence
    if evidence is None:
        return "nothing"
    ambiguous = " ambiguous" if evidence.is_ambiguous else ""
    coverage = f", {evidence.elements_found} of {evidence.elements}" if evidence.elements else ""
    return f"{evidence.method}.{evidence.rule} {evidence.score:.2f}{ambiguous}{_quoted(evidence.spans, text)}{coverage}"


def _marker(marker: Marker, attribution: Attribution) -> str:
    claim = f", claim {_shown(attribution.clean_text[slice(*marker.claim)])}" if marker.claim else ""
    detail = f", {marker.detail}" if marker.detail else ""
    place = "no place" if marker.position is None else marker.position
    return f"{_shown(marker.text)} {marker.status} at {place}{_footnote(marker.footnote)}{claim}{detail}"


def _footnote(number: int | None) -> str:
    return "" if number is None else f", footnote {number}"


def _quoted(spans: tuple[Span, ...], text: str) -> str:
    return "".join(f" {_shown(text[start:end])}" for start, end in spans)


def _shown(text: str) -> str:
    """Quoted; line breaks, invisible characters and loose accents spelled out."""
    return '"' + "".join(character if _is_plain(character) else f"<U+{ord(character):04X}>" for character in text) + '"'


def _is_plain(character: str) -> bool:
    return character.isprintable() and not unicodedata.combining(character)
