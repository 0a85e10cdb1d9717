"""Invitations of an organisation, one that waits and one that was accepted."""

from __future__ import annotations

from django.utils import timezone

from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.members.actions import accept_with_new_account, invite
from reviewers.accounts.models import Invitation, Membership, Organisation, Role


def invite_one(organisation: Organisation, email: str = "olive@example.org") -> Invitation:
    return invite(organisation=organisation, email=email, role=Role.REVIEWER, at=timezone.now(), by=SYSTEM)


def accept_one(organisation: Organisation, email: str = "ozzy@example.org") -> Membership:
    invitation = invite_one(organisation, email)
    return accept_with_new_account(invitation=invitation, name="Ozzy Oak", password="a passphrase of my own", at=timezone.now())
