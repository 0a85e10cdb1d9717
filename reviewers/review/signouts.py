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
from reviewers.accounts.sessions import entered_in
from reviewers.review.leasing import release_all, take_away
from reviewers.web import walls


@receiver(user_logged_out)
def _let_go(*, user: User | None, request: Any = None, session: Any = None, **_: Any) -> None:
    if user is not None:
        entered = entered_in(request.session if request else session or {})  # what is held elsewhere is another session's
        with walls.outside():
            memberships = list(Membership.objects.filter(user=user, organisation_id__in=entered).select_related("user"))
        release_all(user_id=user.pk, memberships=memberships, now=timezone.now())


@receiver(announced)
def _take_away(*, announcement: Announcement, **_: Any) -> None:
    """A membership that has ended, or has another role now, holds nothing that it could not label."""
    told = announcement.details
    is_out = announcement.action == "member.role_changed" and Permission.LABEL_ITEMS not in ROLE_PERMISSIONS[told["to"]]
    if announcement.action == "member.ended" or is_out:
        take_away(holder_id=UUID(told["user"]), organisation_id=announcement.organisation_id, by=announcement.by, now=announcement.at)
