"""Counts beside the queue: of states and of values to filter by, of saved views, and of a member's reviews of today."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import F, Func, TextField
from django.utils import timezone

from reviewers.accounts.models import Membership, Organisation
from reviewers.review.models import OTHER_NAMES, QueueItem, State, Submission
from reviewers.review.queue.filters import (
    FACET_KINDS,
    HELD,
    HOLDS,
    RECENT_SIGNATURES,
    SIGNATURES_COUNTED,
    VOID,
    Filter,
    in_states,
    matching,
    visible_to,
)
from reviewers.review.queue.order import Order
from reviewers.review.queue.queries import COUNTED_UP_TO
from reviewers.review.visibility import Viewer, hides_engine_from, is_of_engine, viewer_of
from reviewers.snapshots.models import visible
from reviewers.web.dates import start_of_day

_MOST_OPTIONS = 30
_MOST_READ = 300
COUNTED_OF_A_VIEW = 500
_TALLIES = """
SELECT facet, total FROM (
    SELECT facet, sum(count)::bigint AS total,
        row_number() OVER (PARTITION BY split_part(facet, ':', 1) ORDER BY sum(count) DESC, facet) AS place
    FROM review_tally WHERE organisation_id = %s GROUP BY facet
) AS counted WHERE place <= %s OR facet = ANY(%s)
UNION ALL SELECT 'today:', count(*) FROM review_submission WHERE reviewer_id = %s AND organisation_id = %s AND submitted_at >= %s
"""


@dataclass(frozen=True, slots=True)
class FilterOption:
    """A value that the list can be filtered by, and the number of items in the organisation that have it."""

    value: str
    count: int
    is_chosen: bool


def count_of(chosen: Filter, states: Mapping[str, int]) -> int | None:
    """Return the number of items that match a filter by state alone, from the counts by state; None for any other filter."""
    is_plain = chosen == Filter(states=chosen.states, order=chosen.order) and chosen.order is not Order.RISK
    is_by_state = is_plain and chosen.states and HELD not in chosen.states
    return min(sum(states.get(state, 0) for state in chosen.states), COUNTED_UP_TO + 1) if is_by_state else None


class QueueCounts(NamedTuple):
    """The most frequent values of each kind of facet, the number of items in each state, and of the member's reviews since midnight."""

    options: dict[str, list[FilterOption]]
    states: dict[str, int]
    today: int


def count_options(by: Membership, chosen: Filter, now: datetime) -> QueueCounts:
    """Return the counts beside the list.

    Those of values and states are for the whole organisation, without what the engine says of items that hide it from the member. Names
    that are counted together are not among them: no item has them.
    """
    hidden = _count_hidden(by.organisation_id, viewer_of(by))
    tallies = [(facet, count - hidden.get(facet, 0)) for facet, count in _tallies_of(by, chosen, now)]
    options: dict[str, list[FilterOption]] = {kind: [] for kind in FACET_KINDS}
    states: dict[str, int] = {}
    for facet, count in sorted(tallies, key=lambda each: (-each[1], each[0])):
        kind, _, value = facet.partition(":")
        is_chosen = value in chosen.facets.get(kind, frozenset())
        if kind in options and count > 0 and value != OTHER_NAMES and (is_chosen or len(options[kind]) < _MOST_OPTIONS):
            options[kind].append(FilterOption(value, count, is_chosen))
        elif kind in ("state", "all", "today"):
            states[value or kind] = count
    today = states.pop("today")
    states[State.TO_DO] = states.get("all", 0) - states.get(State.SKIPPED, 0) - states.get(State.SUBMITTED, 0)
    return QueueCounts(options, states, today)


