"""Filters of the queue, including one by signatures that computes no digests, and links that take off those that are on.

Labels are only ever added. So a review has changed since it was signed exactly if it has more labels, its item shows another attribution, a
citation search found something, parts of it were redacted, a lead has decided something of it, or it was reopened.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.postgres.search import SearchQuery
from django.db.models import Exists, F, Func, OuterRef, Q, QuerySet
from django.db.models.expressions import OrderBy, RawSQL

from reviewers.accounts.models import Organisation
from reviewers.review.models import Flag, Lease, Meaning, QueueItem, Signature, State
from reviewers.review.queue.order import Order, RiskRank
from reviewers.review.visibility import OF_WORK, Viewer, hides_engine_from, hides_work_from, is_of_engine
from reviewers.snapshots.models import SearchOutcome, visible
from reviewers.snapshots.search import search_query
from reviewers.web.dates import end_of_day, start_of_day
from reviewers.web.statements import json_rows

HELD = "held"
ALL = "all"
"""The value that asks for all states, where an address without a state asks for what is to do."""

ALL_STATES = frozenset({State.TO_DO.value, State.SKIPPED.value, State.SUBMITTED.value})
FACET_KINDS = ("source", "guardrail", "validity", "issue", "answer", "section", "model", "prompt")


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of the queue, and the order of what it leaves.

    Facets of one kind are alternatives. Kinds, dates, words and the rest must all match. With ``is_client`` the words are a client's
    reference, and only answers for that client match.
    """

    states: frozenset[str] = frozenset()
    facets: Mapping[str, frozenset[str]] = field(default_factory=dict)
    since: date | None = None
    until: date | None = None
    words: str = ""
    is_client: bool = False
    is_flagged: bool = False
    is_unsupported: bool = False
    plans: frozenset[UUID] = frozenset()
    signed: frozenset[str] = frozenset()
    order: Order = Order.OLDEST

    @property
    def is_of_all_states(self) -> bool:
        """True if the states leave nothing out."""
        return not self.states or self.states >= ALL_STATES

    @property
    def names(self) -> list[str]:
        """Return the names of the active filters, without their values and without states, plans, days and words.

        The order by risk is one of them: what is shown in it follows from what the engine found.
        """
        of_work = [name for name, is_set in zip(OF_WORK, (self.is_flagged, self.signed, self.is_unsupported), strict=True) if is_set]
        of_engine = [Order.RISK.value] if self.order is Order.RISK else []
        return sorted([*self.facets, *of_work, *of_engine])

    def as_data(self) -> dict[str, Any]:
        """Return the values except the words, as the audit event of a list commits to them."""
        return {
            "states": sorted(self.states),
            "facets": {kind: sorted(values) for kind, values in self.facets.items()},
            "since": self.since.isoformat() if self.since else None,
            "until": self.until.isoformat() if self.until else None,
            "flagged": self.is_flagged,
            "plans": sorted(map(str, self.plans)),
            "signed": sorted(self.signed),
            **({"client": True} if self.is_client else {}),
            **({"unsupported": True} if self.is_unsupported else {}),
            **({"order": self.order.value} if self.order is not Order.OLDEST else {}),
        }


class _Terms(SearchQuery):
    """Search terms passed to PostgreSQL as they are. Its parser would split some of the terms in the index again."""

    template = "(%(expressions)s)::tsquery"


def matching(organisation: Organisation, chosen: Filter, *, only_recent: bool = False) -> QuerySet[QueueItem]:
    """Return the items of an organisation that match a filter.

    With ``only_recent`` a filter by signatures that hold or are void reads them from ``RECENT_SIGNATURES``, which has to begin the
    statement.
    """
    items = QueueItem.objects.filter(organisation=organisation)
    if chosen.plans:
        items = items.filter(plan__in=chosen.plans)
    for kind, values in chosen.facets.items():
        if values:
            items = items.filter(facets__overlap=[visible(f"{kind}:{value}") for value in sorted(values)])
    if chosen.since:
        items = items.filter(answered_at__gte=start_of_day(chosen.since))
    if chosen.until:
        items = items.filter(answered_at__lt=end_of_day(chosen.until))
    if chosen.words:
        items = items.filter(snapshot__search=_Terms(search_query(chosen.words)))
    if chosen.is_client:
        items = items.filter(snapshot__client_reference=chosen.words)
    if chosen.is_flagged:
        items = items.filter(Exists(Flag.objects.filter(snapshot=OuterRef("pk"), resolution=None)))
    if chosen.is_unsupported:
        items = items.filter(has_unsupported=True)
    return with_signatures(items, chosen.signed, _RECENTLY_SIGNED if only_recent else _SIGNED)


