"""Sends the mail of an invitation from the worker."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone
from procrastinate.contrib.django import app

from reviewers.accounts.invitations.links import link_of
from reviewers.accounts.mail import RETRY, send
from reviewers.accounts.models import Invitation, Role
from reviewers.web import walls


def defer(invitation: Invitation) -> None:
    """Send the mail once the transaction is committed."""
    send_invitation.defer(invitation=str(invitation.pk))


@app.task(retry=RETRY)
def send_invitation(*, invitation: str) -> None:
    """Send the link of an invitation to its address, unless it has ended meanwhile."""
    with walls.outside():
        found = Invitation.objects.select_related("organisation", "invited_by").filter(pk=UUID(invitation), ended_at=None).first()
    if found is not None and found.expires_at > timezone.now():
        send(found.email, f"Invitation to {found.organisation.name}", _text(found))


def _text(invitation: Invitation) -> str:
    by = f"{invitation.invited_by.name} at {invitation.organisation.name}" if invitation.invited_by else invitation.organisation.name
    day = timezone.localtime(invitation.expires_at).strftime("%-d %B %Y, %H:%M")
    return (
        f"{by} invites you to review answers in Footnote, as {Role(invitation.role).label.lower()}.\n\n"
        f"Open this link to accept or decline. It is for you alone, and works until {day}:\n\n{link_of(invitation)}\n\n"
        "If you do not know why you were invited, do nothing: nothing begins before you accept, and nobody was told anything about you.\n"
    )
