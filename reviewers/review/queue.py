"""The queue as reviewers see it: filtered, counted, paged by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchQuery
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Sum
from django.utils import timezone

from reviewers.accounts.models import Membership, Organisation
from reviewers.accounts.texts import Surface, Text, hidden_from, masked, name_instead
from reviewers.review import words
from reviewers.review.label_counts import Counted, count_labels
from reviewers.review.models import Flag, Lease, QueueItem, State, Submission, Tally
from reviewers.review.plan_models import Phase
from reviewers.review.plans.visibility import ENGINE_FACETS, Viewer, hides_engine_from, sees_engine, sees_work, viewer_of
from reviewers.review.signing.validity import SignedAs, read_signed_as, signed_as, with_signatures
from reviewers.review.source_words import validity_badge
from reviewers.review.standing import TERMS, holders_of, read_standing, reviews_of
from reviewers.snapshots.display import visible
from reviewers.snapshots.search import search_query
from reviewers.web.phrasing import any_id, phrased

PAGE_SIZE = 25
COUNTED_UP_TO = 10_000
_MOST_OPTIONS = 30
HELD = "held"

PageKey = tuple[datetime, UUID]
"""Where a page begins: behind or before the item of this moment and identifier."""

FACET_KINDS = ("source", "guardrail", "validity", "issue", "answer", "section", "model", "prompt")


@dataclass(frozen=True, slots=True)
class Filter:
    """What the list is narrowed to. Facets of one kind are alternatives; kinds, dates and words all have to hold."""

    states: frozenset[str] = frozenset()
    facets: Mapping[str, frozenset[str]] = field(default_factory=dict)
    since: date | None = None
    until: date | None = None
    words: str = ""
    is_flagged: bool = False
    plans: frozenset[UUID] = frozenset()
    signed: frozenset[str] = frozenset()

    def as_data(self) -> dict[str, Any]:
        """Its values but for the words, as they are committed to in the event of its list."""
        return {
            "states": sorted(self.states),
            "facets": {kind: sorted(values) for kind, values in self.facets.items()},
            "since": self.since.isoformat() if self.since else None,
            "until": self.until.isoformat() if self.until else None,
            "flagged": self.is_flagged,
            "plans": sorted(map(str, self.plans)),
            "signed": sorted(self.signed),
        }


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
    source: words.Badge
    validity: words.Badge | None
    guardrails: Sequence[words.Badge]
    found_count: int
    labelled: Counted
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
    signed: SignedAs


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


class _Terms(SearchQuery):
    """Terms as they are, like the words of the index: PostgreSQL's parser would cut some of them again."""

    template = "(%(expressions)s)::tsquery"


def matching(organisation: Organisation, chosen: Filter) -> QuerySet[QueueItem]:
    """The items of an organisation that a filter leaves."""
    items = QueueItem.objects.filter(organisation=organisation)
    if chosen.plans:
        items = items.filter(plan__in=chosen.plans)
    for kind, values in chosen.facets.items():
        if values:
            items = items.filter(facets__overlap=[visible(f"{kind}:{value}") for value in sorted(values)])
    if chosen.since:
        items = items.filter(answered_at__gte=_midnight(chosen.since))
    if chosen.until and chosen.until < date.max:
        items = items.filter(answered_at__lt=_midnight(chosen.until + timedelta(days=1)))
    if chosen.words:
        items = items.filter(snapshot__search=_Terms(search_query(chosen.words)))
    if chosen.is_flagged:
        items = items.filter(Exists(Flag.objects.filter(snapshot=OuterRef("pk"))))
    return with_signatures(items, chosen.signed)


def known_to(items: QuerySet[QueueItem], chosen: Filter, viewer: Viewer) -> QuerySet[QueueItem]:
    """Without the items that a filter would tell somebody of what they may not know yet."""
    tells = chosen.is_flagged or any(values for kind, values in chosen.facets.items() if kind in ENGINE_FACETS)
    return items.exclude(hides_engine_from(viewer)) if tells else items


