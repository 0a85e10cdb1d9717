"""What the list is narrowed to: by state, facets, dates, words, plans and signatures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchQuery
from django.db.models import Exists, OuterRef, Q, QuerySet

from reviewers.accounts.models import Organisation
from reviewers.review.models import Flag, Lease, QueueItem, State
from reviewers.review.plans.visibility import OF_WORK, Viewer, hides_engine_from, hides_work_from, is_of_engine
from reviewers.review.signing.validity import with_signatures
from reviewers.snapshots.display import visible
from reviewers.snapshots.search import search_query
from reviewers.web.moments import day_begins, day_ends

HELD = "held"
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

    @property
    def names(self) -> list[str]:
        """By what it narrows a list besides states, plans, days and words; not to which values."""
        of_work = [name for name, is_set in zip(OF_WORK, (self.is_flagged, self.signed), strict=True) if is_set]
        return sorted([*self.facets, *of_work])

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
        items = items.filter(answered_at__gte=day_begins(chosen.since))
    if chosen.until:
        items = items.filter(answered_at__lt=day_ends(chosen.until))
    if chosen.words:
        items = items.filter(snapshot__search=_Terms(search_query(chosen.words)))
    if chosen.is_flagged:
        items = items.filter(Exists(Flag.objects.filter(snapshot=OuterRef("pk"))))
    return with_signatures(items, chosen.signed)


def known_to(items: QuerySet[QueueItem], chosen: Filter, viewer: Viewer) -> QuerySet[QueueItem]:
    """Without the items that a filter would tell somebody of what they may not know yet: left out whatever it would find of them."""
    if any(values for kind, values in chosen.facets.items() if is_of_engine(kind)):
        items = items.exclude(hides_engine_from(viewer))
    return items.exclude(hides_work_from(viewer)) if chosen.is_flagged or chosen.signed else items


def in_states(items: QuerySet[QueueItem], states: frozenset[str], now: datetime) -> QuerySet[QueueItem]:
    """Only items in some of the states; ``held`` are those to do that somebody works on now."""
    if not states:
        return items
    running = Exists(Lease.objects.filter(item=OuterRef("pk"), expires_at__gt=now))
    wanted = Q(state__in=[state for state in states if state != HELD])
    return items.filter(wanted | (Q(state=State.TO_DO) & running) if HELD in states else wanted)
