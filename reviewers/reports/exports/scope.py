"""The scope of a report: one answer, a conversation, a plan, or a period."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.http import Http404
from django.utils.formats import date_format

from reviewers.accounts.models import Membership
from reviewers.reports.disclosure.profiles import DisclosureProfile, profile_for
from reviewers.reports.exports.report import Requested
from reviewers.review.models import Plan, QueueItem, State
from reviewers.review.plans.queries import facts_of
from reviewers.review.visibility import hides_anything_of, viewer_of
from reviewers.snapshots.models import Snapshot
from reviewers.web.dates import end_of_day, start_of_day

_NOTHING = UUID(int=0)


class ScopeKind(StrEnum):
    """The kind of a scope. The values are stored: never give one another meaning."""

    ITEM = "item"
    CONVERSATION = "conversation"
    PLAN = "plan"
    PERIOD = "period"


@dataclass(frozen=True, slots=True)
class ReportScope:
    """The scope of a report. ``object_id`` is an answer, also for its conversation, or a plan.

    A period has no object but the days ``since`` to ``until`` and ``submitted_only``. ``all_fields`` includes fields that an answer does
    not draw on. ``profile`` is how much is disclosed.
    """

    kind: ScopeKind
    object_id: UUID | None = None
    since: date | None = None
    until: date | None = None
    submitted_only: bool = False
    all_fields: bool = False
    profile: DisclosureProfile = DisclosureProfile.FULL

    def as_data(self) -> dict[str, Any]:
        """Return the scope in the form in which it is stored."""
        return {
            "kind": self.kind.value,
            "object": str(self.object_id) if self.object_id else None,
            "since": self.since.isoformat() if self.since else None,
            "until": self.until.isoformat() if self.until else None,
            "submitted_only": self.submitted_only,
            "all_fields": self.all_fields,
        } | ({} if self.profile is DisclosureProfile.FULL else {"profile": self.profile.value})


def read_scope(data: Mapping[str, Any]) -> ReportScope:
    """Return a scope that was stored."""
    return ReportScope(
        kind=ScopeKind(data["kind"]),
        object_id=UUID(data["object"]) if data["object"] else None,
        since=date.fromisoformat(data["since"]) if data["since"] else None,
        until=date.fromisoformat(data["until"]) if data["until"] else None,
        submitted_only=data["submitted_only"],
        all_fields=data["all_fields"],
        profile=DisclosureProfile(data.get("profile", DisclosureProfile.FULL)),
    )


class ReportTooLarge(Exception):  # noqa: N818 — it is made later
    """A report is too large to be made at once."""


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """A report that a member requests: its scope, the answers of the scope, and its description in the head of the report.

    ``requested`` is what its cover says of the request, if it is an export. ``most`` is the size of its answers, as JSON, from which on it
    is not made now (`ReportTooLarge`).
    """

    scope: ReportScope
    by: Membership
    items: QuerySet[QueueItem]
    title: str
    facts: tuple[tuple[str, str], ...] = ()
    requested: Requested | None = None
    most: int | None = None

    @property
    def profile(self) -> DisclosureProfile:
        """The disclosure profile of the report: external auditors always get masks."""
        return profile_for(self.by, self.scope.profile)


def resolve_request(scope: ReportScope, by: Membership, requested: Requested | None = None) -> ReportRequest:
    """Return a request with its answers in the member's organisation. Raise ``Http404`` if its object does not exist there."""
    own = QueueItem.objects.filter(organisation=by.organisation_id)
    if scope.kind is ScopeKind.PERIOD:
        resolved = _period(scope, by, own)
    elif scope.kind is ScopeKind.PLAN:
        resolved = _plan(scope, by, own)
    else:
        resolved = _conversation(scope, by, own)
    return replace(resolved, requested=requested)


def _conversation(scope: ReportScope, by: Membership, own: QuerySet[QueueItem]) -> ReportRequest:
    """Return the request for one answer, or for all answers of its conversation."""
    snapshot = Snapshot.objects.filter(organisation=by.organisation_id, pk=scope.object_id or _NOTHING).first()
    if snapshot is None:
        raise Http404
    if scope.kind is ScopeKind.ITEM or not snapshot.conversation_id:
        return ReportRequest(scope, by, own.filter(pk=snapshot.pk), snapshot.external_id, (("Scope", "one answer"),))
    items = own.filter(snapshot__conversation_id=snapshot.conversation_id)
    return ReportRequest(scope, by, items, snapshot.conversation_id, (("Scope", "a conversation"),))


def _plan(scope: ReportScope, by: Membership, own: QuerySet[QueueItem]) -> ReportRequest:
    plan = Plan.objects.filter(organisation=by.organisation_id, pk=scope.object_id or _NOTHING).select_related("guide").first()
    if plan is None:
        raise Http404
    told = facts_of(plan, is_blind=hides_anything_of(plan, viewer_of(by)))
    facts = [("Scope", "a plan"), *((term.capitalize(), said) for term, said in told)]
    return ReportRequest(scope, by, own.filter(plan=plan), plan.name, tuple(facts))


def _period(scope: ReportScope, by: Membership, own: QuerySet[QueueItem]) -> ReportRequest:
    if scope.since:
        own = own.filter(answered_at__gte=start_of_day(scope.since))
    if scope.until:
        own = own.filter(answered_at__lt=end_of_day(scope.until))
    if scope.submitted_only:
        own = own.filter(state=State.SUBMITTED)
    words = " ".join(f"{word} {date_format(day, 'j M Y')}" for word, day in (("from", scope.since), ("to", scope.until)) if day)
    days = f"{words} (days in the time zone {settings.TIME_ZONE})" if words else "at any time"
    facts = (
        ("Scope", "a period"),
        ("Answered", days),
        ("Reviews", "only answers whose review is finished" if scope.submitted_only else "all answers, reviewed or not"),
    )
    return ReportRequest(scope, by, own, f"Answers {words}" if words else "All answers", facts)
