"""The decisions on an answer's rows, as far as its reader may know of the labels they rest on."""

from __future__ import annotations

from reviewers.reports.exporting.concluded import Decided
from reviewers.reports.exporting.loading import Loaded
from reviewers.reports.exporting.moments import written
from reviewers.review.citations import CitationKey
from reviewers.review.deciding.rules import Row, rows_of
from reviewers.review.plan_models import Phase, Rule


def decisions_of(loaded: Loaded) -> tuple[Decided, ...]:
    """Of an answer that several review, once all of them have; nothing where any of their reviews may not be seen."""
    standing = loaded.item.standing
    is_known = standing.phase is not Phase.INDEPENDENT and len(loaded.reviews) == len(standing.reviews)
    if loaded.drawn is None or standing.overlap == 1 or not is_known:
        return ()
    rule = Rule(loaded.drawn.plan.rule)
    return tuple([_decided(row, rule, standing.round) for row in rows_of(loaded.compared, rule, loaded.made)])


def _decided(row: Row, rule: Rule, number: int) -> Decided:
    is_citation, made = isinstance(row.key, CitationKey), row.made
    return Decided(
        id=str(made.id) if made else "",
        kind="citation" if is_citation else "field",
        name=row.key.source if isinstance(row.key, CitationKey) else ".".join(row.key),
        outcome=row.outcome.value,
        verdict=row.verdict,
        rule=str(rule.label),
        by=made.name if made else "",
        at=written(made.decided_at) if made else "",
        reason=made.reason if made else "",
        round=number,
    )
