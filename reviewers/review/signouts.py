"""Whoever signs out lets go of what they hold."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.signals import user_logged_out
from django.dispatch import receiver
from django.utils import timezone

from reviewers.accounts.models import Membership, User
from reviewers.review.leasing import release_all
from reviewers.web import walls


@receiver(user_logged_out)
def _let_go(*, user: User | None, **_: Any) -> None:
    if user is not None:
        with walls.outside():
            memberships = list(Membership.objects.filter(user=user).select_related("user"))
        release_all(user_id=user.pk, memberships=memberships, now=timezone.now())
