"""Saved views of the queue: filters under a name, for oneself or, from a lead, for the organisation.

Each is a record, and what changes or removes it is another one, so the ledger keeps who changed what. The words of a search may be
protected text and are never part of a view. Auditors from outside see only their own, because filters of others may name masked sections.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404

from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.accounts.policies import Invalid, Refused
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.review.models import SavedView
from reviewers.web.models import advisory_lock

MOST_VIEWS = 12
"""The most views that one person has, and the most that an organisation shares."""
_LONGEST_QUERY = 2_000


@dataclass(frozen=True, slots=True)
class ShownView:
    """A saved view as the list shows it to a member, who may be the one to change it."""

    id: UUID
    name: str
    query: str
    is_shared: bool
    owner: str
    may_change: bool


def list_views(by: Membership) -> list[ShownView]:
    """Return the views that a member sees: their own first, then those that are shared, each by name."""
    found = _current(_seen_by(by)).select_related("owner").order_by("is_shared", "name", "id")
    return [ShownView(each.pk, each.name, each.query, each.is_shared, each.owner.name, _may_change(each, by)) for each in found]


def _seen_by(by: Membership) -> QuerySet[SavedView]:
    """Return the views that a member may see, in all their forms."""
    seen = Q(owner=by.user_id) if by.is_external else Q(owner=by.user_id) | Q(is_shared=True)
    return SavedView.objects.filter(seen, organisation=by.organisation_id)


def _current(views: QuerySet[SavedView]) -> QuerySet[SavedView]:
    return views.filter(successor=None, is_removed=False)


@transaction.atomic
def save_view(*, name: str, query: str, is_shared: bool, by: Membership, now: datetime) -> SavedView:
    """Save a filter under a name. Raises ``Refused`` if there are too many, or somebody who is no lead would share it."""
    _lock(by)
    _check_terms(name, query)
    _check_sharing(by, is_shared=is_shared)
    _check_room(by, by.user_id, is_shared=is_shared)
    told = {"name": name, "query": query, "is_shared": is_shared, "owner_id": by.user_id}
    return _write(Action.VIEW_SAVED, SavedView(**told), by, now)


@transaction.atomic
def change_view(*, view_id: UUID, name: str, is_shared: bool, by: Membership, now: datetime) -> SavedView:
    """Give a view another name, share it, or share it no longer: then it is its owner's own."""
    view = _locked(view_id, by)
    _check_terms(name, view.query)
    if is_shared != view.is_shared:
        _check_sharing(by, is_shared=is_shared)
        _check_room(by, view.owner_id, is_shared=is_shared)
    return _write(Action.VIEW_CHANGED, _after(view, name=name, is_shared=is_shared), by, now)


@transaction.atomic
def remove_view(*, view_id: UUID, by: Membership, now: datetime) -> SavedView:
    """Remove a view for everybody who sees it."""
    view = _locked(view_id, by)
    return _write(Action.VIEW_REMOVED, _after(view, name=view.name, is_shared=view.is_shared, is_removed=True), by, now)


def _locked(view_id: UUID, by: Membership) -> SavedView:
    """Return a view that the member may change, while nobody else changes one of the organisation."""
    _lock(by)
    view = get_object_or_404(_seen_by(by), pk=view_id)
    if not _may_change(view, by):
        raise Refused("Only its owner changes this view, or a lead if it is shared.")
    if view.is_removed or SavedView.objects.filter(replaces=view).exists():
        raise Refused("Somebody has changed or removed this view in the meantime.")
    return view


def _lock(by: Membership) -> None:
    advisory_lock(f"saved views {by.organisation_id}")


def _may_change(view: SavedView, by: Membership) -> bool:
    return view.owner_id == by.user_id or (view.is_shared and may(by, Permission.APPROVE_REVIEWS))


def _check_terms(name: str, query: str) -> None:
    if not name:
        raise Invalid("A view needs a name of at most 60 characters.")
    if len(query) > _LONGEST_QUERY:
        raise Invalid("These are too many filters for one view.")


def _check_sharing(by: Membership, *, is_shared: bool) -> None:
    if is_shared and not may(by, Permission.APPROVE_REVIEWS):
        raise Refused("Only leads share views with the organisation.")


def _check_room(by: Membership, owner_id: UUID, *, is_shared: bool) -> None:
    those = {"is_shared": True} if is_shared else {"is_shared": False, "owner": owner_id}
    if _current(SavedView.objects.filter(organisation=by.organisation_id, **those)).count() >= MOST_VIEWS:
        raise Refused(f"There is room for {MOST_VIEWS} views. Remove one first.")


def _after(view: SavedView, *, name: str, is_shared: bool, is_removed: bool = False) -> SavedView:
    return SavedView(name=name, query=view.query, is_shared=is_shared, is_removed=is_removed, owner_id=view.owner_id, replaces=view)


def _write(action: Action, view: SavedView, by: Membership, now: datetime) -> SavedView:
    view.organisation_id, view.saved_at = by.organisation_id, now
    view.save(force_insert=True)
    details = {"shared": view.is_shared}
    record(Event(action, by.organisation_id, user_actor(by.user_id), now, "view", view.pk, details, rows=rows_of([view])))
    return view
