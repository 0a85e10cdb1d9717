"""The queue as reviewers see it: rows, counts of filters, and pages found by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Exists, F, Func, OuterRef, QuerySet, TextField
from django.utils import timezone

from attribution import canonical_bytes
from reviewers.accounts.models import Membership, Organisation
from reviewers.accounts.texts import Surface, Text, hidden_from, hidden_from_programs, masked, name_instead
from reviewers.ledger.commitments import Part
from reviewers.review import wording
from reviewers.review.labels.queries import LabelCounts, count_labels
from reviewers.review.models import OTHER_NAMES, Flag, Phase, QueueItem, State, Submission
from reviewers.review.queue.filters import FACET_KINDS, HELD, Filter, SignedMeanings, read_signed_as, signed_as
from reviewers.review.review_status import TERMS, holders_of, read_review_status, reviews_of
from reviewers.review.visibility import PROGRAM, Viewer, hides_engine_from, is_of_engine, sees_engine, sees_work, viewer_of
from reviewers.snapshots.lists import rows_beyond, write_key
from reviewers.snapshots.models import visible
from reviewers.web.dates import PageKey, read_page_key, start_of_day


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One item of the list."""

    id: UUID
    name: str
    turn_index: int | None
    answered_at: datetime
    excerpt: str
    model: str
    prompt_version: str
    source: wording.Badge
    validity: wording.Badge | None
    guardrails: Sequence[wording.Badge]
    found_count: int
    labelled: LabelCounts
    is_blind: bool
    is_conflicted: bool
    plan: str
    state: str
    holder: str
    is_mine: bool
    minutes_left: int
    skip_reason: str
    submitted_by: str
    is_flagged: bool
    signed: SignedMeanings


@dataclass(frozen=True, slots=True)
class Reader:
    """The member or program that reads a list of an organisation's items, and the kinds of text that are masked for them."""

    organisation_id: UUID
    viewer: Viewer
    hidden: frozenset[Text]


def reader_of(member: Membership) -> Reader:
    """Return the reader for a member."""
    return Reader(member.organisation_id, viewer_of(member), hidden_from(member, Surface.QUEUE))


def reader_of_program(organisation_id: UUID) -> Reader:
    """Return the reader for a program with a key of the organisation."""
    return Reader(organisation_id, PROGRAM, hidden_from_programs())


def rows_of(organisation_id: UUID, ids: list[UUID]) -> QuerySet[QueueItem, dict[str, Any]]:
    """Return what the list shows of some items. Finding them is another query, which depends on the filter; this one is always the same."""
    return (
        QueueItem.objects.filter(pk__in=ids, organisation=organisation_id)
        .annotate(
            held=holders_of(),
            reviewed=reviews_of(),
            is_flagged=Exists(Flag.objects.filter(snapshot=OuterRef("pk"), resolution=None)),
            signed=signed_as(),
        )
        .values(
            "held",
            "reviewed",
            *TERMS,
            "skipped_by",
            "snapshot_id",
            "answered_at",
            "state",
            "found_count",
            "skip_reason",
            "is_flagged",
            "signed",
            reference=F("snapshot__client_reference"),
            conversation=F("snapshot__conversation_id"),
            external_id=F("snapshot__external_id"),
            turn_index=F("snapshot__turn_index"),
            excerpt=F("snapshot__excerpt"),
            model=F("snapshot__model"),
            prompt_version=F("snapshot__prompt_version"),
            source=F("attribution__source"),
            validity=F("attribution__documents__validity"),
            is_withheld=F("attribution__documents__is_withheld"),
            guardrails=F("attribution__guardrails"),
            plan_name=F("plan__name"),
            submitter_id=F("submitted_by_id"),
            submitter=F("submitted_by__name"),
        )
    )


def _validity_of(row: Mapping[str, Any]) -> wording.Badge | None:
    if not row["validity"]:
        return None
    return wording.NOT_SENT if row["is_withheld"] else wording.validity_badge(row["validity"])


