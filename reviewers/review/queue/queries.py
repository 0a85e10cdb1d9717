"""The queue as reviewers see it: rows, counts of filters, and pages found by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Exists, F, OuterRef, QuerySet, Value

from attribution import canonical_bytes
from reviewers.accounts.models import Membership
from reviewers.accounts.texts import Surface, Text, hidden_from, hidden_from_programs, masked, name_instead
from reviewers.ledger.commitments import Part
from reviewers.review import wording
from reviewers.review.labels.queries import LabelCounts, count_labels
from reviewers.review.models import Flag, Phase, QueueItem, State
from reviewers.review.queue.filters import (
    Filter,
    SignedMeanings,
    read_signed_as,
    signed_as,
)
from reviewers.review.queue.order import LAST_RANK, Order, RiskRank, RowKey, in_order, key_of, rank_of, read_key
from reviewers.review.review_status import TERMS, holders_of, read_review_status, reviews_of
from reviewers.review.visibility import PROGRAM, Viewer, sees_engine, sees_work, viewer_of


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
    below: wording.Badge | None
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
class ListReader:
    """The member or program that reads a list of an organisation's items, and the kinds of text that are masked for them.

    Nothing is told of confidences under ``suspended`` profiles.
    """

    organisation_id: UUID
    viewer: Viewer
    hidden: frozenset[Text]
    suspended: frozenset[str] = frozenset()


def reader_of(member: Membership) -> ListReader:
    """Return the reader for a member."""
    hidden, suspended = hidden_from(member, Surface.QUEUE), frozenset(member.organisation.suspended_profiles)
    return ListReader(member.organisation_id, viewer_of(member), hidden, suspended)


def reader_of_program(organisation_id: UUID) -> ListReader:
    """Return the reader for a program with a key of the organisation."""
    return ListReader(organisation_id, PROGRAM, hidden_from_programs())


def rows_of(organisation_id: UUID, ids: list[UUID]) -> QuerySet[QueueItem, dict[str, Any]]:
    """Return what the list shows of some items. Finding them is another query, which depends on the filter; this one is always the same."""
    return (
        QueueItem.objects.filter(pk__in=ids, organisation=organisation_id)
        .annotate(
            held=holders_of(),
            reviewed=reviews_of(),
            is_flagged=Exists(Flag.objects.filter(snapshot=OuterRef("pk"), resolution=None)),
            signed=signed_as(),
            rank=RiskRank(F("facets")),
        )
        .values(
            "rank",
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
            below_count=F("attribution__below_count"),
            profile=F("attribution__profile_id"),
            plan_name=F("plan__name"),
            submitter_id=F("submitted_by_id"),
            submitter=F("submitted_by__name"),
        )
    )


def _validity_of(row: Mapping[str, Any]) -> wording.Badge | None:
    if not row["validity"]:
        return None
    return wording.NOT_SENT if row["is_withheld"] else wording.validity_badge(row["validity"])


def row_of(row: Mapping[str, Any], labelled: Mapping[tuple[UUID, UUID], LabelCounts], by: ListReader, now: datetime) -> QueueRow:
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
        below=wording.below_badge(row["below_count"]) if knows and row["below_count"] and row["profile"] not in by.suspended else None,
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


def load_page(
    items: QuerySet[QueueItem],
    *,
    by: ListReader,
    now: datetime,
    count: int | None = None,
    after: str = "",
    before: str = "",
    order: Order = Order.OLDEST,
) -> QueuePage:
    """Return a page, found by the key of its neighbour, so that page 5,000 takes no longer than page 1.

    All items are counted unless ``count`` is given.
    """
    key = read_key(after or before, order)
    forwards = key is None or not before
    ids, count = _find(items, key, count, order, forwards=forwards)
    has_more = len(ids) > PAGE_SIZE
    found = {row["snapshot_id"]: row for row in rows_of(by.organisation_id, ids[:PAGE_SIZE])} if ids else {}
    rows = [found[pk] for pk in (ids[:PAGE_SIZE] if forwards else ids[:PAGE_SIZE][::-1]) if pk in found]
    labelled = count_labels([row["snapshot_id"] for row in rows])
    return QueuePage(
        rows=[row_of(row, labelled, by, now) for row in rows],
        count=count,
        before=key_of(rows[0], order) if rows and (has_more if not forwards else key) else "",
        after=key_of(rows[-1], order) if rows and (has_more if forwards else True) else "",
    )


def key_of_item(organisation_id: UUID, item_id: UUID) -> str:
    """Return the key of the page that begins after an item, or an empty string if there is no such item."""
    found = QueueItem.objects.filter(organisation=organisation_id, pk=item_id).values("answered_at", "snapshot_id").first()
    return key_of(found) if found else ""


def load_row(item_id: UUID, *, by: ListReader, now: datetime) -> QueueRow:
    """Return the row of one item that exists, as the list shows it."""
    return row_of(rows_of(by.organisation_id, [item_id]).get(), count_labels([item_id]), by, now)


def shown_of(chosen: Filter, page: QueuePage) -> tuple[dict[str, Any], list[Part]]:
    """Return the details and the parts of the event of a page: the items whose first words it shows, and the names of the filters.

    The event only commits to the values of the filters and the words of a search.
    """
    details = {"shown": [str(row.id) for row in page.rows], "filters": chosen.names}
    parts: list[Part] = [("filter", canonical_bytes(chosen.as_data()))]
    return details, parts + ([("words", chosen.words.encode())] if chosen.words else [])


def neighbour(items: QuerySet[QueueItem], item: QueueItem, order: Order, *, is_blind: bool, forwards: bool) -> UUID | None:
    """Return the next or previous item in the list, or None. What the engine says of an item that hides it has no part in that."""
    rank = LAST_RANK if is_blind else rank_of(item.facets)
    found = in_order(items, RowKey(rank, item.answered_at, item.pk), order, forwards=forwards)
    return found.values_list("pk", flat=True).first()


_FIND = """
WITH found (rank, answered_at, snapshot_id) AS MATERIALIZED ({found})
SELECT CASE WHEN (SELECT count(*) FROM found) > {limit} THEN ARRAY({page}) ELSE ARRAY(
    SELECT snapshot_id FROM found {behind} ORDER BY rank {way}, answered_at {way}, snapshot_id {way} LIMIT {size}
) END, (SELECT count(*) FROM found)
"""
"""Finds a page by the number of matching items, up to a bound: few are sorted, many are read in their order.

