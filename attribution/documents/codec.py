"""Results to and from plain JSON values. Texts of sources are not repeated: a snapshot keeps them once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attribution.documents.differences import QuoteCheck, QuoteRule
from attribution.documents.figures_and_names import Missing, MissingKind
from attribution.documents.quotes import SpanCheck
from attribution.documents.references import Grammar, Issue, IssueCode, Reference, ReferenceCheck, ReferenceStatus, Target
from attribution.documents.sources import CitableSource, SourceKind
from attribution.documents.support import Support
from attribution.documents.trust import AnswerTrust, SourceTrust, TrustLevel
from attribution.documents.validity import Claim, Colour, DocumentAttribution, Validity
from attribution.model import Span

Encoded = dict[str, Any]


def plain(value: float) -> float | int:
    """Canonical JSON writes 1, not 1.0, and no exponents: four digits are enough for any score."""
    rounded = round(value, 4)
    return int(rounded) if rounded == int(rounded) else rounded


def span_of(pair: Any) -> Span:
    """Return a span from its pair."""
    start, end = pair
    return start, end


def optional_span(pair: Any) -> Span | None:
    """Return a span from its pair, if there is one."""
    return None if pair is None else span_of(pair)


def encode_check(check: ReferenceCheck) -> Encoded:
    """Return the check of one citation as plain JSON values."""
    encoded: Encoded = {"passages": list(check.passages)}
    if check.support is not None:
        encoded["support"] = _encode_support(check.support)
    if check.missing:
        encoded["missing"] = [{"kind": each.kind, "text": each.text, "span": each.span, "trace": each.trace} for each in check.missing]
    if check.quote is not None:
        encoded["quote"] = _encode_quote(check.quote)
    if check.quote_span is not None:
        encoded["quote_span"] = {"verified": check.quote_span.is_verified, "trace": check.quote_span.trace}
    return encoded


def decode_check(data: Mapping[str, Any]) -> ReferenceCheck:
    """Return the check that ``encode_check`` wrote."""
    span = data.get("quote_span")
    return ReferenceCheck(
        passages=tuple(data["passages"]),
        support=_decode_support(data["support"]) if "support" in data else None,
        missing=tuple(
            [Missing(MissingKind(each["kind"]), each["text"], span_of(each["span"]), each["trace"]) for each in data.get("missing", ())]
        ),
        quote=_decode_quote(data["quote"]) if "quote" in data else None,
        quote_span=SpanCheck(is_verified=span["verified"], trace=span["trace"]) if span else None,
    )


def _encode_support(support: Support) -> Encoded:
    encoded: Encoded = {
        "probability": plain(support.probability),
        "passage": support.passage,
        "window": support.window,
        "excerpt": support.is_excerpt,
        "missing": list(support.missing),
        "trace": support.trace,
    }
    if support.opposite:
        encoded["opposite"] = support.opposite
    if support.doubt:
        encoded["doubt"] = support.doubt
    return encoded


def _decode_support(data: Mapping[str, Any]) -> Support:
    return Support(
        probability=float(data["probability"]),
        passage=data["passage"],
        window=optional_span(data["window"]),
        is_excerpt=data["excerpt"],
        missing=tuple(data["missing"]),
        trace=data["trace"],
        opposite=data.get("opposite", ""),
        doubt=data.get("doubt", ""),
    )


def _encode_quote(quote: QuoteCheck) -> Encoded:
    return {
        "rule": quote.rule,
        "verified": quote.is_verified,
        "similarity": plain(quote.similarity),
        "window": quote.window,
        "trace": quote.trace,
    }


def _decode_quote(data: Mapping[str, Any]) -> QuoteCheck:
    return QuoteCheck(QuoteRule(data["rule"]), float(data["similarity"]), optional_span(data["window"]), data["trace"])


def encode_trust(trust: SourceTrust) -> Encoded:
    """Return the trust in one source as plain JSON values."""
    encoded = {"tier": trust.tier, "name": trust.name, "score": plain(trust.score), "host": trust.host, "trace": trust.trace}
    encoded |= {"table": trust.table} if trust.table else {}
    return encoded | ({} if trust.is_age_known else {"age_unknown": True}) | ({"outdated": True} if trust.is_outdated else {})


def decode_trust(data: Mapping[str, Any]) -> SourceTrust:
    """Return the trust that ``encode_trust`` wrote."""
    return SourceTrust(
        tier=data["tier"],
        name=data["name"],
        score=float(data["score"]),
        host=data["host"],
        trace=data["trace"],
        is_age_known="age_unknown" not in data,
        is_outdated="outdated" in data,
        table=data.get("table", ""),
    )


def encode_answer_trust(trust: AnswerTrust) -> Encoded:
    """Return the trust in an answer as plain JSON values."""
    score = None if trust.score is None else plain(trust.score)
    return {"score": score, "level": trust.level, "all_unknown": trust.is_all_unknown, "trace": trust.trace}


def decode_answer_trust(data: Mapping[str, Any]) -> AnswerTrust:
    """Return the trust that ``encode_answer_trust`` wrote."""
    score = None if data["score"] is None else float(data["score"])
    return AnswerTrust(score, TrustLevel(data["level"]), data["all_unknown"], data["trace"])


def encode_validity(validity: Validity) -> Encoded:
    """Return the validity of an answer as plain JSON values."""
    return {"colour": validity.colour, "per_sentence": plain(validity.per_sentence), "reason": validity.reason}


def decode_validity(data: Mapping[str, Any]) -> Validity:
    """Return the validity that ``encode_validity`` wrote."""
    return Validity(Colour(data["colour"]), float(data["per_sentence"]), data["reason"])


SCHEMA_VERSION = 1
_GREATEST = 1e15
_NAMES = ("source_id", "chunk_id", "namespace", "title", "uri", "path", "domain", "origin", "published_at", "snippet", "tool", "request")
"""Texts that a source may leave empty; empty ones are not written."""


def encode_documents(attribution: DocumentAttribution) -> dict[str, Any]:
    """Return the attribution as plain JSON values, without the raw text and the texts of the sources."""
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
    """Return the attribution that ``encode_documents`` wrote, given the raw text and the texts of its sources by their ids again."""
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
    """Return a reference as plain JSON values."""
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
    """Return the values that are neither None nor an empty text."""
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
    """Return the reference that ``encode_reference`` wrote."""
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
