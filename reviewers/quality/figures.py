"""What is counted of answers, by the names of the columns.

``answers`` are all; most of the others say how many answers have one of the queue's facets. ``labels`` counts verdicts that hold.
"""

from __future__ import annotations

from collections.abc import Mapping

FACETS: Mapping[str, str] = {
    "by_citation": "source:citation",
    "by_mixed": "source:mixed",
    "by_heuristic": "source:heuristic",
    "by_none": "source:none",
    "contradicted": "guardrail:contradicted",
    "unknown": "guardrail:unknown",
    "absent": "guardrail:absent",
    "hidden": "guardrail:hidden",
    "ambiguous": "guardrail:ambiguous",
    "echoed": "guardrail:echoed",
    "quoted": "guardrail:quoted",
    "malformed": "guardrail:malformed",
    "duplicate": "guardrail:duplicate",
    "over_cited": "guardrail:over_cited",
    "withheld": "answer:withheld",
    "repaired": "answer:repaired",
}
"""Figures that count the answers with a facet."""

FIGURES = ("answers", *FACETS, "documented", "citing", "found_afterwards", "submitted", "blind", "labels", "given")
"""All of them, in the order of the columns.

``documented`` are answers that were given documents, ``citing`` those of them that were given at all and cite some by themselves.
``found_afterwards`` are answers that a search found citations for, ``submitted`` those whose review is complete, ``blind`` those that
somebody may have yet to judge without knowing what the engine says. ``given`` stands in rows of a section: so many answers were given it.
"""
