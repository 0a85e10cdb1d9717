"""The rows to check first: those that contradict the record, citations whose check failed, and low scores, as links to the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from reviewers.review.items import ReviewItem, field_key
from reviewers.review.page.documents import ShownDocuments
from reviewers.review.page.rows import FieldRow, MethodRows, RowBuilder

LOW = 0.5
"""A score below this is low. A calibrated confidence is low if it is below the cut-off of its profile."""

_MOST = 8
"""The most rows of each kind that are named."""


class ToCheck(NamedTuple):
    """A row to check: its address on the page, its name, and why."""

    address: str
    name: str
    why: str
    tone: str
    icon: str


def rows_to_check(item: ReviewItem, groups: Sequence[MethodRows], grounding: ShownDocuments | None) -> list[ToCheck]:
    """Return the rows without a verdict that are likely to be wrong. A blind reviewer may know none of them."""
    if item.is_blind:
        return []
    rows = [row for group in groups for row in group.rows if not row.given.verdict and not row.is_planted]
    contradicted = [_contradicted(row, f"#row-{row.number}") for row in rows if row.contradiction]
    denied = [_contradicted(row, f"?unfound=1#row-{row.number}") for row in _denied(item)]
    low = sorted((row for row in rows if _is_low(row) and not row.contradiction), key=lambda row: row.confidence)
    failed = list(_failed_citations(grounding)) if grounding else []
    return [*contradicted[:_MOST], *denied, *failed[:_MOST], *map(_low, low[:_MOST])]


def _denied(item: ReviewItem) -> list[FieldRow]:
    """Return the first contradicted rows that the page folds away, because the answer does not use the field otherwise."""
    builder = RowBuilder(item)
    found = [(number, row) for number, row in enumerate(item.shown.attribution.fields) if row.contradiction and not item.claims(row)]
    labelled = {key for key, label in item.current.items() if label.is_verdict}
    return [builder.build(number, row) for number, row in islice((each for each in found if field_key(each[1]) not in labelled), _MOST)]


def _is_low(row: FieldRow) -> bool:
    return row.is_below if row.bounds else row.confidence < LOW


def _contradicted(row: FieldRow, address: str) -> ToCheck:
    return ToCheck(address, row.label, f"answer says {row.contradiction}", "bad", "clash")


def _low(row: FieldRow) -> ToCheck:
    kind = "confidence" if row.bounds else "score"
    return ToCheck(f"#row-{row.number}", row.label, f"low {kind}, {row.confidence:.2f}", "warn", "unsure")


def _failed_citations(grounding: ShownDocuments) -> Iterator[ToCheck]:
    """Return the citations on the page with a check that found something wrong."""
    for source in grounding.sources:
        for citation in source.citations:
            failed = next((badge for badge, _ in citation.checks if badge.tone in ("bad", "warn")), None)
            if failed and not citation.judged.given.verdict:
                number = citation.judged.number
                name = f"Citation {number + 1}, {citation.judged.name}"
                yield ToCheck(f"#citation-{number}", name, failed.text, failed.tone, failed.icon)