def visible_to(items: QuerySet[QueueItem], chosen: Filter, viewer: Viewer) -> QuerySet[QueueItem]:
    """Return the items without those of which the filter, or the order, would reveal something that the viewer may not know yet.

    They are left out whether they match or not.
    """
    if chosen.order is Order.RISK or any(values for kind, values in chosen.facets.items() if is_of_engine(kind)):
        items = items.exclude(hides_engine_from(viewer))
    is_of_work = chosen.is_flagged or chosen.signed or chosen.is_unsupported
    return items.exclude(hides_work_from(viewer)) if is_of_work else items


def in_states(items: QuerySet[QueueItem], states: frozenset[str], now: datetime) -> QuerySet[QueueItem]:
    """Return the items in one of the states. ``held`` means to do and held by somebody."""
    if not states:
        return items
    running = Exists(Lease.objects.filter(item=OuterRef("pk"), expires_at__gt=now))
    wanted = Q(state__in=[state for state in states if state != HELD])
    return items.filter(wanted | (Q(state=State.TO_DO) & running) if HELD in states else wanted)


def order_of(chosen: Filter) -> list[OrderBy]:
    """Return the order in which the items of a list are taken, before their age. In a list of plans those come first that are due first."""
    due = [F("plan__due_on").asc(nulls_last=True)] if chosen.plans else []
    orders = {Order.NEWEST: [F("answered_at").desc(), F("snapshot_id").desc()], Order.RISK: [RiskRank(F("facets")).asc()]}
    return due + orders.get(chosen.order, [])


# Filters by signatures.

HOLDS, VOID, NONE = "holds", "void", "none"
CHOICES = ((HOLDS, "Signed"), (VOID, "Changed since signing"), (NONE, "Submitted, not signed"))
"""The signature states that a list can be filtered by."""


@dataclass(frozen=True, slots=True)
class SignedMeanings:
    """The meanings in which an item is signed: those that hold, and those that have become void."""

    holding: Sequence[str]
    void: Sequence[str]


_OF_REVIEW = """
    JOIN review_submission AS review ON review.id = signature.review_id
    JOIN review_queueitem AS item ON item.snapshot_id = review.snapshot_id
"""
_FROM = f"review_signature AS signature {_OF_REVIEW}"

_HOLDS = f"""(
    signature.statement <> '' AND item.attribution_id = signature.attribution_id
    AND signature.label_count = (
        SELECT count(*) FROM review_label AS label
        WHERE (label.snapshot_id, label.reviewer_id) = (review.snapshot_id, review.reviewer_id)
    ) + (
        SELECT count(*) FROM review_citationlabel AS label
        WHERE (label.snapshot_id, label.reviewer_id) = (review.snapshot_id, review.reviewer_id)
    ) + (
        SELECT count(*) FROM review_unsupportedclaim AS label
        WHERE (label.snapshot_id, label.reviewer_id) = (review.snapshot_id, review.reviewer_id)
    )
    AND NOT EXISTS (
        SELECT FROM snapshots_citationsearchresult AS result JOIN snapshots_citationsearch AS search ON search.id = result.search_id
        WHERE search.attribution_id = signature.attribution_id AND result.outcome = '{SearchOutcome.FOUND.value}'
        AND result.ended_at > signature.signed_at
    )
    AND NOT EXISTS (
        SELECT FROM review_decision AS decision
        WHERE (decision.snapshot_id, decision.round) = (review.snapshot_id, review.round) AND decision.id > signature.id
    )
    AND NOT EXISTS (
        SELECT FROM review_reopening AS reopening
        WHERE reopening.snapshot_id = review.snapshot_id AND reopening.round > review.round AND reopening.id > signature.id
    )
)"""  # noqa: S608 — contains constants only
"""True if nothing has changed since the signature."""

_NEWEST = """NOT EXISTS (
    SELECT FROM review_signature AS later
    WHERE (later.object_type, later.object_id, later.signer_id, later.meaning)
    = (signature.object_type, signature.object_id, signature.signer_id, signature.meaning) AND later.id > signature.id
)"""
"""True if the same person has not signed again in the same meaning."""

_SIGNED = {
    HOLDS: f"SELECT review.snapshot_id FROM {_FROM} WHERE {_HOLDS}",  # noqa: S608 — contains constants only
    VOID: f"SELECT review.snapshot_id FROM {_FROM} WHERE NOT {_HOLDS} AND {_NEWEST}",  # noqa: S608 — contains constants only
}


SIGNATURES_COUNTED = 2_000
"""The newest signatures that the counts of saved views look at: whether one holds takes several look-ups."""

RECENT_SIGNATURES = f"""
WITH signed AS MATERIALIZED (
    SELECT review.snapshot_id, {_HOLDS} AS holds, {_NEWEST} AS is_newest
    FROM (
        SELECT * FROM review_signature WHERE organisation_id = %s ORDER BY id DESC LIMIT {SIGNATURES_COUNTED}
    ) AS signature {_OF_REVIEW}
)
"""  # noqa: S608 — contains constants only
"""The beginning of a statement over the newest signatures of an organisation."""

