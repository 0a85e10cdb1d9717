"""What the engine says of an answer, without the texts that somebody is not shown.

A mask has one length, and whatever stood somewhere in a text stands on all of its mask: neither lengths nor places tell anything.
Methods, rules, scores, footnotes and counts stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar, cast

from attribution import Attribution, Contradiction, DocumentAttribution, Evidence, FieldAttribution, Finding, Marker, Reference, Span
from reviewers.accounts.texts import Text, kind_of
from reviewers.review.masking.keys import mask_key, mask_path
from reviewers.web.masks import MASK

Masked = TypeVar("Masked")

WHOLE: Span = (0, len(MASK))
"""All of a mask."""

_VALUES = frozenset({Text.CLIENT, Text.PROVIDER})
_SPANS = frozenset({"span", "quote_span", "claim"})
_PLACES = frozenset({"position"})
_KEPT = frozenset({"id", "source", "engine_version", "name", "raw"})
"""Names of sources that the engine gave, tiers, and places that only put footnotes in order."""


def mask_record(record: Mapping[str, Any], hidden: frozenset[Text]) -> Mapping[str, Any]:
    """A frozen record without the message and the answer, where these are hidden; its values are read from rows alone."""
    if Text.QUESTION in hidden and record.get("user_text"):
        record = {**record, "user_text": MASK}
    if Text.ANSWER in hidden:
        record = {**record, "response": MASK, "documents": [], "tool_calls": []}
    return record


def mask_attribution(attribution: Attribution, hidden: frozenset[Text]) -> Attribution:
    """An attribution without the texts of hidden kinds."""
    if not hidden & {Text.ANSWER, *_VALUES}:
        return attribution
    rows = tuple([_row(row, hidden) for row in attribution.fields])
    findings = tuple([_finding(each, hidden) for each in attribution.guardrails])
    if Text.ANSWER not in hidden:
        return replace(attribution, fields=rows, guardrails=findings)
    markers = tuple([_marker(each, hidden) for each in attribution.markers])
    return replace(attribution, clean_text=MASK if attribution.clean_text else "", fields=rows, markers=markers, guardrails=findings)


def mask_grounds(grounds: DocumentAttribution, hidden: frozenset[Text]) -> DocumentAttribution:
    """What is said of documents without any text of theirs or of the answer."""
    if Text.ANSWER not in hidden:
        return grounds
    masked: DocumentAttribution = _everything(grounds)
    return replace(masked, removed=(), raw_text=masked.clean_text)


def mask_reference(reference: Reference, hidden: frozenset[Text]) -> Reference:
    """The same of one citation."""
    masked: Reference = _everything(reference) if Text.ANSWER in hidden else reference
    return masked


def _row(row: FieldAttribution, hidden: frozenset[Text]) -> FieldAttribution:
    is_value_hidden, is_answer_hidden = kind_of(row.field.section) in hidden, Text.ANSWER in hidden
    if not (is_value_hidden or is_answer_hidden):
        return row
    if is_value_hidden and row.field.value not in (None, "", [], {}):
        row = row._replace(field=row.field._replace(value=MASK))
    if is_value_hidden:
        field = row.field
        row = row._replace(field=field._replace(section=mask_key(field.section), path=mask_path(field.path), leaf=mask_key(field.leaf)))
    return row._replace(
        claims=_one(row.claims) if is_answer_hidden else row.claims,
        evidence=_evidence(row.evidence, is_answer_hidden=is_answer_hidden),
        contradiction=_contradiction(row.contradiction, is_value_hidden=is_value_hidden, is_answer_hidden=is_answer_hidden),
    )


def _evidence(evidence: Evidence | None, *, is_answer_hidden: bool) -> Evidence | None:
    """Its sentence has words of both."""
    if evidence is None:
        return None
    return evidence._replace(trace=MASK, spans=_one(evidence.spans) if is_answer_hidden else evidence.spans)


def _contradiction(contradiction: Contradiction | None, *, is_value_hidden: bool, is_answer_hidden: bool) -> Contradiction | None:
    if contradiction is None:
        return None
    return Contradiction(
        recorded=MASK if is_value_hidden else contradiction.recorded,
        stated=MASK if is_answer_hidden else contradiction.stated,
        spans=_one(contradiction.spans) if is_answer_hidden else contradiction.spans,
        trace=MASK,
    )


def _finding(finding: Finding, hidden: frozenset[Text]) -> Finding:
    if finding.section is not None and finding.path is not None and kind_of(finding.section) in hidden:
        finding = replace(finding, section=mask_key(finding.section), path=mask_path(finding.path))
    return replace(finding, message=MASK, spans=_one(finding.spans) if Text.ANSWER in hidden else finding.spans)


def _marker(marker: Marker, hidden: frozenset[Text]) -> Marker:
    """Behind all of the text, in their order: which is that of the footnotes."""
    claim = WHOLE if marker.claim else None
    if marker.section is not None and marker.path is not None and kind_of(marker.section) in hidden:
        marker = marker._replace(section=mask_key(marker.section), path=mask_path(marker.path))
    return marker._replace(text=MASK, prefix="", name=MASK, position=len(MASK), claim=claim, detail=MASK if marker.detail else "")


def _one(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    return (WHOLE,) if spans else ()


def _everything(value: Masked, name: str = "") -> Masked:
    """Any result with masks for all texts in it, whatever it is made of: what the engine tells some day is masked as well."""
    return cast("Masked", _masked(value, name))


def _masked(value: Any, name: str) -> Any:
    if value is None or name in _KEPT or isinstance(value, Enum | bool):
        return value
    if isinstance(value, str):
        return MASK if value else value
    if name in _SPANS:
        return WHOLE
    return len(MASK) if name in _PLACES else _inside(value)


def _inside(value: Any) -> Any:
    """What is made of others."""
    if isinstance(value, Mapping):
        return {key: _masked(each, "") for key, each in value.items()}
    if isinstance(value, tuple | list):
        named = getattr(value, "_fields", None)
        if named:
            return type(value)(*(_masked(each, name) for name, each in zip(named, value, strict=True)))
        return type(value)(_masked(each, "") for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{each.name: _masked(getattr(value, each.name), each.name) for each in fields(value)})
    return value