def _count_hidden(organisation_id: UUID, viewer: Viewer) -> dict[str, int]:
    """Return the number of times that each of the engine's facets occurs among items that hide it from the viewer."""
    if not viewer.may_label:
        return {}
    hidden = QueueItem.objects.filter(hides_engine_from(viewer), organisation=organisation_id).order_by()
    each = Func(F("facets"), function="unnest", output_field=TextField())
    found, values = hidden.annotate(facet=each).values_list("pk", "facet").query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(_COUNT_HIDDEN.format(found=found), [*values, organisation_id, f"section:{OTHER_NAMES}"])
        return {facet: count for facet, count in cursor.fetchall() if is_of_engine(facet.partition(":")[0])}


_COUNT_HIDDEN = """
WITH hidden (item, facet) AS ({found}),
counted (facet, first_id) AS (
    SELECT 'section:' || name, first_id FROM review_countedname WHERE organisation_id = %s AND kind = 'section' AND of_model = ''
)
SELECT CASE WHEN hidden.facet LIKE 'section:_%%' AND counted.facet IS NULL THEN %s ELSE hidden.facet END, count(*)
FROM hidden LEFT JOIN counted ON counted.facet = hidden.facet AND counted.first_id <= hidden.item GROUP BY 1
"""
"""Counts the facets of hidden items under the names that ``review_counted_facet`` gives them, but for those that are not the engine's.

The function takes as long for one facet as this for fifty, and thousands of answers may be under blind review.
"""


def _tallies_of(by: Membership, chosen: Filter, now: datetime) -> list[tuple[str, int]]:
    """Return the counts of the most frequent facets of each kind, of the chosen ones, and of the member's reviews of today.

    There may be as many models as answers.
    """
    facets = [visible(f"{kind}:{value}") for kind, values in chosen.facets.items() for value in values]
    today = start_of_day(timezone.localdate(now))
    with connection.cursor() as cursor:
        cursor.execute(_TALLIES, [by.organisation_id, _MOST_READ, facets, by.user_id, by.organisation_id, today])
        return list(cursor.fetchall())


class ViewCount(NamedTuple):
    """The number of items that a saved view leaves, and whether there are more than were counted."""

    number: int
    is_more: bool


def count_each(organisation: Organisation, views: Sequence[Filter], viewer: Viewer, now: datetime) -> list[ViewCount]:
    """Return the number of items that each filter leaves, up to ``COUNTED_OF_A_VIEW``, in one query.

    Filters by signatures count the items of the newest signatures only: if there are others, there may be more items.
    """
    parts: list[str] = []
    values: list[Any] = []
    for chosen in views:
        items = in_states(visible_to(matching(organisation, chosen, only_recent=True), chosen, viewer), chosen.states, now)
        try:
            sql, given = items.order_by().values_list("pk")[: COUNTED_OF_A_VIEW + 1].query.sql_with_params()
        except EmptyResultSet:
            sql, given = "SELECT WHERE false", ()
        parts.append(f"(SELECT count(*) FROM ({sql}) AS found)")  # noqa: S608 — the ORM's own statement
        values += given
    if not parts:
        return []
    are_signed = [not chosen.signed.isdisjoint(_OF_SIGNATURES) for chosen in views]
    looked_at = "(SELECT count(*) FROM signed)" if any(are_signed) else "0"
    begin, given = (RECENT_SIGNATURES, (organisation.pk,)) if any(are_signed) else ("", ())
    with connection.cursor() as cursor:
        cursor.execute(f"{begin} SELECT {looked_at}, {', '.join(parts)}", (*given, *values))
        signatures, *numbers = cursor.fetchone()
    left_out = signatures >= SIGNATURES_COUNTED
    return [
        ViewCount(min(number, COUNTED_OF_A_VIEW), number > COUNTED_OF_A_VIEW or (is_signed and left_out))
        for number, is_signed in zip(numbers, are_signed, strict=True)
    ]


_OF_SIGNATURES = frozenset({HOLDS, VOID})


def count_today(by: Membership, now: datetime) -> int:
    """Return the number of reviews that the member has submitted since midnight."""
    today = start_of_day(timezone.localdate(now))
    return Submission.objects.filter(reviewer=by.user_id, organisation=by.organisation_id, submitted_at__gte=today).count()
