"""The items that a plan may draw: to do, in no plan, begun by nobody."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from reviewers.accounts.models import Organisation
from reviewers.review.citation_models import CitationLabel
from reviewers.review.filtering import Filter, matching
from reviewers.review.models import Label, Lease, QueueItem, State
from reviewers.review.plan_models import Draw
from reviewers.review.plans.drawing import Candidate
from reviewers.review.plans.strata import assign, strata_of

_CHUNK = 200


def candidates_of(organisation: Organisation, stored: Mapping[str, Any], now: datetime) -> QuerySet[QueueItem]:
    """Those that a plan's filter leaves."""
    free = matching(organisation, read_stored(stored)).filter(state=State.TO_DO, plan=None)
    begun = (
        Lease.objects.filter(item=OuterRef("pk"), expires_at__gt=now),
        Label.objects.filter(snapshot=OuterRef("pk")),
        CitationLabel.objects.filter(snapshot=OuterRef("pk")),
    )
    for rows in begun:
        free = free.filter(~Exists(rows))
    return free


def frame_of(items: QuerySet[QueueItem], draw: Draw) -> list[Candidate]:
    """The candidates with their strata, where the design asks for any."""
    if draw is Draw.STRATIFIED:
        return assign((pk, strata_of(document)) for pk, document in documents_of(items))
    return [Candidate(pk) for pk in items.order_by("pk").values_list("pk", flat=True)]


def documents_of(items: QuerySet[QueueItem]) -> Iterator[tuple[UUID, Mapping[str, Any]]]:
    """The items' attributions as they are stored."""
    rows = items.order_by("pk").values_list("pk", "attribution__document")
    for pk, document in rows.iterator(chunk_size=_CHUNK):
        yield pk, json.loads(zlib.decompress(bytes(document)))


def read_stored(stored: Mapping[str, Any]) -> Filter:
    """A plan's filter of the queue."""
    since, until = (date.fromisoformat(stored[name]) if stored.get(name) else None for name in ("since", "until"))
    return Filter(facets={kind: frozenset(values) for kind, values in stored.get("facets", {}).items()}, since=since, until=until)


def stored_of(chosen: Filter) -> dict[str, Any]:
    """What a plan keeps of a filter: facets and dates. Words may be protected, states and remarks change."""
    data = chosen.as_data()
    return {name: data[name] for name in ("facets", "since", "until") if data[name]}
