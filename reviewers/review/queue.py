"""The queue as reviewers see it: filtered, counted, paged by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Count, F, Func, Q, QuerySet, Sum, TextField
from django.utils import timezone

from reviewers.accounts.models import Membership, Organisation
from reviewers.review.filtering import FACET_KINDS, HELD, Filter
from reviewers.review.label_counts import count_labels
from reviewers.review.models import QueueItem, State, Submission, Tally
from reviewers.review.plans.visibility import Viewer, hides_engine_from, is_of_engine
from reviewers.review.queue_rows import QueueRow, reader_of, row_of, rows_of
from reviewers.web.moments import day_begins

PAGE_SIZE = 25
COUNTED_UP_TO = 10_000
_MOST_OPTIONS = 30

PageKey = tuple[datetime, UUID]
"""Where a page begins: behind or before the item of this moment and identifier."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the list. ``before`` and ``after`` are the keys of its first and last row where there is more that way."""

    rows: Sequence[QueueRow]
    count: int
    before: str = ""
    after: str = ""

    @property
    def is_counted(self) -> bool:
        """Whether the count is exact; beyond a bound it is not worth the wait."""
        return self.count <= COUNTED_UP_TO


@dataclass(frozen=True, slots=True)
class Option:
    """A value the list can be narrowed to, and how many items of the organisation have it."""

    value: str
    count: int
    is_chosen: bool


def load_page(
    items: QuerySet[QueueItem], *, by: Membership, now: datetime, count: int | None = None, after: str = "", before: str = ""
) -> Page:
    """A page, found by the key of its neighbour: page 5,000 costs what page 1 costs.

    How many there are in all is counted unless ``count`` says it.
    """
    key = _parse_key(after or before)
    forwards = key is None or not before
    ids, count = _find(items, key, count, forwards=forwards)
    has_more = len(ids) > PAGE_SIZE
    found = {row["snapshot_id"]: row for row in rows_of(by.organisation_id, ids[:PAGE_SIZE])} if ids else {}
    rows = [found[pk] for pk in (ids[:PAGE_SIZE] if forwards else ids[:PAGE_SIZE][::-1]) if pk in found]
    labelled, reader = count_labels([row["snapshot_id"] for row in rows]), reader_of(by)
    return Page(
        rows=[row_of(row, labelled, reader, now) for row in rows],
        count=count,
        before=_key(rows[0]) if rows and (has_more if not forwards else key) else "",
        after=_key(rows[-1]) if rows and (has_more if forwards else True) else "",
    )


def count_of(chosen: Filter, states: Mapping[str, int]) -> int | None:
    """How many items a filter leaves, by the numbers of items in each state: none where it narrows by anything else."""
    is_by_state = chosen == Filter(states=chosen.states) and chosen.states and HELD not in chosen.states
    return min(sum(states.get(state, 0) for state in chosen.states), COUNTED_UP_TO + 1) if is_by_state else None


def count_options(organisation: Organisation, chosen: Filter, viewer: Viewer) -> tuple[dict[str, list[Option]], dict[str, int]]:
    """For each kind of facet its values, the most frequent first; and the number of items in each state.

    Of the whole organisation, but for what the engine says of items of which the viewer may not know it.
    """
    hidden = _count_hidden(organisation.pk, viewer)
    tallies = [(facet, count - hidden.get(facet, 0)) for facet, count in _tallies_of(organisation.pk)]
    options: dict[str, list[Option]] = {kind: [] for kind in FACET_KINDS}
    states: dict[str, int] = {}
    for facet, count in sorted(tallies, key=lambda each: (-each[1], each[0])):
        kind, _, value = facet.partition(":")
        is_chosen = value in chosen.facets.get(kind, frozenset())
        if kind in options and count > 0 and (is_chosen or len(options[kind]) < _MOST_OPTIONS):
            options[kind].append(Option(value, count, is_chosen))
        elif kind in ("state", "all"):
            states[value or "all"] = count
    states[State.TO_DO] = states.get("all", 0) - states.get(State.SKIPPED, 0) - states.get(State.SUBMITTED, 0)
    return options, states


