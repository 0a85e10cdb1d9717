"""Repair: an answer without a citation gets the best evidence attached afterwards, as sources of the whole answer."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.documents.model import CitableSource, Grammar, Reference, ReferenceStatus, Target
from attribution.documents.referencing import Ledger

MOST_ATTACHED = 5
ALWAYS_ATTACHED = 3
_ENOUGH = 0.5
"""Of the fourth and fifth, those that score at least half as much as the best."""


def repair(ledger: Ledger) -> None:
    """Attach the three to five best chunks if nothing is cited. They have no position and never count as the model's."""
    if any(reference.sources for reference in ledger.references):
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


def best(sources: Sequence[CitableSource]) -> list[CitableSource]:
    """The best by retrieval score, those without a score or a text left out; equal ones in the order given."""
    scored = [(source.score, source) for source in sources if source.score is not None and source.content]
    ranked = sorted(scored, key=lambda each: -each[0])[:MOST_ATTACHED]
    return [source for place, (score, source) in enumerate(ranked) if place < ALWAYS_ATTACHED or score >= _ENOUGH * ranked[0][0]]
