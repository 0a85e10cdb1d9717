"""The orders of the queue: the rank of an item by risk, and pages that are found by the key of their neighbour."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple
from uuid import UUID

from django.db.models import F, Func, IntegerField, Q, QuerySet

from reviewers.review.models import QueueItem
from reviewers.snapshots.lists import rows_beyond, write_key
from reviewers.web.dates import read_page_key


class Order(StrEnum):
    """The orders of the list. The values are those of addresses; pages of each are found by an index."""

    OLDEST = "oldest"
    NEWEST = "newest"
    RISK = "risk"


ORDERS = {Order.OLDEST: "oldest first", Order.NEWEST: "newest first", Order.RISK: "contradicted first, then low confidence, then red"}
"""The orders in words."""

LOW_CONFIDENCE = "confidence:low"
"""The facet of an item whose attribution has found fields with a confidence below the cut-off of its profile."""
LAST_RANK = 3


class RiskRank(Func):
    """The rank of an item by what the engine says of it.

    0 if it contradicts the record, 1 if the confidence of a found field is low, 2 if it was sent and its validity is red, else 3. The index
    ``queue_by_risk`` has the same expression.
    """

    template = (
        "(CASE WHEN 'guardrail:contradicted' = ANY(%(expressions)s) THEN 0"
        f" WHEN '{LOW_CONFIDENCE}' = ANY(%(expressions)s) THEN 1"
        " WHEN 'validity:red' = ANY(%(expressions)s) AND 'answer:withheld' <> ALL(%(expressions)s) THEN 2 ELSE 3 END)"
    )
    output_field: ClassVar = IntegerField()


def rank_of(facets: Collection[str]) -> int:
    """Return the rank of an item with these facets, as ``RiskRank`` counts it."""
    if "guardrail:contradicted" in facets:
        return 0
    if LOW_CONFIDENCE in facets:
        return 1
    return 2 if "validity:red" in facets and "answer:withheld" not in facets else LAST_RANK


class RowKey(NamedTuple):
    """The place of a row in the list: its rank, which counts in the order by risk alone, its moment and its identifier."""

    rank: int
    moment: datetime
    pk: UUID


def read_key(text: str, order: Order) -> RowKey | None:
    """Return the key in a link, or None for the first page if it is invalid."""
    rank, _, rest = text.partition("~") if order is Order.RISK else ("0", "", text)
    found = read_page_key(rest)
    return RowKey(int(rank), *found) if found and rank in map(str, range(LAST_RANK + 1)) else None


def in_order(items: QuerySet[QueueItem], key: RowKey | None, order: Order, *, forwards: bool) -> QuerySet[QueueItem]:
    """Return the items after a key in the order of a list, or those before it in reverse; all items without a key."""
    if order is not Order.RISK:
        return rows_beyond(items, key[1:] if key else None, forwards=forwards == (order is Order.OLDEST))
    ranked = items.annotate(rank=RiskRank(F("facets")))
    ordered = ranked.order_by("rank", "answered_at", "pk") if forwards else ranked.order_by("-rank", "-answered_at", "-pk")
    if key is None:
        return ordered
    rank, moment, pk = key
    if forwards:
        behind = Q(rank__gt=rank) | Q(answered_at__gt=moment) | Q(answered_at=moment, pk__gt=pk)
        return ordered.filter(behind, rank__gte=rank)
    behind = Q(rank__lt=rank) | Q(answered_at__lt=moment) | Q(answered_at=moment, pk__lt=pk)
    return ordered.filter(behind, rank__lte=rank)


def key_of(row: Mapping[str, Any], order: Order = Order.OLDEST) -> str:
    """Return the key of a row of the list as text."""
    key = write_key((row["answered_at"], row["snapshot_id"]))
    return f"{row['rank']}~{key}" if order is Order.RISK else key
