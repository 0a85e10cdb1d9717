"""Whoever signs out lets go of what they hold; whoever may not label any more is let go of it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib.auth.signals import user_logged_out
from django.dispatch import receiver
from django.utils import timezone

from reviewers.accounts.announcements import Announcement, announced
from reviewers.accounts.models import Membership, User
from reviewers.accounts.permissions import ROLE_PERMISSIONS, Permission
from reviewers.accounts.single_sign_on.sessions import organisation_of
from reviewers.review.leasing import release_all, take_away
from reviewers.web import walls


@receiver(user_logged_out)
def _let_go(*, user: User | None, request: Any = None, session: Any = None, **_: Any) -> None:
    if user is not None:
        only = organisation_of(request.session if request else session or {})  # a provider's session lets go of its own alone
        with walls.outside():
            found = Membership.objects.filter(user=user).select_related("user")
            memberships = [each for each in found if only in (None, each.organisation_id)]
        release_all(user_id=user.pk, memberships=memberships, now=timezone.now())


@receiver(announced)
def _take_away(*, announcement: Announcement, **_: Any) -> None:
    """A membership that has ended, or has another role now, holds nothing that it could not label."""
    told = announcement.details
    is_out = announcement.action == "member.role_changed" and Permission.LABEL_ITEMS not in ROLE_PERMISSIONS[told["to"]]
    if announcement.action == "member.ended" or is_out:
        take_away(holder_id=UUID(told["user"]), organisation_id=announcement.organisation_id, by=announcement.by, now=announcement.at)
