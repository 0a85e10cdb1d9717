"""The link of an invitation: its token is derived, so that neither the database nor the queue of jobs holds one that works."""

from __future__ import annotations

from django.conf import settings
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

from reviewers.accounts.models import Invitation


def token_of(invitation: Invitation) -> str:
    """Return the token of an invitation: 256 bits that depend on the row, its address and the site's secret key."""
    value = f"{invitation.pk}\0{invitation.email}\0{invitation.created_at.isoformat()}"
    return salted_hmac("footnote.invitation", value, algorithm="sha256").hexdigest()


def is_token_of(invitation: Invitation, token: str) -> bool:
    """Return True if a token is the one of an invitation."""
    return constant_time_compare(token_of(invitation), token)


def link_of(invitation: Invitation) -> str:
    """Return the address that the invited person opens. It is for them alone: no page shows it."""
    path = reverse("invitation", kwargs={"invitation_id": invitation.pk, "token": token_of(invitation)})
    return f"{settings.ADDRESS}{path}"
