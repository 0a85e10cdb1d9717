"""Changes to organisations, members, service keys and drafts. Each change is one transaction and announces itself in it."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from reviewers.accounts.audit import SYSTEM, Actor, Announcement, announce, user_actor
from reviewers.accounts.models import CitedUnit, Draft, KeyUse, Membership, Organisation, QuoteDemand, Scope, SearchWay, ServiceKey, User
from reviewers.accounts.policies import Refused, check_can_be_chosen, check_can_be_judged
from reviewers.web.tenancy import tenant

KEY_PREFIX = "fn_"
MOST_KEYS = 100
"""The most keys of an organisation that work at a time."""


@transaction.atomic
def create_organisation(*, slug: str, name: str, at: datetime) -> Organisation:
    """Create an organisation without members or records."""
    organisation = Organisation(slug=slug, name=name, created_at=at)
    with tenant.within(organisation.id):
        organisation.save(force_insert=True)
        announce(Announcement("organisation.created", organisation.id, SYSTEM, at, "organisation", organisation.id))
    return organisation


@transaction.atomic
def add_member(
    *, organisation: Organisation, user: User, role: str, at: datetime, by: Actor = SYSTEM, invited_by_id: UUID | None = None
) -> Membership:
    """Give a person a role in an organisation. Pages do so only when the person accepts an invitation."""
    membership = Membership.objects.create(organisation=organisation, user=user, role=role, created_at=at, invited_by_id=invited_by_id)
    details = {"user": str(user.id), "role": role} | ({"invited_by": str(invited_by_id)} if invited_by_id else {})
    announce(Announcement("member.added", organisation.id, by, at, "membership", membership.id, details))
    return membership


def note_sign_in(*, member: Membership, with_second_factor: bool, at: datetime) -> None:
    """Record the sign-in of a member here, and the first one with a second factor."""
    Membership.objects.filter(pk=member.pk).update(signed_in_at=at)
    if with_second_factor:
        note_second_factor(member=member, at=at)


@transaction.atomic
def note_second_factor(*, member: Membership, at: datetime) -> None:
    """Record the first time a member shows a second factor here. From then on they may decide together with another person."""
    if Membership.objects.filter(pk=member.pk, second_factor_at=None).update(second_factor_at=at):
        by = user_actor(member.user_id)
        announce(Announcement("member.second_factor_shown", member.organisation_id, by, at, "membership", member.pk))


def switch_citations(*, organisation: Organisation, on: bool, at: datetime, by: Actor) -> None:
    """Ask the assistant for citations, or stop. The API's next response to an ingested turn says so."""
    _switch(organisation, "asks_for_citations", on=on, at=at, by=by)


def switch_second_factor(*, organisation: Organisation, on: bool, at: datetime, by: Actor) -> None:
    """Require a second factor of every member, or leave it to them."""
    _switch(organisation, "requires_second_factor", on=on, at=at, by=by)


def switch_asking_why(*, organisation: Organisation, on: bool, at: datetime, by: Actor) -> None:
    """Ask for a reason when somebody opens a record that is not in their own queue, or stop."""
    _switch(organisation, "asks_why", on=on, at=at, by=by)


def switch_repair(*, organisation: Organisation, on: bool, at: datetime, by: Actor) -> None:
    """Attach the best evidence to answers that cite nothing, or stop. Frozen snapshots stay as they are."""
    _switch(organisation, "repairs_answers", on=on, at=at, by=by)


def switch_required_citations(*, organisation: Organisation, on: bool, at: datetime, by: Actor) -> None:
    """Make it an issue that an answer cites nothing, or stop. Frozen snapshots stay as they are."""
    _switch(organisation, "requires_citations", on=on, at=at, by=by)


def switch_quotes(*, organisation: Organisation, to: QuoteDemand, at: datetime, by: Actor) -> None:
    """Set what is asked of quotes in citations. Frozen snapshots stay as they are."""
    _choose(organisation, "quotes", to, at, by)


def switch_citation_search(*, organisation: Organisation, to: SearchWay, at: datetime, by: Actor) -> None:
    """Set how citations are looked for in answers that come without any. Frozen snapshots stay as they are."""
    check_can_be_chosen(to)
    _choose(organisation, "citation_search", to, at, by)


def switch_search_unit(*, organisation: Organisation, to: CitedUnit, at: datetime, by: Actor) -> None:
    """Set the part of an answer that citations found afterwards are for. Frozen snapshots stay as they are."""
    _choose(organisation, "search_unit", to, at, by)


def switch_judged_support(*, organisation: Organisation, on: bool, at: datetime, by: Actor) -> None:
    """Have a model judge the citations of answers, or stop. Once it is off nothing more is sent."""
    if on:
        check_can_be_judged()
    _switch(organisation, "judges_support", on=on, at=at, by=by)


