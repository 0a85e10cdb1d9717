"""Reads of invitations: for the page of members, and for whoever opens a link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from django.http import Http404

from reviewers.accounts.days import last_day
from reviewers.accounts.invitations.links import is_token_of
from reviewers.accounts.models import Invitation, Organisation, Role
from reviewers.web import walls


@dataclass(frozen=True, slots=True)
class InvitationRow:
    """An open invitation as the page of members shows it."""

    id: UUID
    email: str
    role_words: str
    created_at: datetime
    expires_at: datetime
    is_expired: bool
    external_last_day: date | None


def list_open(organisation: Organisation, now: datetime) -> Sequence[InvitationRow]:
    """Return the invitations that were neither accepted nor ended, the newest first."""
    return [
        InvitationRow(
            id=each.pk,
            email=each.email,
            role_words=Role(each.role).label,
            created_at=each.created_at,
            expires_at=each.expires_at,
            is_expired=each.expires_at <= now,
            external_last_day=last_day(each.external_until),
        )
        for each in Invitation.objects.filter(organisation=organisation, ended_at=None).order_by("-created_at", "pk")
    ]


def find_by_link(invitation_id: UUID, token: str) -> Invitation:
    """Return the invitation whose link this is, whatever became of it. Raises ``Http404``.

    Asked from outside of all organisations: whoever opens a link is no member yet.
    """
    with walls.outside():
        found = Invitation.objects.select_related("organisation").filter(pk=invitation_id).first()
    if found is None or not is_token_of(found, token):
        raise Http404
    return found
