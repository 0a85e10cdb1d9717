"""Pages of the ledger: the state of the log, its events and receipts, and verification."""

from __future__ import annotations

import json
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.audit import user_actor
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.ledger import jobs, queries
from reviewers.ledger.actions import record
from reviewers.ledger.events import ACTION_WORDS, Action, Event
from reviewers.ledger.hooks import hidden_events
from reviewers.ledger.merkle.notes import encode_base64
from reviewers.ledger.merkle.proofs import leaf_hash
from reviewers.ledger.models import AuditEvent
from reviewers.ledger.receipts import find_place, take_receipt


@require_GET
@requires(Permission.READ_LEDGER)
def show(request: MemberRequest) -> HttpResponse:
    """Show the newest checkpoint and the events. A search is an audit event itself."""
    organisation_id = request.member.organisation_id
    sought = queries.read_event_search(request.GET)
    query = request.GET.copy()
    query.pop("after", None)
    context = {
        "overview": queries.load_overview(organisation_id),
        "page": queries.load_page(request.member, sought, request.GET.get("after", "")),
        "people": queries.list_people(organisation_id),
        "sought": sought,
        "query": query.urlencode(),
        "verification": queries.last_verification(organisation_id),
        "asked_at": queries.is_being_verified(organisation_id),
        "now": timezone.now(),
    }
    if sought.is_anything:
        _record_search(request, sought)
    return render(request, "ledger/ledger.html", context)


@require_GET
@requires(Permission.READ_LEDGER)
def event(request: MemberRequest, event_id: UUID) -> HttpResponse:
    """Show an event: its bytes, its place in the log and its proof."""
    found = _find(request, event_id)
    place, content = find_place(found.id), bytes(found.body)
    context = {
        "event": found,
        "words": ACTION_WORDS[found.action],
        "actor": queries.actor_of(found),
        "body": json.dumps(json.loads(content), indent=2, ensure_ascii=False),
        "leaf": encode_base64(leaf_hash(content)),
        "place": place,
        "proof": [encode_base64(digest) for digest in place.proof] if place else [],
    }
    return render(request, "ledger/event.html", context)


@require_GET
@requires(Permission.READ_LEDGER)
def receipt(request: MemberRequest, event_id: UUID) -> HttpResponse:
    """Download an event's receipt, which is an audit event."""
    return as_file(request, _find(request, event_id))


@require_POST
@requires(Permission.READ_LEDGER)
def verify(request: MemberRequest) -> HttpResponse:
    """Queue a verification of the ledger."""
    jobs.request_verification(organisation_id=request.member.organisation_id, by=user_actor(request.member.user_id), at=timezone.now())
    return redirect("ledger")


@transaction.atomic
def as_file(request: MemberRequest, found: AuditEvent) -> HttpResponse:
    """Return a receipt as a file."""
    text = take_receipt(event=found, by=user_actor(request.member.user_id), at=timezone.now())
    name = f'attachment; filename="{found.id}.tlog-proof"'
    return HttpResponse(text, content_type="text/plain; charset=utf-8", headers={"Content-Disposition": name})


def _find(request: MemberRequest, event_id: UUID) -> AuditEvent:
    found = queries.find_event(request.member.organisation_id, event_id)
    if found is None:
        raise Http404
    if hidden_events(request.member, [found]):
        raise PermissionDenied("This event is about what is under blind review. It can be read once you could not be swayed by it.")
    return found


def _record_search(request: MemberRequest, sought: queries.EventSearch) -> None:
    member = request.member
    given = {"person": sought.person, "object": sought.object_id, "since": sought.since, "until": sought.until}
    details = {name: str(value) for name, value in given.items() if value}
    by = user_actor(member.user_id)
    record(Event(Action.LEDGER_SEARCHED, member.organisation_id, by, timezone.now(), "organisation", member.organisation_id, details))
