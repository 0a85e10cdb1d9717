"""The found rows of the evidence table by method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attribution import FieldAttribution
from reviewers.review import words
from reviewers.review.items import Item
from reviewers.review.page_rows import Row, RowBuilder


@dataclass(frozen=True, slots=True)
class Group:
    """The rows of one method."""

    title: str
    note: str
    rows: Sequence[Row]


def groups_of(item: Item) -> list[Group]:
    """The found rows by method, in each the surest first; in a blind review all together in the order of the record."""
    builder = RowBuilder(item)
    claimed = [(number, row) for number, row in enumerate(item.shown.attribution.fields) if item.claims(row)]
    if item.is_blind:
        return [Group(*words.BLIND_GROUP, [builder.build(number, row) for number, row in claimed])] if claimed else []
    by_method: dict[str, list[tuple[int, FieldAttribution]]] = {}
    for number, row in claimed:
        by_method.setdefault(row.method if row.is_used else words.PLANTED, []).append((number, row))
    order = [*words.METHODS, *sorted(by_method.keys() - words.METHODS.keys())]
    return [
        Group(
            words.METHODS.get(method, method),
            words.METHOD_NOTES.get(method, ""),
            [builder.build(number, row) for number, row in sorted(by_method[method], key=_surest_first)],
        )
        for method in order
        if method in by_method
    ]


def _surest_first(numbered: tuple[int, FieldAttribution]) -> tuple[float, int, int]:
    """By confidence, then in the order of the footnotes, then of the context."""
    number, row = numbered
    return -row.confidence, row.footnote or 0, number