PostgreSQL cannot choose by itself. It expects thousands of hits for a word that does not occur, and would read all items to find them.
"""


def _find(items: QuerySet[QueueItem], key: RowKey | None, count: int | None, order: Order, *, forwards: bool) -> tuple[list[UUID], int]:
    """Return the items of a page and one more, and how many match in all, up to a bound, in one query."""
    page = in_order(items, key, order, forwards=forwards).values_list("pk", flat=True)[: PAGE_SIZE + 1]
    if count is not None:
        return list(page), count
    by_risk = order is Order.RISK
    ranked = items.annotate(rank=RiskRank(F("facets")) if by_risk else Value(0))
    found = ranked.order_by().values_list("rank", "answered_at", "pk")[: COUNTED_UP_TO + 1]
    try:
        (page_sql, page_values), (found_sql, found_values) = page.query.sql_with_params(), found.query.sql_with_params()
    except EmptyResultSet:
        return [], 0
    way, after = ("DESC", "<") if forwards == (order is Order.NEWEST) else ("ASC", ">")
    behind = f"WHERE (rank, answered_at, snapshot_id) {after} (%s, %s, %s)" if key else ""
    statement = _FIND.format(found=found_sql, limit=COUNTED_UP_TO, page=page_sql, behind=behind, way=way, size=PAGE_SIZE + 1)
    behind_key = (key.rank if by_risk else 0, *key[1:]) if key else ()
    with connection.cursor() as cursor:
        cursor.execute(statement, (*found_values, *page_values, *behind_key))
        ids, count = cursor.fetchone()
    return ids, count