def _count_hidden(organisation_id: UUID, viewer: Viewer) -> dict[str, int]:
    """How often the engine's facets occur among the items that hide them from a viewer; nothing is read where nothing can be hidden."""
    if not viewer.may_label:
        return {}
    hidden = QueueItem.objects.filter(hides_engine_from(viewer), organisation=organisation_id).order_by()
    counted = hidden.annotate(facet=Func(F("facets"), function="unnest", output_field=TextField())).values_list("facet")
    return {facet: count for facet, count in counted.annotate(n=Count("pk")) if is_of_engine(facet.partition(":")[0])}


def _tallies_of(organisation_id: UUID) -> QuerySet[Tally, tuple[str, int]]:
    tallies = Tally.objects.filter(organisation=organisation_id).values_list("facet")
    return tallies.annotate(total=Sum("count")).order_by("-total", "facet")


def neighbour(items: QuerySet[QueueItem], item: QueueItem, *, forwards: bool) -> UUID | None:
    """The item before or behind another one in the list."""
    found = _neighbours(items, (item.answered_at, item.pk), forwards=forwards)
    return found.values_list("pk", flat=True).first()


def _neighbours(items: QuerySet[QueueItem], key: PageKey | None, *, forwards: bool) -> QuerySet[QueueItem]:
    order = ("answered_at", "snapshot_id") if forwards else ("-answered_at", "-snapshot_id")
    items = items.order_by(*order)
    if key is None:
        return items
    moment, pk = key
    if forwards:
        return items.filter(answered_at__gte=moment).filter(Q(answered_at__gt=moment) | Q(snapshot_id__gt=pk))
    return items.filter(answered_at__lte=moment).filter(Q(answered_at__lt=moment) | Q(snapshot_id__lt=pk))


_FIND = """
WITH found (answered_at, snapshot_id) AS MATERIALIZED ({found})
SELECT CASE WHEN (SELECT count(*) FROM found) > {limit} THEN ARRAY({page}) ELSE ARRAY(
    SELECT snapshot_id FROM found {behind} ORDER BY answered_at {way}, snapshot_id {way} LIMIT {size}
) END, (SELECT count(*) FROM found)
"""
"""How many items a filter leaves, up to a bound, decides how its page is found: few are sorted, many are looked through in their order.

PostgreSQL cannot choose by itself. It expects thousands of hits for a word that nobody wrote, and would look through all items for them.
"""


def _find(items: QuerySet[QueueItem], key: PageKey | None, count: int | None, *, forwards: bool) -> tuple[list[UUID], int]:
    """Return the items of a page and one more, and how many there are in all, up to a bound: in one statement."""
    page = _neighbours(items, key, forwards=forwards).values_list("pk", flat=True)[: PAGE_SIZE + 1]
    if count is not None:
        return list(page), count
    found = items.order_by().values_list("answered_at", "pk")[: COUNTED_UP_TO + 1]
    try:
        (page_sql, page_values), (found_sql, found_values) = page.query.sql_with_params(), found.query.sql_with_params()
    except EmptyResultSet:
        return [], 0
    way, after = ("ASC", ">") if forwards else ("DESC", "<")
    behind = f"WHERE (answered_at, snapshot_id) {after} (%s, %s)" if key else ""
    statement = _FIND.format(found=found_sql, limit=COUNTED_UP_TO, page=page_sql, behind=behind, way=way, size=PAGE_SIZE + 1)
    with connection.cursor() as cursor:
        cursor.execute(statement, (*found_values, *page_values, *(key or ())))
        ids, count = cursor.fetchone()
    return ids, count


def _parse_key(key: str) -> PageKey | None:
    """A key out of a link; what is no key means the first page."""
    moment, _, pk = key.partition("~")
    try:
        parsed = datetime.fromisoformat(moment), UUID(pk)
    except ValueError:
        return None
    return parsed if parsed[0].tzinfo else None


def _key(row: Mapping[str, Any]) -> str:
    return f"{row['answered_at'].isoformat()}~{row['snapshot_id']}"


def count_today(by: Membership, now: datetime) -> int:
    """How many reviews somebody has submitted since midnight."""
    today = day_begins(timezone.localdate(now))
    return Submission.objects.filter(reviewer=by.user_id, organisation=by.organisation_id, submitted_at__gte=today).count()
