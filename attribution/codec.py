"""To and from canonical JSON, its digest, and JSON read strictly: no duplicate keys, no NaN, bounded depth, errors that say where.

The form is RFC 8785 for what the engine writes: ASCII keys, numbers between 0 and 1 or whole. A lone surrogate, which RFC 8785 has no
form for, is written as its escape, so that every answer has a digest. A row for a field that is neither cited nor found holds its name and
type only.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from attribution.errors import InputError
from attribution.model import (
    Attribution,
    Contradiction,
    Counted,
    Estimate,
    Evidence,
    Field,
    FieldAttribution,
    FieldType,
    Finding,
    GuardrailCode,
    Marker,
    MarkerStatus,
    Mentioned,
    Source,
    Span,
    Track,
)

SCHEMA_VERSION = 1
_NOTHING = "none"
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_OR_DOT = re.compile(r"\\(.)|\.", re.DOTALL)
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False).encode

Values = Mapping[tuple[str, str], Any]
"""The frozen values by section and path; a stored attribution does not repeat them."""


def canonical_bytes(value: Any) -> bytes:
    """Canonical JSON in UTF-8: sorted keys, no white space, lone surrogates escaped."""
    text = _encode(value)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text).encode()


def digest(canonical: bytes) -> str:
    """``sha256:`` and 64 hexadecimal digits."""
    return "sha256:" + hashlib.sha256(canonical).hexdigest()


def encode(attribution: Attribution) -> dict[str, Any]:
    """The attribution as plain JSON values."""
    return {
        "schema": SCHEMA_VERSION,
        "engine": attribution.engine_version,
        "profile": attribution.profile,
        "calibrated": attribution.is_calibrated,
        "source": attribution.source,
        "clean_text": attribution.clean_text,
        "fields": [_encode_row(row) for row in attribution.fields],
        "markers": [_encode_marker(marker) for marker in attribution.markers],
        "guardrails": [_encode_finding(finding) for finding in attribution.guardrails],
        "hidden_sections": list(attribution.hidden_sections),
    }


def decode(document: Mapping[str, Any], values: Values) -> Attribution:
    """The attribution that ``encode`` wrote, its fields given their frozen values again."""
    return Attribution(
        clean_text=document["clean_text"],
        source=Source(document["source"]),
        fields=tuple(_decode_row(row, values) for row in document["fields"]),
        markers=tuple(_decode_marker(marker) for marker in document["markers"]),
        guardrails=tuple(_decode_finding(finding) for finding in document["guardrails"]),
        hidden_sections=tuple(document["hidden_sections"]),
        profile=document["profile"],
        is_calibrated=document["calibrated"],
        engine_version=document["engine"],
    )


def _encode_row(row: FieldAttribution) -> dict[str, Any]:
    field = row.field
    encoded: dict[str, Any] = {
        "section": field.section,
        "path": field.path,
        "field_type": field.type,
        "track": row.track,
    }
    if field.is_hidden:
        encoded["hidden"] = True
    if row.contradiction:
        encoded["contradiction"] = _encode_contradiction(row.contradiction)
    if row.mentioned:
        encoded["mentioned"] = _encode_mentioned(row.mentioned)
    if row.track is Track.NEITHER:
        return encoded
    encoded |= {
        "method": row.method,
        "rule": row.rule,
        "score": _number(row.score),
        "confidence": _number(row.confidence),
        "cited": row.is_cited,
        "spans": row.spans,
        "trace": row.trace,
    }
    if row.estimate:
        encoded["estimate"] = _encode_estimate(row.estimate)
    if row.footnote is not None:
        encoded |= {"footnote": row.footnote, "claims": row.claims}
    if row.evidence:
        encoded["evidence"] = _encode_evidence(row.evidence)
    return encoded


def _encode_estimate(estimate: Estimate) -> dict[str, Any]:
    """Without the confidence: that is the row's."""
    return {
        "interval": [_number(estimate.low), _number(estimate.high)],
        "counted": [[each.node, each.right, each.labels] for each in estimate.counted],
        "prior": _number(estimate.prior),
        "worth": _number(estimate.worth),
    }


