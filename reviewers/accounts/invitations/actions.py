"""Invite, withdraw, accept, decline: each call one transaction, with its audit event."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import transaction

from reviewers.accounts.actions import add_member
from reviewers.accounts.announcements import Actor, ActorKind, Announcement, announce, user_actor
from reviewers.accounts.invitations.ending import end_invitation
from reviewers.accounts.invitations.policies import (
    check_is_administrator_still,
    check_is_open,
    check_may_accept,
    check_may_be_outside,
    check_may_invite,
)
from reviewers.accounts.membership import mark_external
from reviewers.accounts.models import Invitation, Membership, Organisation, User
from reviewers.accounts.outside import Outside

Outcome = Invitation.Outcome


@transaction.atomic
def invite(*, organisation: Organisation, email: str, role: str, at: datetime, by: Actor, outside: Outside | None = None) -> Invitation:
    """Offer a role to an address. An earlier open invitation of the address is replaced, and its link stops working.

    The same is done whether or not there is an account with this address. The caller sends the link.
    """
    address = email.strip().lower()
    if by.kind is ActorKind.USER and by.id is not None:
        check_is_administrator_still(organisation.pk, by.id)
    check_may_invite(organisation.pk, address)
    check_may_be_outside(role, outside, at)
    for earlier in Invitation.objects.select_for_update().filter(organisation=organisation, email=address, ended_at=None):
        end_invitation(earlier, Outcome.REPLACED, at, by)
    invitation = Invitation.objects.create(
        organisation=organisation,
        email=address,
        role=role,
        external_reason=outside.reason if outside else "",
        external_until=outside.until if outside else None,
        invited_by_id=by.id if by.kind is ActorKind.USER else None,
        created_at=at,
        expires_at=at + settings.INVITATION_LASTS,
    )
    details = {"role": role, "until": outside.until.isoformat() if outside else None}
    parts = [("address", address.encode()), *([("reason", outside.reason.encode())] if outside else [])]
    announce(Announcement("invitation.made", organisation.pk, by, at, "invitation", invitation.pk, details, parts))
    return invitation


@transaction.atomic
def withdraw(*, invitation: Invitation, at: datetime, by: Actor) -> None:
    """Take an invitation back. Its link stops working at once."""
    current = _lock(invitation)
    check_is_open(current, at)
    end_invitation(current, Outcome.WITHDRAWN, at, by)


@transaction.atomic
def decline(*, invitation: Invitation, user: User, at: datetime) -> None:
    """Decline an invitation as the owner of its address."""
    current = _lock(invitation)
    check_may_accept(current, user, at)
    end_invitation(current, Outcome.DECLINED, at, user_actor(user.pk))


@transaction.atomic
def accept(*, invitation: Invitation, user: User, at: datetime) -> Membership:
    """Begin the membership that was offered. Of those who try at once one succeeds; raises ``Refused`` for the others."""
    current = _lock(invitation)
    check_may_accept(current, user, at)
    check_may_invite(current.organisation_id, user.email)
    member = add_member(
        organisation=current.organisation, user=user, role=current.role, at=at, by=user_actor(user.pk), invited_by_id=current.invited_by_id
    )
    if current.external_until is not None:
        mark_external(member=member, outside=Outside(current.external_reason, current.external_until), at=at, by=user_actor(user.pk))
    end_invitation(current, Outcome.ACCEPTED, at, user_actor(user.pk), membership=member)
    return member


@transaction.atomic
def accept_as_new(*, invitation: Invitation, name: str, password: str, at: datetime) -> Membership:
    """Make the account of a person who had none, with a password that only they know, and begin the membership."""
    check_is_open(_lock(invitation), at)
    user = User.objects.create_user(email=invitation.email, name=name, password=password)
    return accept(invitation=invitation, user=user, at=at)


def _lock(invitation: Invitation) -> Invitation:
    """Return the invitation as it is now, held until the transaction ends."""
    return Invitation.objects.select_for_update(of=("self",)).select_related("organisation").get(pk=invitation.pk)
