"""Reads of suggestions: one answer with all that its page needs, and the answers beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import F, QuerySet
from django.http import Http404

from reviewers.accounts.models import Membership
from reviewers.accounts.texts import NOTHING, Surface, Text, hidden_from
from reviewers.ledger.redacted import read_redacted, redacted_of
from reviewers.review.items import Item
from reviewers.review.models import QueueItem
from reviewers.review.plans.visibility import hides_engine_from, viewer_of
from reviewers.review.standing import Standing
from reviewers.snapshots.models import Snapshot
from reviewers.snapshots.search_state import newest_search, read_search

MOST_COMPARED = 4
_MOST_BESIDE = 50
NONE_SHOWN: Mapping[UUID, frozenset[Text]] = {}


@dataclass(frozen=True, slots=True)
class Beside:
    """Another answer of a conversation that names a provider."""

    id: UUID
    provider: str
    answered_at: datetime


def suggestions_of(organisation_id: UUID) -> QuerySet[Snapshot]:
    """The answers whose records say that somebody was suggested (decision 28)."""
    return Snapshot.objects.filter(organisation=organisation_id).exclude(provider="")


def load_suggestion(member: Membership, snapshot_id: UUID, surface: Surface, shown: frozenset[Text] = NOTHING) -> Item:
    """An answer of the member's organisation in which somebody was suggested, or 404."""
    found = load_suggestions(member, [snapshot_id], surface, {snapshot_id: shown})
    if not found and QueueItem.objects.filter(organisation=member.organisation_id, pk=snapshot_id).exclude(snapshot__provider="").exists():
        raise PermissionDenied("This answer is under blind review: why it says what it says is shown once you have submitted yours.")
    if not found:
        raise Http404
    return found[0]


def load_suggestions(
    member: Membership, snapshot_ids: Iterable[UUID], surface: Surface, shown: Mapping[UUID, frozenset[Text]] = NONE_SHOWN
) -> list[Item]:
    """Some answers in one statement, in the order of time, without those that the member is to review blind.

    Nobody's labels are loaded: a page shows those of finished reviews alone. Text has masks as the member's role and the surface have it;
    ``shown`` are kinds that they have revealed of an answer.
    """
    rows = QueueItem.objects.filter(organisation=member.organisation_id, pk__in=list(snapshot_ids)).exclude(snapshot__provider="")
    rows = rows.exclude(hides_engine_from(viewer_of(member)))
    related = rows.select_related("snapshot", "attribution__documents").annotate(
        searched=newest_search("attribution_id"), gone=redacted_of("pk"), unbelieved=F("organisation__suspended_profiles")
    )
    found = related.order_by("answered_at", "pk")
    hidden = hidden_from(member, surface)
    return [_item(row, hidden - shown.get(row.pk, NOTHING)) for row in found]


def _item(row: Any, hidden: frozenset[Text]) -> Item:
    search, suspended = read_search(row.searched), frozenset(row.unbelieved)
    return Item(row, Standing(), (), search=search, redacted=read_redacted(row.gone), suspended=suspended, hidden=hidden)


def list_beside(snapshot: Snapshot) -> list[Beside]:
    """The answers of the same conversation that name somebody, this one too, the oldest first."""
    if not snapshot.conversation_id:
        return [Beside(snapshot.pk, snapshot.provider, snapshot.answered_at)]
    same = suggestions_of(snapshot.organisation_id).filter(conversation_id=snapshot.conversation_id)
    rows = same.order_by("answered_at", "id").values_list("id", "provider", "answered_at")
    return [Beside(*row) for row in rows[:_MOST_BESIDE]]


def first_of_each(beside: Iterable[Beside], own: str) -> list[UUID]:
    """For each provider the answer that named them first; ``own`` is among them even where there are more than can be compared."""
    first: dict[str, UUID] = {}
    for each in beside:
        first.setdefault(each.provider, each.id)
    others = [pk for provider, pk in first.items() if provider != own]
    return [first[own], *others[: MOST_COMPARED - 1]]
