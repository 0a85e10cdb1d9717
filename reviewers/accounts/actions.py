"""What changes accounts: each call one transaction, announced in it."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from reviewers.accounts.announcements import SYSTEM, Actor, Announcement, announce
from reviewers.accounts.models import Membership, Organisation, Scope, ServiceKey, User

KEY_PREFIX = "fn_"


@transaction.atomic
def create_organisation(*, slug: str, name: str, at: datetime, by: Actor = SYSTEM) -> Organisation:
    """A new, empty world."""
    organisation = Organisation.objects.create(slug=slug, name=name, created_at=at)
    announce(Announcement("organisation.created", organisation.id, by, at, "organisation", organisation.id))
    return organisation


@transaction.atomic
def add_member(*, organisation: Organisation, user: User, role: str, at: datetime, by: Actor = SYSTEM) -> Membership:
    """Give a person a role in an organisation."""
    membership = Membership.objects.create(organisation=organisation, user=user, role=role, created_at=at)
    details = {"user": str(user.id), "role": role}
    announce(Announcement("member.added", organisation.id, by, at, "membership", membership.id, details))
    return membership


@transaction.atomic
def switch_citations(*, organisation: Organisation, on: bool, at: datetime, by: Actor) -> None:
    """Ask the assistant for citations, or stop; the next answer of the API says so."""
    if Organisation.objects.filter(pk=organisation.pk, asks_for_citations=not on).update(asks_for_citations=on):
        _announce_switch(organisation, "asks_for_citations", on=on, at=at, by=by)
    organisation.asks_for_citations = on


@transaction.atomic
def switch_second_factor(*, organisation: Organisation, on: bool, at: datetime, by: Actor) -> None:
    """Require a second factor of every member, or leave it to them."""
    if Organisation.objects.filter(pk=organisation.pk, requires_second_factor=not on).update(requires_second_factor=on):
        _announce_switch(organisation, "requires_second_factor", on=on, at=at, by=by)
    organisation.requires_second_factor = on


def _announce_switch(organisation: Organisation, switch: str, *, on: bool, at: datetime, by: Actor) -> None:
    details = {"switch": switch, "from": not on, "to": on}
    announce(Announcement("switch.changed", organisation.id, by, at, "organisation", organisation.id, details))


@transaction.atomic
def create_service_key(
    *, organisation: Organisation, owner: User, name: str, scopes: Sequence[str], at: datetime, by: Actor
) -> tuple[ServiceKey, str]:
    """A key for a program, and its secret, which is not kept and cannot be shown again."""
    secret = KEY_PREFIX + secrets.token_urlsafe(32)
    key = ServiceKey.objects.create(
        organisation=organisation,
        owner=owner,
        name=name,
        scopes=sorted(Scope(scope).value for scope in scopes),
        hint=secret[:8],
        digest=digest_secret(secret),
        created_at=at,
    )
    details = {"owner": str(owner.id), "scopes": key.scopes}
    announce(Announcement("service_key.created", organisation.id, by, at, "service_key", key.id, details))
    return key, secret


@transaction.atomic
def revoke_service_key(*, key: ServiceKey, at: datetime, by: Actor) -> None:
    """The key stops working at once. Revoking it again changes nothing."""
    if ServiceKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=at):
        announce(Announcement("service_key.revoked", key.organisation_id, by, at, "service_key", key.id))


def digest_secret(secret: str) -> bytes:
    """What is kept of a key. It has 256 random bits, so a plain hash is enough."""
    return hashlib.sha256(secret.encode()).digest()
