"""Attributes stored answers again under the active profile, piece by piece, in the background.

A piece is one transaction: its attributions, how far it came, and the job for the next piece. Whatever is killed, it goes on from there.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction

from reviewers.accounts.announcements import user_actor
from reviewers.accounts.models import Membership
from reviewers.calibration import jobs, policies
from reviewers.calibration.actions import find_profile
from reviewers.calibration.combinations import key_of, read_profile
from reviewers.calibration.models import Recomputation
from reviewers.calibration.states import ProfileState, state_of
from reviewers.calibration.telling import tell
from reviewers.ledger.events import Action
from reviewers.review.showing_again import show_instead
from reviewers.snapshots.attributing_again import attribute_again, not_yet_under

AT_ONCE = 100
"""Answers in one transaction."""


@transaction.atomic
def ask_recomputation(*, profile_id: UUID, by: Membership, now: datetime) -> Recomputation:
    """Have the worker attribute the stored answers of an active profile's combination under it. Asked again it is the one there is."""
    profile = find_profile(profile_id, by)
    policies.check_is_active(profile)
    there = Recomputation.objects.filter(profile=profile).first()
    if there is not None:
        return there
    waiting = not_yet_under(profile.name, profile.organisation_id, key_of(profile.combination), now)
    asked: Recomputation = Recomputation.objects.create(
        organisation_id=profile.organisation_id, profile=profile, requested_by_id=by.user_id, asked_at=now, total=waiting.count()
    )
    tell(Action.RECOMPUTATION_ASKED, profile, user_actor(by.user_id), now, {"answers": asked.total})
    jobs.recompute_next(asked)
    return asked


@transaction.atomic
def recompute_piece(*, recomputation_id: UUID, now: datetime, at_once: int = AT_ONCE) -> bool:
    """The next piece; whether another one waits. A profile that is active no longer ends it."""
    row = Recomputation.objects.select_for_update(of=("self",)).select_related("organisation").get(pk=recomputation_id)
    profile = row.profile
    if row.finished_at is not None:
        return False
    found: dict[UUID, UUID] = {}
    if state_of(profile) is ProfileState.ACTIVE:
        waiting = not_yet_under(profile.name, row.organisation_id, key_of(profile.combination), row.asked_at)
        ahead = (waiting.filter(pk__gt=row.after) if row.after else waiting).order_by("pk")[:at_once]
        engine_profile = read_profile(profile.name, profile.pk)
        found = attribute_again(snapshots=ahead, profile=engine_profile, organisation=row.organisation, at=now)
        show_instead(found)
    row.done = min(row.total, row.done + len(found))
    row.after = max(found, default=row.after)
    row.finished_at = None if len(found) == at_once else now
    row.save(update_fields=["done", "after", "finished_at"])
    return row.finished_at is None
