"""Proposed profiles in the inbox of those who may approve them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission
from reviewers.calibration.models import CalibrationProfile
from reviewers.review.inbox.sources import APPROVALS, Entry, InboxSource


def _waiting(by: Membership) -> QuerySet[Any]:
    waiting = CalibrationProfile.objects.filter(organisation=by.organisation_id, decision=None)
    return waiting.exclude(proposed_by=by.user_id).defer("document")


def _entries(rows: Sequence[Any], _: Membership) -> Iterable[Entry]:
    own = CalibrationProfile.objects.defer("document").select_related("combination", "proposed_by").in_bulk([row.pk for row in rows])
    for row in (own[each.pk] for each in rows):
        subject = f"{row.combination.model} · {row.combination.prompt_version}"
        yield Entry("Profile proposed", row.proposed_by.name, row.proposed_at, reverse("profile", args=[row.pk]), subject)


PROPOSED_PROFILES = InboxSource(APPROVALS, Permission.MANAGE_CALIBRATION, _waiting, _entries, "proposed_at")
