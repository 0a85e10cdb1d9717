"""What was checked and judged, to and from plain JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attribution.documents.figures_and_names import Missing, MissingKind
from attribution.documents.model import ReferenceCheck
from attribution.documents.quote_check import QuoteCheck, QuoteRule
from attribution.documents.quotes import SpanCheck
from attribution.documents.support import Support
from attribution.documents.trust import AnswerTrust, SourceTrust, TrustLevel
from attribution.documents.validity import Colour, Validity
from attribution.model import Span

Encoded = dict[str, Any]


def plain(value: float) -> float | int:
    """Canonical JSON writes 1, not 1.0, and no exponents: four digits are enough for any score."""
    rounded = round(value, 4)
    return int(rounded) if rounded == int(rounded) else rounded


def span_of(pair: Any) -> Span:
    """A span from its pair."""
    start, end = pair
    return start, end


def optional_span(pair: Any) -> Span | None:
    """A span from its pair, if there is one."""
    return None if pair is None else span_of(pair)


def encode_check(check: ReferenceCheck) -> Encoded:
    """Return what was found of one citation."""
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
    """The same, read back."""
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
    """Trust in one source."""
    encoded = {"tier": trust.tier, "name": trust.name, "score": plain(trust.score), "host": trust.host, "trace": trust.trace}
    return encoded | ({} if trust.is_age_known else {"age_unknown": True}) | ({"outdated": True} if trust.is_outdated else {})


def decode_trust(data: Mapping[str, Any]) -> SourceTrust:
    """The same, read back."""
    return SourceTrust(
        tier=data["tier"],
        name=data["name"],
        score=float(data["score"]),
        host=data["host"],
        trace=data["trace"],
        is_age_known="age_unknown" not in data,
        is_outdated="outdated" in data,
    )


def encode_answer_trust(trust: AnswerTrust) -> Encoded:
    """Trust in an answer."""
    score = None if trust.score is None else plain(trust.score)
    return {"score": score, "level": trust.level, "all_unknown": trust.is_all_unknown, "trace": trust.trace}


def decode_answer_trust(data: Mapping[str, Any]) -> AnswerTrust:
    """The same, read back."""
    score = None if data["score"] is None else float(data["score"])
    return AnswerTrust(score, TrustLevel(data["level"]), data["all_unknown"], data["trace"])


def encode_validity(validity: Validity) -> Encoded:
    """Return how well an answer is covered."""
    return {"colour": validity.colour, "per_sentence": plain(validity.per_sentence), "reason": validity.reason}


def decode_validity(data: Mapping[str, Any]) -> Validity:
    """The same, read back."""
    return Validity(Colour(data["colour"]), float(data["per_sentence"]), data["reason"])