def in_states(items: QuerySet[QueueItem], states: frozenset[str], now: datetime) -> QuerySet[QueueItem]:
    """Only items in some of the states; ``held`` are those to do that somebody works on now."""
    if not states:
        return items
    running = Exists(Lease.objects.filter(item=OuterRef("pk"), expires_at__gt=now))
    wanted = Q(state__in=[state for state in states if state != HELD])
    return items.filter(wanted | (Q(state=State.TO_DO) & running) if HELD in states else wanted)


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
    found = {row["snapshot_id"]: row for row in _rows_of(by.organisation_id, ids[:PAGE_SIZE])} if ids else {}
    rows = [found[pk] for pk in (ids[:PAGE_SIZE] if forwards else ids[:PAGE_SIZE][::-1]) if pk in found]
    labelled = count_labels([row["snapshot_id"] for row in rows])
    return Page(
        rows=[_row(row, labelled, by, now) for row in rows],
        count=count,
        before=_key(rows[0]) if rows and (has_more if not forwards else key) else "",
        after=_key(rows[-1]) if rows and (has_more if forwards else True) else "",
    )


def count_of(chosen: Filter, states: Mapping[str, int]) -> int | None:
    """How many items a filter leaves, by the numbers of items in each state: none where it narrows by anything else."""
    is_by_state = chosen == Filter(states=chosen.states) and chosen.states and HELD not in chosen.states
    return min(sum(states.get(state, 0) for state in chosen.states), COUNTED_UP_TO + 1) if is_by_state else None


def count_options(organisation: Organisation, chosen: Filter) -> tuple[dict[str, list[Option]], dict[str, int]]:
    """For each kind of facet its values, the most frequent first; and the number of items in each state. Of the whole organisation."""
    options: dict[str, list[Option]] = {kind: [] for kind in FACET_KINDS}
    states: dict[str, int] = {}
    for facet, count in _tallies_of(organisation.pk):
        kind, _, value = facet.partition(":")
        is_chosen = value in chosen.facets.get(kind, frozenset())
        if kind in options and count > 0 and (is_chosen or len(options[kind]) < _MOST_OPTIONS):
            options[kind].append(Option(value, count, is_chosen))
        elif kind in ("state", "all"):
            states[value or "all"] = count
    states[State.TO_DO] = states.get("all", 0) - states.get(State.SKIPPED, 0) - states.get(State.SUBMITTED, 0)
    return options, states


@phrased
def _tallies_of(organisation_id: UUID) -> QuerySet[Tally, tuple[str, int]]:
    tallies = Tally.objects.filter(organisation=organisation_id).values_list("facet")
    return tallies.annotate(total=Sum("count")).order_by("-total", "facet")


def neighbour(items: QuerySet[QueueItem], item: QueueItem, *, forwards: bool) -> UUID | None:
    """The item before or behind another one in the list."""
    found = _neighbours(items, (item.answered_at, item.pk), forwards=forwards)
    return found.values_list("pk", flat=True).first()


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


def _neighbours(items: QuerySet[QueueItem], key: PageKey | None, *, forwards: bool) -> QuerySet[QueueItem]:
    order = ("answered_at", "snapshot_id") if forwards else ("-answered_at", "-snapshot_id")
    items = items.order_by(*order)
    if key is None:
        return items
    moment, pk = key
    if forwards:
        return items.filter(answered_at__gte=moment).filter(Q(answered_at__gt=moment) | Q(snapshot_id__gt=pk))
    return items.filter(answered_at__lte=moment).filter(Q(answered_at__lt=moment) | Q(snapshot_id__lt=pk))


def _find(items: QuerySet[QueueItem], key: PageKey | None, count: int | None, *, forwards: bool) -> tuple[list[UUID], int]:
    """The items of a page and one more, and how many there are in all, up to a bound: in one statement, for both follow the filter."""
    page = _neighbours(items, key, forwards=forwards).values_list("pk", flat=True)[: PAGE_SIZE + 1]
    if count is not None:
        return list(page), count
    counted = items.order_by().values_list("pk")[: COUNTED_UP_TO + 1]
    try:
        (page_sql, page_values), (count_sql, count_values) = page.query.sql_with_params(), counted.query.sql_with_params()
    except EmptyResultSet:
        return [], 0
    both = f"SELECT ARRAY({page_sql}), (SELECT count(*) FROM ({count_sql}) AS counted)"  # noqa: S608  # Django's own, without values
    with connection.cursor() as cursor:
        cursor.execute(both, (*page_values, *count_values))
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


