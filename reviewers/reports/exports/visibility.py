"""Hide from a member the reports by others whose size and digest could tell what a blind review hides."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from django.db.models import TextField
from django.db.models.functions import Cast

from reviewers.accounts.models import Membership
from reviewers.ledger.events import Action
from reviewers.ledger.models import AuditEvent
from reviewers.reports.models import ExportResult
from reviewers.review.models import QueueItem
from reviewers.review.plans.visibility import hides_work_from, viewer_of


def withheld_among(by: Membership, export_ids: Collection[UUID]) -> frozenset[UUID]:
    """Return the exports that others requested and that have answers whose work is hidden from a member.

    Somebody who knows the rest of a report could test guesses at the hidden part by its digest or its length alone.
    """
    viewer = viewer_of(by)
    if not export_ids or not viewer.may_label:
        return frozenset()
    items = QueueItem.objects.filter(hides_work_from(viewer), organisation=by.organisation_id)
    hidden = list(items.annotate(name=Cast("pk", TextField())).values_list("name", flat=True))
    if not hidden:
        return frozenset()
    others = ExportResult.objects.filter(organisation=by.organisation_id, export__in=export_ids).exclude(export__asked_by=by.user_id)
    return frozenset(others.filter(snapshots__overlap=hidden).values_list("export_id", flat=True))


def hidden_from(member: Membership, events: Sequence[AuditEvent]) -> set[UUID]:
    """Return the events of making such reports, which tell the size of the file."""
    made = {each.pk: each.object_id for each in events if each.action == Action.REPORT_MADE}
    withheld = withheld_among(member, set(made.values()))
    return {pk for pk, export_id in made.items() if export_id in withheld}
