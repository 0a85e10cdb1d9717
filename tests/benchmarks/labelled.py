"""Turns and labels to measure with, made up here."""

from __future__ import annotations

from typing import Any

from benchmarks.accuracy.verdicts import Verdict, judge


def turn(number: int = 1, **changes: Any) -> dict[str, Any]:
    """The fee is told, the city is not, and of the rating nobody is sure."""
    return {
        "id": f"turn-{number}",
        "source": "made/up/Dentists",
        "user_text": "who is near?",
        "response": "Alder House Dental asks $85 for a first visit.",
        "context": {"provider_genome": {"practice_name": "Alder House Dental", "fee": 85, "city": "Norwich", "rating": 4.5}},
        "gold": [
            label("practice_name", is_meant=True, spans=[[0, 18]]),
            label("fee", is_meant=True),
            label("city", is_meant=False),
            label("rating", is_meant=None),
        ],
    } | changes


def label(path: str, *, is_meant: bool | None, spans: list[list[int]] | None = None) -> dict[str, Any]:
    return {"section": "provider_genome", "path": path, "field": path, "referenced": is_meant, "spans": spans}


def row(path: str, confidence: float = 0.95, *, rule: str = "whole_phrase", spans: Any = (), ambiguous: bool = False) -> dict[str, Any]:
    """As the command line writes it."""
    evidence: dict[str, Any] = {"method": "field_value", "rule": rule, "score": confidence}
    if ambiguous:
        evidence["ambiguous"] = True
    return {"section": "provider_genome", "path": path, "confidence": confidence, "spans": spans, "trace": "seen", "evidence": evidence}


def verdicts(*rows: dict[str, Any], **changes: Any) -> list[Verdict]:
    made = turn(**changes)
    return judge([made], {made["id"]: {"fields": list(rows)}})


def citing(**changes: Any) -> dict[str, Any]:
    """An answer with two labelled claims, one of which nobody is sure of, and two labelled quotes, one wrongly taken for verbatim."""
    document = {"id": "1", "url": None, "text": "Alder House Dental asks $85 for a first visit. It is closed on Sundays."}
    claims = [
        {"claim": "Alder House Dental asks $85 for a first visit [1].", "docs": ["1"], "label": "complete", "supported": True},
        {"claim": "Perhaps it is closed.", "docs": ["1"], "label": "unclear", "supported": None},
    ]
    quotes = [
        {"text": "closed on Sundays", "doc": "1", "match": "exact", "verified": True},
        {"text": "asks $95 for a first visit", "doc": "1", "match": "exact", "verified": True},
    ]
    return (
        turn(id="papers-1", gold=[], conversation_id="papers-7", documents=[document], citations_gold=claims, quotes_gold=quotes) | changes
    )
