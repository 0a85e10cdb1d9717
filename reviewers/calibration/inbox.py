"""Proposed profiles in the inbox of those who may approve them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.urls import reverse

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission
from reviewers.calibration.models import CalibrationProfile
from reviewers.review.inbox.sources import APPROVALS, Entry, InboxSource, Waiting

_WAITING = """
SELECT profile.id, profile.proposed_at FROM calibration_calibrationprofile AS profile
WHERE profile.organisation_id = %(organisation)s AND profile.proposed_by_id <> %(person)s
AND NOT EXISTS (SELECT FROM calibration_profiledecision AS made WHERE made.profile_id = profile.id)
"""


def _entries(rows: Sequence[Waiting], _: Membership) -> Iterable[Entry]:
    own = CalibrationProfile.objects.defer("document").select_related("combination", "proposed_by").in_bulk([row.pk for row in rows])
    for row in (own[each.pk] for each in rows):
        subject = f"{row.combination.model} · {row.combination.prompt_version}"
        yield Entry("Profile proposed", row.proposed_by.name, row.proposed_at, reverse("profile", args=[row.pk]), subject)


PROPOSED_PROFILES = InboxSource(APPROVALS, Permission.MANAGE_CALIBRATION, _WAITING, _entries)
