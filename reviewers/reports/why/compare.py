"""Compare several suggestions of one conversation side by side, with the same rows for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from attribution import FieldAttribution
from reviewers.reports.why.cautions import cautions_of, uses_of
from reviewers.reports.why.sheet import MOST_ROWS, SheetValue, entry_of, is_unused, quotes_of
from reviewers.reports.why.wording import Quote, cut, stated_of
from reviewers.review.items import ReviewItem, field_key
from reviewers.review.labels.queries import FieldKey, ReviewLabels
from reviewers.snapshots.field_labels import label_of, section_label

_LONGEST_STATED = 60


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A suggestion: provider, time, reviewers, and its cautions in short."""

    id: UUID
    provider: str
    answered_at: datetime
    checked_by: str
    cautions: Sequence[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class SuggestionValue:
    """One value in one suggestion: what the answer does with it, and the sentence that uses it."""

    words: str
    tone: str
    icon: str
    entry: SheetValue | None = None
    quote: Quote | None = None


@dataclass(frozen=True, slots=True)
class ValueRow:
    """One value of the context in all suggestions."""

    name: str
    section: str
    cells: Sequence[SuggestionValue]


@dataclass(frozen=True, slots=True)
class SuggestionComparison:
    """The whole comparison. ``more`` counts rows that there is no room for."""

    columns: Sequence[Suggestion]
    rows: Sequence[ValueRow]
    more: int


_ABSENT = SuggestionValue("not in the record then", "quiet", "none")


def compare_suggestions(items: Sequence[ReviewItem], reviews: Mapping[UUID, Sequence[ReviewLabels]]) -> SuggestionComparison:
    """Compare the answers by each value that at least one of them uses or contradicts."""
    tables = [{field_key(row): row for row in item.shown.attribution.fields} for item in items]
    spoken_of = {key: row for table in tables for key, row in table.items() if row.is_used or row.contradiction}
    keys = [key for key in dict.fromkeys(key for table in tables for key in table) if key in spoken_of]
    return SuggestionComparison(
        columns=[_column(item, reviews.get(item.id, ())) for item in items],
        rows=[_row(key, spoken_of[key], items, tables) for key in keys[:MOST_ROWS]],
        more=max(0, len(keys) - MOST_ROWS),
    )


def _column(item: ReviewItem, reviews: Sequence[ReviewLabels]) -> Suggestion:
    snapshot = item.row.snapshot
    cautions = cautions_of(item, reviews, uses_of(item, reviews))
    short = dict.fromkeys((each.tone, each.icon, each.title) for each in cautions)
    return Suggestion(item.id, item.names.provider, snapshot.answered_at, ", ".join(review.name for review in reviews), list(short))


def _row(
    key: FieldKey, row: FieldAttribution, items: Sequence[ReviewItem], tables: Sequence[Mapping[FieldKey, FieldAttribution]]
) -> ValueRow:
    cells = [_cell(table.get(key), item) for item, table in zip(items, tables, strict=True)]
    return ValueRow(label_of(row.field), section_label(row.field.section), cells)


def _cell(row: FieldAttribution | None, item: ReviewItem) -> SuggestionValue:
    if row is None:
        return _ABSENT
    quotes = quotes_of(row, item)
    words, tone, icon = _state(row)
    return SuggestionValue(words, tone, icon, None if row.field.is_hidden else entry_of(row), quotes[0] if quotes else None)


def _state(row: FieldAttribution) -> tuple[str, str, str]:
    if row.contradiction:
        return f"the answer says “{cut(stated_of(row), _LONGEST_STATED).text}”", "bad", "clash"
    if row.is_cited:
        return "the assistant said it used this", "accent", "citation"
    if row.is_used:
        return "in the answer", "good", "check"
    return ("not mentioned", "quiet", "none") if is_unused(row) else ("kept from the assistant or empty", "quiet", "pause")
