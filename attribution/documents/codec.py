"""To and from plain JSON values. Texts of sources are not repeated: a snapshot keeps them once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attribution.documents.check_codec import (
    decode_answer_trust,
    decode_check,
    decode_trust,
    decode_validity,
    encode_answer_trust,
    encode_check,
    encode_trust,
    encode_validity,
    plain,
    span_of,
)
from attribution.documents.citation import Grammar
from attribution.documents.model import Issue, IssueCode, Reference, ReferenceStatus, Target
from attribution.documents.result import Claim, DocumentAttribution
from attribution.documents.source import CitableSource, SourceKind

SCHEMA_VERSION = 1
_GREATEST = 1e15
_NAMES = ("source_id", "chunk_id", "namespace", "title", "uri", "path", "domain", "origin", "published_at", "snippet", "tool", "request")
"""What a source may leave empty; empty ones are not written."""


def encode_documents(attribution: DocumentAttribution) -> dict[str, Any]:
    """The attribution as plain JSON values, without the raw text and the texts of the sources."""
    return {
        "schema": SCHEMA_VERSION,
        "engine": attribution.engine_version,
        "clean_text": attribution.clean_text,
        "removed": attribution.removed,
        "sources": [_encode_source(source) | {"trust": encode_trust(attribution.trust[source.id])} for source in attribution.sources],
        "references": [encode_reference(reference) for reference in attribution.references],
        "issues": [without_empty(issue._asdict()) for issue in attribution.issues],
        "claims": [without_empty(claim._asdict()) for claim in attribution.claims],
        "unanswered_aspects": list(attribution.unanswered_aspects),
        "abstention_reason": attribution.abstention_reason,
        "repaired": attribution.is_repaired,
        "validity": encode_validity(attribution.validity),
        "trust": encode_answer_trust(attribution.answer_trust),
    }


def decode_documents(document: Mapping[str, Any], raw_text: str, contents: Mapping[str, str]) -> DocumentAttribution:
    """The attribution that ``encode_documents`` wrote, given the raw text and the texts of its sources by their ids again."""
    return DocumentAttribution(
        raw_text=raw_text,
        clean_text=document["clean_text"],
        removed=tuple([span_of(pair) for pair in document["removed"]]),
        sources=tuple([_decode_source(each, contents) for each in document["sources"]]),
        references=tuple([decode_reference(ordinal, each) for ordinal, each in enumerate(document["references"])]),
        issues=tuple([_decode_issue(each) for each in document["issues"]]),
        validity=decode_validity(document["validity"]),
        trust={each["id"]: decode_trust(each["trust"]) for each in document["sources"]},
        answer_trust=decode_answer_trust(document["trust"]),
        claims=tuple([_decode_claim(each) for each in document["claims"]]),
        unanswered_aspects=tuple(document["unanswered_aspects"]),
        abstention_reason=document["abstention_reason"],
        engine_version=document["engine"],
    )


def _encode_source(source: CitableSource) -> dict[str, Any]:
    encoded: dict[str, Any] = {"id": source.id, "type": source.kind}
    if source.page is not None:
        encoded["page"] = source.page
    if source.score is not None and abs(source.score) < _GREATEST:
        encoded["score"] = plain(source.score)
    found = {name: getattr(source, name) for name in _NAMES}
    return encoded | {name: value for name, value in found.items() if value}


def encode_reference(reference: Reference) -> dict[str, Any]:
    """A reference as plain JSON values."""
    encoded = {
        "index": reference.ordinal,
        "grammar": reference.grammar,
        "status": reference.status,
        "text": reference.text,
        "targets": [without_empty(target._asdict()) for target in reference.targets],
        "source_ids": list(reference.sources),
        "position": reference.position,
        "raw": reference.raw,
        "quote": reference.quote,
        "quote_span": reference.quote_span,
        "confidence": reference.confidence,
    }
    if reference.span is not None:
        encoded |= {"start": reference.span[0], "end": reference.span[1]}
    if reference.check is not None:
        encoded["check"] = encode_check(reference.check)
    return without_empty(encoded)


def without_empty(values: dict[str, Any]) -> dict[str, Any]:
    """Return what is not nothing nor an empty text."""
    return {name: value for name, value in values.items() if value is not None and value != ""}


def _decode_source(each: Mapping[str, Any], contents: Mapping[str, str]) -> CitableSource:
    score = each.get("score")
    return CitableSource(
        id=each["id"],
        kind=SourceKind(each["type"]),
        content=contents.get(each["id"], ""),
        page=each.get("page"),
        score=None if score is None else float(score),
        **{name: each.get(name, "") for name in _NAMES},
    )


def decode_reference(ordinal: int, each: Mapping[str, Any]) -> Reference:
    """The reference that ``encode_reference`` wrote."""
    return Reference(
        ordinal=ordinal,
        grammar=Grammar(each["grammar"]),
        status=ReferenceStatus(each["status"]),
        text=each.get("text", ""),
        targets=tuple([Target(target.get("written", ""), target.get("source")) for target in each["targets"]]),
        position=each.get("position"),
        span=(each["start"], each["end"]) if "start" in each else None,
        raw=span_of(each["raw"]) if "raw" in each else None,
        quote=each.get("quote", ""),
        quote_span=span_of(each["quote_span"]) if "quote_span" in each else None,
        confidence=each.get("confidence", ""),
        check=decode_check(each["check"]) if "check" in each else None,
    )


def _decode_issue(each: Mapping[str, Any]) -> Issue:
    return Issue(IssueCode(each["code"]), each["message"], each.get("reference"), each.get("source"))


def _decode_claim(each: Mapping[str, Any]) -> Claim:
    span = span_of(each["span"]) if "span" in each else None
    return Claim(each.get("text", ""), span, tuple(each["references"]), each.get("confidence", ""))
