"""How much paper answers take, before they are typeset: memory is taken by the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.db.models import F, Func, IntegerField, QuerySet

from reviewers.reports.exporting.loading import Key
from reviewers.review.models import QueueItem

PAGES = 250
"""In one volume, more or less: the process that typesets it takes some 1.3 megabytes for each, and 150 besides."""

_ROWS, _BYTES = 15, 20_000
"""A page for so many rows, and for so many bytes of a record, beside the page that each answer begins on."""


def weigh(items: QuerySet[QueueItem], *, all_fields: bool) -> Iterator[tuple[Key, float]]:
    """The keys of the answers in the order of time, each with the pages that it may take."""
    size = Func(F("snapshot__record"), function="octet_length", output_field=IntegerField())
    rows = F("attribution__field_count") if all_fields else F("attribution__found_count")
    found = items.order_by("answered_at", "pk").values_list("answered_at", "pk", rows, size)
    for moment, pk, row_count, byte_count in found.iterator():
        yield (moment, pk), 1 + row_count / _ROWS + byte_count / _BYTES


def cut(weighed: Iterable[tuple[Key, float]], size: int) -> Iterator[list[Key]]:
    """The keys in volumes of at most so many, and of not many more pages than one holds."""
    waiting: list[Key] = []
    pages = 0.0
    for key, weight in weighed:
        if len(waiting) == size or (waiting and pages + weight > PAGES):
            yield waiting
            waiting, pages = [], 0.0
        waiting.append(key)
        pages += weight
    if waiting:
        yield waiting