def _encode_evidence(evidence: Evidence) -> dict[str, Any]:
    """Without spans and trace: those are the row's."""
    encoded: dict[str, Any] = {"method": evidence.method, "rule": evidence.rule, "score": _number(evidence.score)}
    if evidence.is_ambiguous:
        encoded |= {"ambiguous": True, "uncapped_score": _number(evidence.uncapped_score)}
    if evidence.elements:
        encoded |= {"elements": evidence.elements, "elements_found": evidence.elements_found}
    return encoded


def _encode_contradiction(contradiction: Contradiction) -> dict[str, Any]:
    return {
        "recorded": contradiction.recorded,
        "stated": contradiction.stated,
        "spans": contradiction.spans,
        "trace": contradiction.trace,
    }


def _encode_mentioned(mentioned: Mentioned) -> dict[str, Any]:
    encoded: dict[str, Any] = {"assertion": mentioned.assertion, "spans": mentioned.spans, "trace": mentioned.trace}
    return encoded if mentioned.trigger is None else encoded | {"trigger": mentioned.trigger}


def _encode_marker(marker: Marker) -> dict[str, Any]:
    encoded: dict[str, Any] = {"text": marker.text, "status": marker.status, "raw": marker.raw}
    if marker.is_beside:
        encoded["beside"] = True
    optional = {
        "position": marker.position,
        "prefix": marker.prefix,
        "name": marker.name,
        "section": marker.section,
        "path": marker.path,
        "footnote": marker.footnote,
        "claim": marker.claim,
        "detail": marker.detail,
    }
    return encoded | {key: value for key, value in optional.items() if value is not None and value != ""}


def _encode_finding(finding: Finding) -> dict[str, Any]:
    encoded: dict[str, Any] = {
        "code": finding.code,
        "message": finding.message,
        "count": finding.count,
        "spans": finding.spans,
    }
    if finding.path is not None:
        encoded |= {"section": finding.section, "path": finding.path}
    return encoded


def _number(value: float) -> float | int:
    """Canonical JSON writes 1, not 1.0."""
    return int(value) if value == int(value) else value


def _decode_row(row: Mapping[str, Any], values: Values) -> FieldAttribution:
    section, path = row["section"], row["path"]
    kind = FieldType(row["field_type"])
    field = Field(section, path, _leaf(path), kind, values.get((section, path)), row.get("hidden", False))
    return FieldAttribution(
        field=field,
        track=Track(row["track"]),
        method=row.get("method", _NOTHING),
        rule=row.get("rule", _NOTHING),
        score=float(row.get("score", 0)),
        confidence=float(row.get("confidence", 0)),
        footnote=row.get("footnote"),
        claims=_spans(row.get("claims", ())),
        evidence=_decode_evidence(row) if "evidence" in row else None,
        contradiction=_decode_contradiction(row["contradiction"]) if "contradiction" in row else None,
        estimate=_decode_estimate(row) if "estimate" in row else None,
        mentioned=_decode_mentioned(row["mentioned"]) if "mentioned" in row else None,
    )


def _leaf(path: str) -> str:
    """The last key of a path; escaped dots belong to it."""
    dots = [match.end() for match in _ESCAPED_OR_DOT.finditer(path) if match[1] is None]
    return _ESCAPED_OR_DOT.sub(r"\1", path[dots[-1] :] if dots else path)


def _decode_estimate(row: Mapping[str, Any]) -> Estimate:
    estimate = row["estimate"]
    low, high = map(float, estimate["interval"])
    counted = tuple(Counted(node, right, labels) for node, right, labels in estimate["counted"])
    return Estimate(float(row["confidence"]), low, high, counted, float(estimate["prior"]), float(estimate["worth"]))


