"""Changes to members and invitations. Each is one transaction with its audit event."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction

from reviewers.accounts.actions import add_member
from reviewers.accounts.audit import Actor, ActorKind, Announcement, announce, user_actor
from reviewers.accounts.members.tokens import Because, end_tokens_of
from reviewers.accounts.models import Invitation, Membership, Organisation, User
from reviewers.accounts.policies import (
    ExternalTerms,
    Refused,
    check_administrator_remains,
    check_invites_few,
    check_is_administrator_still,
    check_is_open,
    check_may_accept,
    check_may_be_external,
    check_may_change_role,
    check_may_invite,
    check_name_is_free,
)
from reviewers.web.models import advisory_lock


def end_invitation(invitation: Invitation, outcome: str, at: datetime, by: Actor, **changes: Any) -> None:
    """End an invitation; the caller has locked its row."""
    Invitation.objects.filter(pk=invitation.pk).update(ended_at=at, ended_as=outcome, **changes)
    details = {"outcome": str(outcome)}
    announce(Announcement("invitation.ended", invitation.organisation_id, by, at, "invitation", invitation.pk, details))


def withdraw_invitations_by(member: Membership, at: datetime, by: Actor) -> None:
    """Withdraw the open invitations that a member made. Otherwise a former administrator could come back by a link of their own."""
    offered = Invitation.objects.filter(organisation_id=member.organisation_id, invited_by_id=member.user_id, ended_at=None)
    for invitation in offered.select_for_update().order_by("pk"):
        end_invitation(invitation, Invitation.Outcome.WITHDRAWN, at, by)


@transaction.atomic
def mark_external(*, member: Membership, outside: ExternalTerms, at: datetime, by: Actor) -> None:
    """Mark an auditor as from outside: text is masked for them from their next request, and the membership ends at ``outside.until``.

    Their tokens end.
    """
    current = _lock(member)
    check_may_be_external(current.role, outside.until, at)
    told = {"is_external": True, "external_reason": outside.reason, "external_until": outside.until}
    Membership.objects.filter(pk=current.pk).update(**told)
    details = {"user": str(current.user_id), "until": outside.until.isoformat()}
    _announce(current, "member.marked_external", at, by, details, [("reason", outside.reason.encode())])
    end_tokens_of(member=current, because=Because.OUTSIDE, at=at, by=by)


@transaction.atomic
def change_role(*, member: Membership, role: str, at: datetime, by: Actor) -> None:
    """Give a member another role from their next request on, withdraw the invitations they made, and end their tokens."""
    current = _lock(member)
    if current.role == role:
        return
    check_may_change_role(current)
    check_administrator_remains(current)
    Membership.objects.filter(pk=current.pk).update(role=role)
    withdraw_invitations_by(current, at, by)
    _announce(current, "member.role_changed", at, by, {"user": str(current.user_id), "from": current.role, "to": role})
    end_tokens_of(member=current, because=Because.ROLE, at=at, by=by)


@transaction.atomic
def end_membership(*, member: Membership, at: datetime, by: Actor) -> None:
    """End a membership. The account, labels and signatures stay; the member sees nothing here from their next request.

    Their open invitations are withdrawn, and their tokens end.
    """
    current = _lock(member)
    check_administrator_remains(current)
    Membership.objects.filter(pk=current.pk).update(ended_at=at)
    withdraw_invitations_by(current, at, by)
    _announce(current, "member.ended", at, by, {"user": str(current.user_id), "role": current.role})
    end_tokens_of(member=current, because=Because.MEMBERSHIP, at=at, by=by)


@transaction.atomic
def sign_out(*, member: Membership, at: datetime, by: Actor) -> None:
    """Sign a member out of this organisation everywhere, and end their tokens. Their next request here asks them to sign in."""
    current = _lock(member)
    Membership.objects.filter(pk=current.pk).update(signed_out_at=at)
    _announce(current, "member.signed_out", at, by, {"user": str(current.user_id)})
    end_tokens_of(member=current, because=Because.SIGNED_OUT, at=at, by=by)


def _lock(member: Membership) -> Membership:
    """Return the membership as it is now, locked; raise ``Refused`` if it has ended."""
    _take_turn(member.organisation_id)
    current = Membership.objects.select_for_update(of=("self",)).select_related("user").get(pk=member.pk)
    if current.ended_at is not None:
        raise Refused(f"{current.user.name} is no member any more.")
    return current


def _take_turn(organisation_id: UUID) -> None:
    """Have changes of members wait for each other: two administrators who act on each other would each lock what the other needs."""
    advisory_lock(f"members {organisation_id}")


def _announce(
    member: Membership, action: str, at: datetime, by: Actor, details: dict[str, Any], parts: Sequence[tuple[str, bytes]] = ()
) -> None:
    announce(Announcement(action, member.organisation_id, by, at, "membership", member.pk, details, parts))


@transaction.atomic
def invite(
    *, organisation: Organisation, email: str, role: str, at: datetime, by: Actor, outside: ExternalTerms | None = None
) -> Invitation:
    """Offer a role to an address. An earlier open invitation of the address is replaced, and its link stops working.

    This does not depend on whether an account has the address. The caller sends the link.
    """
    address = email.strip().lower()
    if by.kind is ActorKind.USER and by.id is not None:
        check_is_administrator_still(organisation.pk, by.id)
        check_invites_few(organisation.pk, at)
    check_may_invite(organisation.pk, address)
    if outside:
        check_may_be_external(role, outside.until, at)
    for earlier in Invitation.objects.select_for_update().filter(organisation=organisation, email=address, ended_at=None):
        end_invitation(earlier, Invitation.Outcome.REPLACED, at, by)
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
    """Withdraw an invitation. Its link stops working at once."""
    current = _lock_invitation(invitation)
    check_is_open(current, at)
    end_invitation(current, Invitation.Outcome.WITHDRAWN, at, by)


@transaction.atomic
def decline_invitation(*, invitation: Invitation, user: User, at: datetime) -> None:
    """Decline an invitation as the owner of its address."""
    current = _lock_invitation(invitation)
    check_may_accept(current, user, at)
    end_invitation(current, Invitation.Outcome.DECLINED, at, user_actor(user.pk))


@transaction.atomic
def accept_invitation(*, invitation: Invitation, user: User, at: datetime) -> Membership:
    """Begin the membership that was offered. Of several concurrent calls one succeeds; the others raise ``Refused``."""
    current = _lock_invitation(invitation)
    check_may_accept(current, user, at)
    check_may_invite(current.organisation_id, user.email)
    check_name_is_free(current, user)
    member = add_member(
        organisation=current.organisation, user=user, role=current.role, at=at, by=user_actor(user.pk), invited_by_id=current.invited_by_id
    )
    if current.external_until is not None:
        mark_external(member=member, outside=ExternalTerms(current.external_reason, current.external_until), at=at, by=user_actor(user.pk))
    end_invitation(current, Invitation.Outcome.ACCEPTED, at, user_actor(user.pk), membership=member)
    return member


@transaction.atomic
def accept_with_new_account(*, invitation: Invitation, name: str, password: str, at: datetime) -> Membership:
    """Create an account for a person who has none, with a password that only they know, and begin the membership.

    Raise ``Refused`` if an account was made meanwhile, as by the invitation of another organisation.
    """
    check_is_open(_lock_invitation(invitation), at)
    try:
        with transaction.atomic():
            user = User.objects.create_user(email=invitation.email, name=name, password=password)
    except IntegrityError as error:
        raise Refused("You have an account by now. Open the link again, and sign in.") from error
    return accept_invitation(invitation=invitation, user=user, at=at)


def _lock_invitation(invitation: Invitation) -> Invitation:
    """Return the invitation as it is now, locked."""
    _take_turn(invitation.organisation_id)
    return Invitation.objects.select_for_update(of=("self",)).select_related("organisation").get(pk=invitation.pk)
