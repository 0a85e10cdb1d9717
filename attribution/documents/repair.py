"""What is done for an answer that cites nothing: its sentences are matched with the sources, or the best evidence is attached."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.documents.citation import Grammar
from attribution.documents.clarifying import is_clarifying_question
from attribution.documents.found import to_references
from attribution.documents.model import Reference, ReferenceStatus, Target
from attribution.documents.post_hoc import find_references
from attribution.documents.referencing import Ledger
from attribution.documents.searching import is_code_only
from attribution.documents.source import CitableSource

MOST_ATTACHED = 5
ALWAYS_ATTACHED = 3
_ENOUGH = 0.5
"""Of the fourth and fifth, those that score at least half as much as the best."""


def repair(ledger: Ledger, clean: str, abstention_reason: str = "") -> None:
    """Attach the three to five best chunks if nothing is cited. They have no position and never count as the model's.

    Nothing is attached to an answer that was withheld, that only asks back, or that is code alone: there is nothing to source.
    """
    if any(reference.sources for reference in ledger.references):
        return
    if abstention_reason or is_code_only(clean) or is_clarifying_question(clean):
        return
    for source in best(ledger.index.all):
        ledger.references.append(
            Reference(
                ordinal=len(ledger.references),
                grammar=Grammar.REPAIR,
                status=ReferenceStatus.REPAIRED,
                text=source.id,
                targets=(Target(source.id, source.id),),
            )
        )


def search(ledger: Ledger, clean: str, question: str) -> None:
    """Match the sentences of an answer that cites nothing with its sources. What is found is never the model's own citation."""
    sources = ledger.index.all
    if any(reference.sources for reference in ledger.references) or not sources:
        return
    found = find_references(clean, [source.content for source in sources], question)
    ledger.references += to_references(found, sources, len(ledger.references))


def best(sources: Sequence[CitableSource]) -> list[CitableSource]:
    """The best by retrieval score, those without a text left out; where none has a score, the first three in the order retrieved."""
    readable = [source for source in sources if source.content.strip()]
    scored = [(source.score, source) for source in readable if source.score is not None]
    ranked = sorted(scored, key=lambda each: -each[0])[:MOST_ATTACHED]
    if not ranked:
        return readable[:ALWAYS_ATTACHED]
    return [source for place, (score, source) in enumerate(ranked) if place < ALWAYS_ATTACHED or score >= _ENOUGH * ranked[0][0]]