def row_of(row: Mapping[str, Any], labelled: Mapping[tuple[UUID, UUID], LabelCounts], by: Reader, now: datetime) -> QueueRow:
    """Return a row of the list.

    ``labelled`` has the counts of labels by item and reviewer. The row shows that of the person who submitted or holds the item, else the
    reader's own.
    """
    status, viewer = read_review_status(row, row["held"], row["reviewed"]), by.viewer
    own, knows = status.review_of(viewer.id), sees_engine(viewer, status)
    is_done = own is not None or row["state"] == State.SUBMITTED
    holder = None if is_done else status.hold_of(viewer.id, now) or status.in_the_way(viewer.id, now)
    worker_id = viewer.id if own else holder.id if holder else row["submitter_id"] or viewer.id
    guardrails, hidden = row["guardrails"] if knows else {}, by.hidden
    own_name = row["conversation"] or row["reference"] or row["external_id"]
    return QueueRow(
        id=row["snapshot_id"],
        name=name_instead(row["snapshot_id"]) if Text.REFERENCES in hidden else own_name,
        turn_index=row["turn_index"],
        answered_at=row["answered_at"],
        excerpt=masked(row["excerpt"], Text.ANSWER, hidden),
        model=row["model"],
        prompt_version=row["prompt_version"],
        source=wording.source_badge(row["source"]) if knows else wording.BLIND_BADGE,
        validity=_validity_of(row) if knows else None,
        guardrails=[wording.guardrail_badge(code, guardrails[code]) for code in sorted(guardrails, key=_contradicted_first)],
        found_count=row["found_count"],
        labelled=labelled.get((row["snapshot_id"], worker_id), LabelCounts())
        if worker_id and sees_work(viewer, status, worker_id)
        else LabelCounts(),
        is_blind=not knows,
        is_conflicted=status.phase is Phase.CONSOLIDATING,
        plan=row["plan_name"] or "",
        state=State.SUBMITTED if is_done else row["state"],
        holder=holder.name if holder else "",
        is_mine=viewer.id == worker_id and (is_done or holder is not None),
        minutes_left=max(1, round((holder.expires_at - now).total_seconds() / 60)) if holder else 0,
        skip_reason=masked(row["skip_reason"], Text.NOTES, hidden) if sees_work(viewer, status, row["skipped_by"]) else "",
        submitted_by=own.name if own else row["submitter"] or "",
        is_flagged=row["is_flagged"] and sees_work(viewer, status, None),
        signed=read_signed_as(row["signed"]) if sees_work(viewer, status, None) else SignedMeanings((), ()),
    )


def _contradicted_first(code: str) -> tuple[bool, str]:
    return code != "contradicted", code


# Pages and counts.


PAGE_SIZE = 25
COUNTED_UP_TO = 10_000
_MOST_OPTIONS = 30
_MOST_READ = 300
_TALLIES = """
SELECT facet, total FROM (
    SELECT facet, sum(count)::bigint AS total,
        row_number() OVER (PARTITION BY split_part(facet, ':', 1) ORDER BY sum(count) DESC, facet) AS place
    FROM review_tally WHERE organisation_id = %s GROUP BY facet
) AS counted WHERE place <= %s OR facet = ANY(%s)
"""


@dataclass(frozen=True, slots=True)
class QueuePage:
    """A page of the list.

    ``before`` and ``after`` are the keys of its first and last row, or empty if there is nothing more in that direction.
    """

    rows: Sequence[QueueRow]
    count: int
    before: str = ""
    after: str = ""

    @property
    def is_counted(self) -> bool:
        """True if the count is exact. Items are only counted up to ``COUNTED_UP_TO``."""
        return self.count <= COUNTED_UP_TO


@dataclass(frozen=True, slots=True)
class FilterOption:
    """A value that the list can be filtered by, and the number of items in the organisation that have it."""

    value: str
    count: int
    is_chosen: bool


def load_page(
    items: QuerySet[QueueItem], *, by: Reader, now: datetime, count: int | None = None, after: str = "", before: str = ""
) -> QueuePage:
    """Return a page, found by the key of its neighbour, so that page 5,000 takes no longer than page 1.

    All items are counted unless ``count`` is given.
    """
    key = read_page_key(after or before)
    forwards = key is None or not before
    ids, count = _find(items, key, count, forwards=forwards)
    has_more = len(ids) > PAGE_SIZE
    found = {row["snapshot_id"]: row for row in rows_of(by.organisation_id, ids[:PAGE_SIZE])} if ids else {}
    rows = [found[pk] for pk in (ids[:PAGE_SIZE] if forwards else ids[:PAGE_SIZE][::-1]) if pk in found]
    labelled = count_labels([row["snapshot_id"] for row in rows])
    return QueuePage(
        rows=[row_of(row, labelled, by, now) for row in rows],
        count=count,
        before=_key_of(rows[0]) if rows and (has_more if not forwards else key) else "",
        after=_key_of(rows[-1]) if rows and (has_more if forwards else True) else "",
    )


def key_of_item(organisation_id: UUID, item_id: UUID) -> str:
    """Return the key of the page that begins after an item, or an empty string if there is no such item."""
    found = QueueItem.objects.filter(organisation=organisation_id, pk=item_id).values("answered_at", "snapshot_id").first()
    return _key_of(found) if found else ""


