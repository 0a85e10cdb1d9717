"""Signing in, failing to, and signing out are announced to each organisation the person belongs to."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import receiver
from django.utils import timezone

from reviewers.accounts.announcements import SYSTEM, Actor, Announcement, announce, user_actor
from reviewers.accounts.models import Membership, User


@receiver(user_logged_in)
def _signed_in(*, user: User, **_: Any) -> None:
    _announce("session.started", user.pk, user_actor(user.pk))


@receiver(user_logged_out)
def _signed_out(*, user: User | None, **_: Any) -> None:
    if user is not None:
        _announce("session.ended", user.pk, user_actor(user.pk))


@receiver(user_login_failed)
def _failed(*, credentials: dict[str, Any], **_: Any) -> None:
    """Who failed is not known to be the person whose address was given, so the system is the one that acts."""
    email = str(credentials.get("email") or credentials.get("username") or "").lower()
    user_id = User.objects.filter(email=email).values_list("pk", flat=True).first()
    if user_id is not None:
        _announce("session.refused", user_id, SYSTEM)


def _announce(action: str, user_id: UUID, by: Actor) -> None:
    now = timezone.now()
    for organisation_id in Membership.objects.filter(user_id=user_id, ended_at=None).values_list("organisation_id", flat=True):
        announce(Announcement(action, organisation_id, by, now, "user", user_id))
