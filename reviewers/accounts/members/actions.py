"""How an invitation ends, whoever ends it: its row says how, and an event tells of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from reviewers.accounts.actions import add_member
from reviewers.accounts.audit import Actor, ActorKind, Announcement, announce, user_actor
from reviewers.accounts.models import Invitation, Membership, Organisation, User
from reviewers.accounts.policies import (
    ExternalTerms,
    Refused,
    check_administrator_remains,
    check_is_administrator_still,
    check_is_open,
    check_may_accept,
    check_may_be_external,
    check_may_be_outside,
    check_may_change_role,
    check_may_invite,
)


def end_invitation(invitation: Invitation, outcome: str, at: datetime, by: Actor, **changes: Any) -> None:
    """End an invitation whose row is held."""
    Invitation.objects.filter(pk=invitation.pk).update(ended_at=at, ended_as=outcome, **changes)
    details = {"outcome": str(outcome)}
    announce(Announcement("invitation.ended", invitation.organisation_id, by, at, "invitation", invitation.pk, details))


def withdraw_those_by(member: Membership, at: datetime, by: Actor) -> None:
    """Withdraw what somebody has offered who may offer nothing any more: otherwise they could come back by a link of their own."""
    offered = Invitation.objects.filter(organisation_id=member.organisation_id, invited_by_id=member.user_id, ended_at=None)
    for invitation in offered.select_for_update().order_by("pk"):
        end_invitation(invitation, Invitation.Outcome.WITHDRAWN, at, by)


# What changes who belongs to an organisation: each call one transaction, announced in it.


@transaction.atomic
def mark_external(*, member: Membership, outside: ExternalTerms, at: datetime, by: Actor) -> None:
    """An auditor is from outside: text is masked for them from their next request on, until the day on which they see nothing more."""
    current = _lock(member)
    check_may_be_external(current, outside.until, at)
    told = {"is_external": True, "external_reason": outside.reason, "external_until": outside.until}
    Membership.objects.filter(pk=current.pk).update(**told)
    details = {"user": str(current.user_id), "until": outside.until.isoformat()}
    _announce(current, "member.marked_external", at, by, details, [("reason", outside.reason.encode())])


@transaction.atomic
def change_role(*, member: Membership, role: str, at: datetime, by: Actor) -> None:
    """Give a member another role; it holds from their next request. What they offered as an administrator is withdrawn."""
    current = _lock(member)
    if current.role == role:
        return
    check_may_change_role(current)
    check_administrator_remains(current)
    Membership.objects.filter(pk=current.pk).update(role=role)
    withdraw_those_by(current, at, by)
    _announce(current, "member.role_changed", at, by, {"user": str(current.user_id), "from": current.role, "to": role})


@transaction.atomic
def end_membership(*, member: Membership, at: datetime, by: Actor) -> None:
    """Somebody leaves. Their account, labels and signatures stay; they see nothing here from their next request.

    Their invitations that nobody has accepted yet are withdrawn.
    """
    current = _lock(member)
    check_administrator_remains(current)
    Membership.objects.filter(pk=current.pk).update(ended_at=at)
    withdraw_those_by(current, at, by)
    _announce(current, "member.ended", at, by, {"user": str(current.user_id), "role": current.role})


@transaction.atomic
def sign_out(*, member: Membership, at: datetime, by: Actor) -> None:
    """Sign a member out of this organisation wherever they are signed in; in their next request here they have to sign in again."""
    current = _lock(member)
    Membership.objects.filter(pk=current.pk).update(signed_out_at=at)
    _announce(current, "member.signed_out", at, by, {"user": str(current.user_id)})


def _lock(member: Membership) -> Membership:
    """The membership as it is now, and nobody changes it meanwhile."""
    current = Membership.objects.select_for_update(of=("self",)).select_related("user").get(pk=member.pk)
    if current.ended_at is not None:
        raise Refused(f"{current.user.name} is no member any more.")
    return current


def _announce(
    member: Membership, action: str, at: datetime, by: Actor, details: dict[str, Any], parts: Sequence[tuple[str, bytes]] = ()
) -> None:
    announce(Announcement(action, member.organisation_id, by, at, "membership", member.pk, details, parts))


# Invite, withdraw, accept, decline: each call one transaction, with its audit event.


Outcome = Invitation.Outcome


@transaction.atomic
def invite(
    *, organisation: Organisation, email: str, role: str, at: datetime, by: Actor, outside: ExternalTerms | None = None
) -> Invitation:
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
def withdraw_invitation(*, invitation: Invitation, at: datetime, by: Actor) -> None:
    """Take an invitation back. Its link stops working at once."""
    current = _lock_invitation(invitation)
    check_is_open(current, at)
    end_invitation(current, Outcome.WITHDRAWN, at, by)


@transaction.atomic
def decline_invitation(*, invitation: Invitation, user: User, at: datetime) -> None:
    """Decline an invitation as the owner of its address."""
    current = _lock_invitation(invitation)
    check_may_accept(current, user, at)
    end_invitation(current, Outcome.DECLINED, at, user_actor(user.pk))


@transaction.atomic
def accept_invitation(*, invitation: Invitation, user: User, at: datetime) -> Membership:
    """Begin the membership that was offered. Of those who try at once one succeeds; raises ``Refused`` for the others."""
    current = _lock_invitation(invitation)
    check_may_accept(current, user, at)
    check_may_invite(current.organisation_id, user.email)
    member = add_member(
        organisation=current.organisation, user=user, role=current.role, at=at, by=user_actor(user.pk), invited_by_id=current.invited_by_id
    )
    if current.external_until is not None:
        mark_external(member=member, outside=ExternalTerms(current.external_reason, current.external_until), at=at, by=user_actor(user.pk))
    end_invitation(current, Outcome.ACCEPTED, at, user_actor(user.pk), membership=member)
    return member


@transaction.atomic
def accept_with_new_account(*, invitation: Invitation, name: str, password: str, at: datetime) -> Membership:
    """Make the account of a person who had none, with a password that only they know, and begin the membership."""
    check_is_open(_lock_invitation(invitation), at)
    user = User.objects.create_user(email=invitation.email, name=name, password=password)
    return accept_invitation(invitation=invitation, user=user, at=at)


def _lock_invitation(invitation: Invitation) -> Invitation:
    """Return the invitation as it is now, held until the transaction ends."""
    return Invitation.objects.select_for_update(of=("self",)).select_related("organisation").get(pk=invitation.pk)
