"""The page on which auditors and administrators see who opened what. Looking at it is itself written down."""

from __future__ import annotations

import secrets
from uuid import UUID

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.announcements import user_actor
from reviewers.accounts.permissions import MemberRequest, Permission, may, requires
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.snapshots import access
from reviewers.snapshots.access import Sought
from reviewers.snapshots.forms import AccessForm, ClientForm

_SEARCHES = "access_searches"
_MOST_SEARCHES = 20


@require_GET
@requires(Permission.READ_ACCESS)
def accesses(request: MemberRequest) -> HttpResponse:
    """Who opened what, newest first."""
    form = AccessForm(request.GET)
    sought = _sought(request, form)
    with transaction.atomic():
        page = access.load_page(request.member, sought, form.value("before"))
        _record_view(request, sought, page)
    later = request.GET.copy()
    later["before"] = str(page.earlier or "")
    context = {"page": page, "sought": sought, "people": access.list_people(request.member.organisation), "earlier": later.urlencode()}
    return render(request, "snapshots/access.html", context)


@require_POST
@requires(Permission.SEARCH_NAMES)
def search_client(request: MemberRequest) -> HttpResponse:
    """Keep a client's reference in the session and lead to what was opened of them; the address holds only its number."""
    form = ClientForm(request.POST)
    if not form.is_valid() or not form.cleaned_data["client"]:
        return redirect("accesses")
    number = secrets.token_hex(4)
    kept = dict(list(request.session.get(_SEARCHES, {}).items())[-_MOST_SEARCHES + 1 :])
    request.session[_SEARCHES] = kept | {number: form.cleaned_data["client"]}
    return redirect(f"{reverse('accesses')}?client={number}")


def _sought(request: MemberRequest, form: AccessForm) -> Sought:
    kept = request.session.get(_SEARCHES, {}) if may(request.member, Permission.SEARCH_NAMES) else {}
    client = kept.get(request.GET.get("client", ""), "")
    person, record_id = form.value("person"), form.value("record")
    return Sought(person=person, record=record_id, client=client, since=form.value("since"), until=form.value("until"))


def _record_view(request: MemberRequest, sought: Sought, page: access.AccessPage) -> None:
    """By which filters, and which records were named; a client's reference is committed, not told."""
    filters = [name for name in ("person", "record", "client", "since", "until") if getattr(sought, name)]
    named: set[UUID] = {row.record_id for row in page.rows if row.record_id}
    organisation_id = request.member.organisation_id
    event = Event(
        action=Action.ACCESS_VIEWED,
        organisation_id=organisation_id,
        by=user_actor(request.member.user_id),
        at=timezone.now(),
        object_type="organisation",
        object_id=organisation_id,
        details={"filters": filters, "shown": sorted(map(str, named))},
        parts=[("client", sought.client.encode())] if sought.client else [],
        kept=frozenset({"client"}),
    )
    record(event)