def _decode_evidence(row: Mapping[str, Any]) -> Evidence:
    evidence = row["evidence"]
    return Evidence(
        method=FieldType(evidence["method"]),
        rule=evidence["rule"],
        score=float(evidence["score"]),
        spans=_spans(row["spans"]),
        trace=row["trace"],
        uncapped_score=float(evidence.get("uncapped_score", 0)),
        elements=evidence.get("elements", 0),
        elements_found=evidence.get("elements_found", 0),
    )


def _decode_contradiction(data: Mapping[str, Any]) -> Contradiction:
    return Contradiction(data["recorded"], data["stated"], _spans(data["spans"]), data["trace"])


def _decode_mentioned(data: Mapping[str, Any]) -> Mentioned:
    trigger = _span(data["trigger"]) if "trigger" in data else None
    return Mentioned(data["assertion"], _spans(data["spans"]), trigger, data["trace"])


def _decode_marker(data: Mapping[str, Any]) -> Marker:
    return Marker(
        text=data["text"],
        prefix=data.get("prefix", ""),
        name=data.get("name", ""),
        status=MarkerStatus(data["status"]),
        raw=_span(data["raw"]),
        position=data.get("position"),
        section=data.get("section"),
        path=data.get("path"),
        footnote=data.get("footnote"),
        claim=_span(data["claim"]) if "claim" in data else None,
        detail=data.get("detail", ""),
        is_beside=data.get("beside", False),
    )


def _decode_finding(data: Mapping[str, Any]) -> Finding:
    return Finding(
        GuardrailCode(data["code"]), data["message"], data["count"], _spans(data["spans"]), data.get("section"), data.get("path")
    )


def _span(pair: Any) -> Span:
    start, end = pair
    return start, end


def _spans(pairs: Any) -> tuple[Span, ...]:
    return tuple(_span(pair) for pair in pairs)


DEEPEST = 64
_STRUCTURE = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)
"""A text, closed or not, or a bracket: each byte is looked at once."""


def read_json(data: bytes, deepest: int = DEEPEST) -> Any:
    """The value of one JSON document in UTF-8.

    Raises ``InputError`` for what is no JSON, invalid UTF-8, a duplicate key, NaN or Infinity, a number out of range, and nesting
    deeper than ``deepest``. Lone surrogates written as escapes are kept.
    """
    if data.count(b"[") + data.count(b"{") > deepest and _is_deeper(data, deepest):
        raise InputError("", f"nested deeper than {deepest} levels")
    try:
        return _decoder.decode(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError("", f"not UTF-8 at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise InputError("", f"not JSON: {error.msg.removesuffix(' at')} at line {error.lineno}, column {error.colno}") from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError("", "a number has too many digits") from error


def read_json_at(text: str, start: int, deepest: int = DEEPEST) -> tuple[Any, int]:
    """The JSON value that begins at an offset of a text, and where it ends; what follows it is not read.

    Raises ``InputError`` as ``read_json`` does.
    """
    rest = text[start:].encode("utf-8", "surrogatepass")
    if rest.count(b"[") + rest.count(b"{") > deepest and _is_deeper(rest, deepest):
        raise InputError("", f"nested deeper than {deepest} levels")
    try:
        return _decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise InputError("", f"not JSON: {error.msg.removesuffix(' at')} at line {error.lineno}, column {error.colno}") from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError("", "a number has too many digits") from error


def _is_deeper(data: bytes, deepest: int) -> bool:
    """Return True if anything is nested deeper, before anything is built; what follows it is not looked at."""
    depth = 0
    for match in _STRUCTURE.finditer(data):
        sign = match.group()
        if sign in b"[{":
            depth += 1
            if depth > deepest:
                return True
        elif sign in b"]}":
            depth -= 1
    return False


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise InputError("", f"duplicate key {json.dumps(key)}")
            seen.add(key)
    return result


def _refuse_constant(name: str) -> NoReturn:
    raise InputError("", f"{name} is not JSON")


def _float(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise InputError("", f"number out of range: {text[:32]}")
    return number


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_float)