_RECENTLY_SIGNED = {
    HOLDS: "SELECT snapshot_id FROM signed WHERE holds",
    VOID: "SELECT snapshot_id FROM signed WHERE NOT holds AND is_newest",
}


def with_signatures(items: QuerySet[QueueItem], chosen: frozenset[str], signed: Mapping[str, str]) -> QuerySet[QueueItem]:
    """Return the items with one of the chosen signature states, or all items if none is chosen."""
    if not chosen:
        return items
    wanted = {name: Q(pk__in=RawSQL(statement, ())) for name, statement in signed.items()}  # noqa: S611 — contains constants only
    wanted[NONE] = Q(~Exists(Signature.objects.filter(review__snapshot=OuterRef("pk"))), state=State.SUBMITTED)
    found = Q()
    for name in sorted(chosen & wanted.keys()):
        found |= wanted[name]
    return items.filter(found)


_SIGNED_AS = f"""ARRAY(
    SELECT jsonb_build_object('meaning', signature.meaning, 'holds', {_HOLDS})
    FROM {_FROM} WHERE review.snapshot_id = %(expressions)s AND {_NEWEST} ORDER BY signature.id
)"""  # noqa: S608 — contains constants only


def signed_as() -> Func:
    """Return the newest signatures of each item by signer and meaning, as an annotation."""
    return json_rows(_SIGNED_AS, "pk")


def read_signed_as(annotated: Sequence[Mapping[str, Any]]) -> SignedMeanings:
    """Return the annotation ``signed_as`` in words, each meaning once."""
    holding = dict.fromkeys(each["meaning"] for each in annotated if each["holds"])
    void = dict.fromkeys(each["meaning"] for each in annotated if not each["holds"])
    return SignedMeanings(*([Meaning(name).label.lower() for name in names] for names in (holding, void)))


# The filters that are on, each as a link that takes it off.


Pair = tuple[str, str]
"""Name and value of a filter in an address."""

NOT_GIVEN = "not given"
MOST_CHIPS = 50
"""The most filters with a link of their own: each link names all the others."""


class Chip(NamedTuple):
    """A filter that is on: its words, and the query of the list without it."""

    words: str
    query: str


class FilterWords(NamedTuple):
    """The words of filters: of states, kinds of facets, plans and signatures. ``facets`` gives those of a value by its kind."""

    states: Mapping[str, str]
    kinds: Mapping[str, str]
    facets: Callable[[str, str], str]
    plans: Mapping[UUID, str]
    signed: Mapping[str, str]


def chips_of(chosen: Filter, search: str, words: FilterWords) -> list[Chip]:
    """Return the filters that are on. ``search`` is the number of the search in the address, whose words the filter has.

    Of very many the last ones are one, which takes all of them off.
    """
    entries = list(_entries(chosen, search, words))
    order = [] if chosen.order is Order.OLDEST else [("order", chosen.order.value)]
    pairs = [pair for _, pair in entries] + order
    chips = [Chip(said, _without({pair}, pairs)) for said, pair in entries[:MOST_CHIPS]]
    rest = {pair for _, pair in entries[MOST_CHIPS:]}
    return [*chips, Chip(f"{len(entries) - MOST_CHIPS:,} more", _without(rest, pairs))] if rest else chips


def _without(taken: Collection[Pair], pairs: list[Pair]) -> str:
    """Return a query without some filters. Without any state it asks for all of them, as an empty query asks for what is to do."""
    left = [each for each in pairs if each not in taken]
    return urlencode(left if any(name == "state" for name, _ in left) else [("state", ALL), *left])


def _entries(chosen: Filter, search: str, words: FilterWords) -> Iterator[tuple[str, Pair]]:
    if not chosen.is_of_all_states:
        yield from ((words.states[state], ("state", state)) for state in words.states if state in chosen.states)
    if chosen.words:
        yield f"Client {chosen.words}" if chosen.is_client else f"“{chosen.words}”", ("search", search)
    for plan in sorted(chosen.plans, key=str):
        yield f"Plan: {words.plans.get(plan, NOT_GIVEN)}", ("plan", str(plan))
    for kind, values in chosen.facets.items():
        yield from ((f"{words.kinds[kind]}: {words.facets(kind, value)}", (kind, value)) for value in sorted(values))
    if chosen.since:
        yield f"from {chosen.since:%-d %b %Y}", ("since", chosen.since.isoformat())
    if chosen.until:
        yield f"to {chosen.until:%-d %b %Y}", ("until", chosen.until.isoformat())
    yield from ((title, ("signed", value)) for value, title in words.signed.items() if value in chosen.signed)
    if chosen.is_flagged:
        yield "With an open flag", ("flagged", "on")
    if chosen.is_unsupported:
        yield "With words not in the record", ("unsupported", "on")
