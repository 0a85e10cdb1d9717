"""Goes through many rows, a few hundred at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from django.db.models import Model, QuerySet

PAGE = 500
M = TypeVar("M", bound=Model)


def pages(rows: QuerySet[M], by: str) -> Iterator[list[M]]:
    """Rows in the order of a unique column, in portions."""
    rows = rows.order_by(by)
    page = list(rows[:PAGE])
    while page:
        yield page
        page = list(rows.filter(**{f"{by}__gt": getattr(page[-1], by)})[:PAGE])


def each(rows: QuerySet[M], by: str) -> Iterator[M]:
    """Rows in the order of a unique column."""
    for page in pages(rows, by):
        yield from page