def load_row(item_id: UUID, *, by: Reader, now: datetime) -> QueueRow:
    """Return the row of one item that exists, as the list shows it."""
    return row_of(rows_of(by.organisation_id, [item_id]).get(), count_labels([item_id]), by, now)


def shown_of(chosen: Filter, page: QueuePage) -> tuple[dict[str, Any], list[Part]]:
    """Return the details and the parts of the event of a page: the items whose first words it shows, and the names of the filters.

    The event only commits to the values of the filters and the words of a search.
    """
    details = {"shown": [str(row.id) for row in page.rows], "filters": chosen.names}
    parts: list[Part] = [("filter", canonical_bytes(chosen.as_data()))]
    return details, parts + ([("words", chosen.words.encode())] if chosen.words else [])


def count_of(chosen: Filter, states: Mapping[str, int]) -> int | None:
    """Return the number of items that match a filter by state alone, from the counts by state; None for any other filter."""
    is_by_state = chosen == Filter(states=chosen.states) and chosen.states and HELD not in chosen.states
    return min(sum(states.get(state, 0) for state in chosen.states), COUNTED_UP_TO + 1) if is_by_state else None


def count_options(organisation: Organisation, chosen: Filter, viewer: Viewer) -> tuple[dict[str, list[FilterOption]], dict[str, int]]:
    """Return the most frequent values of each kind of facet, and the number of items in each state.

    Both are counts for the whole organisation, without what the engine says of items that hide it from the viewer. Names that are counted
    together are not among them: no item has them.
    """
    hidden = _count_hidden(organisation.pk, viewer)
    tallies = [(facet, count - hidden.get(facet, 0)) for facet, count in _tallies_of(organisation.pk, chosen)]
    options: dict[str, list[FilterOption]] = {kind: [] for kind in FACET_KINDS}
    states: dict[str, int] = {}
    for facet, count in sorted(tallies, key=lambda each: (-each[1], each[0])):
        kind, _, value = facet.partition(":")
        is_chosen = value in chosen.facets.get(kind, frozenset())
        if kind in options and count > 0 and value != OTHER_NAMES and (is_chosen or len(options[kind]) < _MOST_OPTIONS):
            options[kind].append(FilterOption(value, count, is_chosen))
        elif kind in ("state", "all"):
            states[value or "all"] = count
    states[State.TO_DO] = states.get("all", 0) - states.get(State.SKIPPED, 0) - states.get(State.SUBMITTED, 0)
    return options, states


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


def _tallies_of(organisation_id: UUID, chosen: Filter) -> list[tuple[str, int]]:
    """Return the counts of the most frequent facets of each kind, and of the chosen ones. There may be as many models as answers."""
    facets = [f"{kind}:{value}" for kind, values in chosen.facets.items() for value in values]
    with connection.cursor() as cursor:
        cursor.execute(_TALLIES, [organisation_id, _MOST_READ, [visible(each) for each in facets]])
        return list(cursor.fetchall())


def neighbour(items: QuerySet[QueueItem], item: QueueItem, *, forwards: bool) -> UUID | None:
    """Return the next or previous item in the list, or None."""
    found = rows_beyond(items, (item.answered_at, item.pk), forwards=forwards)
    return found.values_list("pk", flat=True).first()


_FIND = """
WITH found (answered_at, snapshot_id) AS MATERIALIZED ({found})
SELECT CASE WHEN (SELECT count(*) FROM found) > {limit} THEN ARRAY({page}) ELSE ARRAY(
    SELECT snapshot_id FROM found {behind} ORDER BY answered_at {way}, snapshot_id {way} LIMIT {size}
) END, (SELECT count(*) FROM found)
"""
"""Finds a page by the number of matching items, up to a bound: few are sorted, many are read in their order.

PostgreSQL cannot choose by itself. It expects thousands of hits for a word that does not occur, and would read all items to find them.
"""


def _find(items: QuerySet[QueueItem], key: PageKey | None, count: int | None, *, forwards: bool) -> tuple[list[UUID], int]:
    """Return the items of a page and one more, and how many match in all, up to a bound, in one query."""
    page = rows_beyond(items, key, forwards=forwards).values_list("pk", flat=True)[: PAGE_SIZE + 1]
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


def _key_of(row: Mapping[str, Any]) -> str:
    return write_key((row["answered_at"], row["snapshot_id"]))


def count_today(by: Membership, now: datetime) -> int:
    """Return the number of reviews that the member has submitted since midnight."""
    today = start_of_day(timezone.localdate(now))
    return Submission.objects.filter(reviewer=by.user_id, organisation=by.organisation_id, submitted_at__gte=today).count()