@transaction.atomic
def _choose(organisation: Organisation, field: str, to: SearchWay | QuoteDemand | CitedUnit, at: datetime, by: Actor) -> None:
    before = Organisation.objects.select_for_update().values_list(field, flat=True).get(pk=organisation.pk)
    if before != to:
        Organisation.objects.filter(pk=organisation.pk).update(**{field: to})
        details = {"switch": field, "from": before, "to": to.value}
        announce(Announcement("switch.changed", organisation.id, by, at, "organisation", organisation.id, details))
    setattr(organisation, field, to)


@transaction.atomic
def _switch(organisation: Organisation, field: str, *, on: bool, at: datetime, by: Actor) -> None:
    if Organisation.objects.filter(pk=organisation.pk, **{field: not on}).update(**{field: on}):
        details = {"switch": field, "from": not on, "to": on}
        announce(Announcement("switch.changed", organisation.id, by, at, "organisation", organisation.id, details))
    setattr(organisation, field, on)


@transaction.atomic
def create_service_key(
    *,
    organisation: Organisation,
    owner: User,
    name: str,
    scopes: Sequence[str],
    at: datetime,
    by: Actor,
    expires_at: datetime | None = None,
) -> tuple[ServiceKey, str]:
    """Create a service key; return it with its secret, which is not stored and cannot be shown again.

    Raise ``Refused`` if the organisation has as many as it may.
    """
    Organisation.objects.select_for_update().get(pk=organisation.pk)  # somebody else may make one at this moment
    working = ServiceKey.objects.filter(organisation=organisation, revoked_at=None).exclude(expires_at__lte=at)
    if working.count() >= MOST_KEYS:
        raise Refused(f"There are {MOST_KEYS} keys that work. Revoke one that nothing uses any more.")
    secret = KEY_PREFIX + secrets.token_urlsafe(32)
    key = ServiceKey.objects.create(
        organisation=organisation,
        owner=owner,
        name=name,
        scopes=sorted(Scope(scope).value for scope in scopes),
        hint=secret[:8],
        digest=digest_secret(secret),
        created_at=at,
        expires_at=expires_at,
    )
    details = {"owner": str(owner.id), "scopes": key.scopes} | ({"expires": expires_at.isoformat()} if expires_at else {})
    announce(Announcement("service_key.created", organisation.id, by, at, "service_key", key.id, details))
    return key, secret


@transaction.atomic
def revoke_service_key(*, key: ServiceKey, at: datetime, by: Actor) -> None:
    """Revoke a key at once. Revoking it again changes nothing."""
    if ServiceKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=at):
        announce(Announcement("service_key.revoked", key.organisation_id, by, at, "service_key", key.id))


def note_use(*, key: ServiceKey, at: datetime) -> None:
    """Record the last use of a key, at most once a minute, so that not every request writes."""
    last = getattr(key, "last_use", None)
    if last is None or at - last.used_at >= timedelta(minutes=1):
        KeyUse.objects.update_or_create(key=key, defaults={"used_at": at})


def digest_secret(secret: str) -> bytes:
    """Return the digest that is stored of a key. The secret has 256 random bits, so a plain hash is enough."""
    return hashlib.sha256(secret.encode()).digest()


# Drafts: unsaved text is kept on the server, so that it outlives the session and no protected text stays in a browser. A draft is no
# record, so it is no audit event.


KEPT_FOR = timedelta(days=7)
MOST_DRAFTS = 200
"""The most drafts of a person in an organisation: the page and the field of a draft are whatever a request says."""


def keep_draft(*, page: str, field: str, text: str, by: Membership, now: datetime) -> None:
    """Save the text of a field as a draft; delete the draft if the text is empty. Of very many only the newest are kept."""
    place: dict[str, Any] = {"user_id": by.user_id, "organisation_id": by.organisation_id, "page": page, "field": field}
    if text.strip():
        Draft.objects.update_or_create(**place, defaults={"text": text, "saved_at": now})
        own = Draft.objects.filter(user_id=by.user_id, organisation_id=by.organisation_id)
        Draft.objects.filter(pk__in=list(own.order_by("-saved_at", "-pk").values_list("pk", flat=True)[MOST_DRAFTS:])).delete()
    else:
        Draft.objects.filter(**place).delete()


def read_drafts(*, page: str, by: Membership) -> dict[str, str]:
    """Return a person's drafts on a page, by field."""
    drafts = Draft.objects.filter(user_id=by.user_id, organisation_id=by.organisation_id, page=page)
    return dict(drafts.values_list("field", "text"))


def delete_old_drafts(*, now: datetime) -> None:
    """Delete the drafts that nobody has saved for `KEPT_FOR`."""
    Draft.objects.filter(saved_at__lt=now - KEPT_FOR).delete()


def delete_drafts(*, organisation_id: UUID, about: UUID) -> None:
    """Delete everybody's drafts on the pages of an object, for example when parts of it are redacted."""
    Draft.objects.filter(organisation_id=organisation_id, page__contains=str(about)).delete()
