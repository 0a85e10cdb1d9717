"""What changes who belongs to an organisation: each call one transaction, announced in it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from reviewers.accounts.announcements import Actor, Announcement, announce
from reviewers.accounts.invitations.ending import withdraw_those_by
from reviewers.accounts.membership_policies import (
    Refused,
    check_administrator_remains,
    check_may_be_external,
    check_may_change_role,
)
from reviewers.accounts.models import Membership
from reviewers.accounts.outside import Outside


@transaction.atomic
def mark_external(*, member: Membership, outside: Outside, at: datetime, by: Actor) -> None:
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
