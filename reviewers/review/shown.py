"""What a reviewer saw of what they labelled, at that moment, so that the label stays valid when the engine changes."""

from __future__ import annotations

from typing import Any

from attribution import FieldAttribution
from reviewers.review.citations import CitationKey, failures_of
from reviewers.review.items import Item


def shown_of_row(item: Item, row: FieldAttribution) -> dict[str, Any]:
    """Of a row: what it claimed, by which rule, how surely."""
    attribution = item.attribution
    return {
        "attribution": str(item.row.attribution_id),
        "profile": attribution.profile,
        "engine": attribution.engine_version,
        "calibrated": attribution.is_calibrated,
        "field_type": row.field.type.value,
        "track": row.track.value,
        "method": row.method,
        "rule": row.rule,
        "score": row.score,
        "uncapped_score": row.evidence.uncapped_score if row.evidence and row.evidence.is_ambiguous else row.score,
        "evidence": f"{row.evidence.method}.{row.evidence.rule}" if row.evidence else None,
        "confidence": row.confidence,
        "contradicted": row.contradiction is not None,
        **_circumstances(item),
        **({"planted": True} if item.claims(row) and not row.is_used else {}),
    }


def shown_of_citation(item: Item, key: CitationKey) -> dict[str, Any]:
    """Of a citation: how it was written, what became of it and of its checks, in codes and figures without any words of the answer.

    One that is not there any more, as when a label is taken back after another attribution, was not shown.
    """
    seen = {"attribution": str(item.row.attribution_id), **_circumstances(item)}
    citation = next((each for each in item.citations if each.key == key), None)
    if citation is None or item.grounds is None:
        return seen
    reference, check = citation.reference, citation.reference.check
    return seen | {
        "documents": "sha256:" + bytes(item.row.attribution.documents.digest).hex(),
        "engine": item.grounds.engine_version,
        "grammar": reference.grammar.value,
        "status": reference.status.value,
        "reference": reference.ordinal,
        "words": list(reference.span) if reference.span else None,
        "checked": check is not None,
        "failures": failures_of(check) if check else [],
        "quote": check.quote.rule.value if check and check.quote else None,
        "quote_verified": check.quote.is_verified if check and check.quote else None,
        "support": check.support.probability if check and check.support else None,
        "trust": item.grounds.trust[citation.source].score,
    }


def _circumstances(item: Item) -> dict[str, Any]:
    """Whether the reviewer was blind, and for which plan they looked."""
    return {"blind": item.is_blind} | ({"plan": str(item.row.plan_id)} if item.row.plan_id else {})
