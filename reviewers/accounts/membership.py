"""What changes who belongs to an organisation: each call one transaction, announced in it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.db import transaction
from django.urls import reverse

from reviewers.accounts.actions import add_member
from reviewers.accounts.announcements import Actor, Announcement, announce
from reviewers.accounts.membership_policies import Refused, check_administrator_remains, check_may_have_link, check_may_join
from reviewers.accounts.models import Membership, Organisation, User


@transaction.atomic
def invite(*, organisation: Organisation, email: str, name: str, role: str, at: datetime, by: Actor) -> Membership:
    """Give somebody a role: whoever has the address, else a new person, who has no password yet."""
    user = User.objects.filter(email=email.strip().lower()).first() or User.objects.create_user(email=email.strip(), name=name)
    check_may_join(user)
    if Membership.objects.filter(organisation=organisation, user=user, ended_at=None).exists():
        raise Refused(f"{user.email} is a member already.")
    return add_member(organisation=organisation, user=user, role=role, at=at, by=by)


@transaction.atomic
def change_role(*, member: Membership, role: str, at: datetime, by: Actor) -> None:
    """Give a member another role; it holds from their next request."""
    current = _lock(member)
    if current.role == role:
        return
    check_administrator_remains(current)
    Membership.objects.filter(pk=current.pk).update(role=role)
    _announce(current, "member.role_changed", at, by, {"user": str(current.user_id), "from": current.role, "to": role})


@transaction.atomic
def end_membership(*, member: Membership, at: datetime, by: Actor) -> None:
    """Somebody leaves. Their account, labels and signatures stay; they see nothing here from their next request."""
    current = _lock(member)
    check_administrator_remains(current)
    Membership.objects.filter(pk=current.pk).update(ended_at=at)
    _announce(current, "member.ended", at, by, {"user": str(current.user_id), "role": current.role})


@transaction.atomic
def make_link(*, member: Membership, at: datetime, by: Actor) -> str:
    """The path of a page on which the member sets a password; it works once, for three days, and until another one is set."""
    check_may_have_link(member)
    _announce(member, "password.link_made", at, by, {"user": str(member.user_id)})
    key = {"uidb36": user_pk_to_url_str(member.user), "key": default_token_generator.make_token(member.user)}
    return reverse("account_reset_password_from_key", kwargs=key)


def _lock(member: Membership) -> Membership:
    """The membership as it is now, and nobody changes it meanwhile."""
    current = Membership.objects.select_for_update(of=("self",)).select_related("user").get(pk=member.pk)
    if current.ended_at is not None:
        raise Refused(f"{current.user.name} is no member any more.")
    return current


def _announce(member: Membership, action: str, at: datetime, by: Actor, details: dict[str, Any]) -> None:
    announce(Announcement(action, member.organisation_id, by, at, "membership", member.pk, details))