@phrased
def _rows_of(organisation_id: UUID, ids: list[UUID]) -> QuerySet[QueueItem, dict[str, Any]]:
    """What a page tells of its items: another statement than that which finds them, for this one is always the same."""
    return (
        QueueItem.objects.filter(any_id("snapshot_id", ids), organisation=organisation_id)
        .annotate(
            held=holders_of(),
            reviewed=reviews_of(),
            is_flagged=Exists(Flag.objects.filter(snapshot=OuterRef("pk"))),
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
            guardrails=F("attribution__guardrails"),
            plan_name=F("plan__name"),
            submitter_id=F("submitted_by_id"),
            submitter=F("submitted_by__name"),
        )
    )


def _row(row: Mapping[str, Any], labelled: Mapping[tuple[UUID, UUID], Counted], by: Membership, now: datetime) -> QueueRow:
    """A row. Whose labels are counted: those of whoever submitted or holds the item, else of whoever looks, who would go on with them."""
    standing, viewer = read_standing(row, row["held"], row["reviewed"]), viewer_of(by)
    own, knows = standing.review_of(by.user_id), sees_engine(viewer, standing)
    is_done = own is not None or row["state"] == State.SUBMITTED
    holder = None if is_done else standing.hold_of(by.user_id, now) or standing.in_the_way(by.user_id, now)
    worker_id = by.user_id if own else holder.id if holder else row["submitter_id"] or by.user_id
    guardrails, hidden = row["guardrails"] if knows else {}, hidden_from(by, Surface.QUEUE)
    own_name = row["conversation"] or row["reference"] or row["external_id"]
    return QueueRow(
        id=row["snapshot_id"],
        name=name_instead(row["snapshot_id"]) if Text.REFERENCES in hidden else own_name,
        turn_index=row["turn_index"],
        answered_at=row["answered_at"],
        excerpt=masked(row["excerpt"], Text.ANSWER, hidden),
        model=row["model"],
        prompt_version=row["prompt_version"],
        source=words.source_badge(row["source"]) if knows else words.BLIND_BADGE,
        validity=validity_badge(row["validity"]) if row["validity"] and knows else None,
        guardrails=[words.guardrail_badge(code, guardrails[code]) for code in sorted(guardrails, key=_contradicted_first)],
        found_count=row["found_count"],
        labelled=labelled.get((row["snapshot_id"], worker_id or by.user_id), Counted())
        if sees_work(viewer, standing, worker_id)
        else Counted(),
        is_blind=not knows,
        is_conflicted=standing.phase is Phase.CONSOLIDATING,
        plan=row["plan_name"] or "",
        state=State.SUBMITTED if is_done else row["state"],
        holder=holder.name if holder else "",
        is_mine=by.user_id == worker_id and (is_done or holder is not None),
        minutes_left=max(1, round((holder.expires_at - now).total_seconds() / 60)) if holder else 0,
        skip_reason=masked(row["skip_reason"], Text.NOTES, hidden) if sees_work(viewer, standing, row["skipped_by"]) else "",
        submitted_by=own.name if own else row["submitter"] or "",
        is_flagged=row["is_flagged"] and knows,
        signed=read_signed_as(row["signed"]) if sees_work(viewer, standing, None) else SignedAs((), ()),
    )


def _contradicted_first(code: str) -> tuple[bool, str]:
    return code != "contradicted", code


def count_today(by: Membership, now: datetime) -> int:
    """How many reviews somebody has submitted since midnight."""
    midnight = _midnight(timezone.localdate(now))
    return sum(_submitted_since(by.user_id, by.organisation_id, midnight))


@phrased
def _submitted_since(reviewer_id: UUID, organisation_id: UUID, moment: datetime) -> QuerySet[Submission, int]:
    """One number, or none where it would be nothing."""
    done = Submission.objects.filter(reviewer=reviewer_id, organisation=organisation_id, submitted_at__gte=moment)
    return done.order_by().values("organisation").annotate(number=Count("pk")).values_list("number", flat=True)
