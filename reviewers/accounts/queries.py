"""Reads of accounts: memberships, members, service keys, ways of looking for citations, and invitations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from reviewers.accounts.actions import KEY_PREFIX, digest_secret
from reviewers.accounts.models import (
    CitedUnit,
    Invitation,
    KeyUse,
    Membership,
    Organisation,
    QuoteDemand,
    Role,
    SearchWay,
    ServiceKey,
    User,
)
from reviewers.accounts.policies import can_be_chosen, endpoint_host
from reviewers.web.statements import Columns, read_joined
from reviewers.web.tenancy import tenant


def last_day(until: datetime | None) -> date | None:
    """Return the day at whose end ``until`` is, or None if there is no such moment."""
    return timezone.localdate(until - timedelta(microseconds=1)) if until else None


# Links of invitations. The token is derived, so neither the database nor the job queue holds one that works.


def token_of(invitation: Invitation) -> str:
    """Return the token of an invitation: 256 bits derived from the row, its address and the site's secret key."""
    value = f"{invitation.pk}\0{invitation.email}\0{invitation.created_at.isoformat()}"
    return salted_hmac("footnote.invitation", value, algorithm="sha256").hexdigest()


def is_token_of(invitation: Invitation, token: str) -> bool:
    """Return True if the token belongs to the invitation."""
    return constant_time_compare(token_of(invitation), token)


def link_of(invitation: Invitation) -> str:
    """Return the address that the invited person opens. It is for them alone: no page shows it."""
    path = reverse("invitation", kwargs={"invitation_id": invitation.pk, "token": token_of(invitation)})
    return f"{settings.ADDRESS}{path}"


# Members, keys and settings.


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A service key as the settings page shows it."""

    id: UUID
    name: str
    hint: str
    scopes: Sequence[str]
    owner: str
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None
    is_expired: bool
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class WayRow:
    """A way of looking for citations as the settings page offers it."""

    value: str
    label: str
    note: str
    is_chosen: bool
    can_be_chosen: bool


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A current or former member as the page of members shows them."""

    id: UUID
    name: str
    email: str
    role: str
    role_words: str
    used_second_factor: bool
    signed_in_at: datetime | None
    created_at: datetime
    ended_at: datetime | None
    is_external: bool
    external_reason: str
    external_last_day: date | None


def open_memberships() -> QuerySet[Membership]:
    """Return the memberships that have not ended; one from outside also ends by its last day."""
    return Membership.objects.filter(Q(external_until=None) | Q(external_until__gt=Now()), ended_at=None)


_MEMBERSHIP, _ORGANISATION = Columns(Membership, "membership"), Columns(Organisation, "organisation")
_PERSON, _KEY, _LAST_USE = Columns(User, "person"), Columns(ServiceKey, "key"), Columns(KeyUse, "last_use")

_MEMBERSHIPS = f"""
SELECT {_MEMBERSHIP}, {_ORGANISATION}, {_PERSON}, EXISTS (
    SELECT FROM mfa_authenticator AS factor
    WHERE factor.user_id = membership.user_id AND factor.type <> '{Authenticator.Type.RECOVERY_CODES.value}'
)
FROM accounts_membership AS membership
JOIN accounts_organisation AS organisation ON organisation.id = membership.organisation_id
JOIN accounts_user AS person ON person.id = membership.user_id
WHERE membership.user_id = %s AND membership.ended_at IS NULL
AND (membership.external_until IS NULL OR membership.external_until > statement_timestamp())
ORDER BY membership.created_at, membership.id
"""  # noqa: S608 — names of our own
"""Read for each page. Recovery codes alone are no second factor: they replace one that is lost."""


def list_memberships(user_id: Any) -> list[Membership]:
    """The memberships of a person that have not ended, the oldest first, each with its organisation."""
    found: list[Membership] = []
    for membership, organisation, user, has_second_factor in read_joined(_MEMBERSHIPS, [user_id], _MEMBERSHIP, _ORGANISATION, _PERSON):
        membership.organisation, membership.user, membership.has_second_factor = organisation, user, has_second_factor
        found.append(membership)
    return found


def list_members(organisation: Organisation) -> list[MemberRow]:
    """Return current and former members, by name, with what this organisation knows of them."""
    return [
        MemberRow(
            id=each.pk,
            name=each.user.name,
            email=each.user.email,
            role=each.role,
            role_words=Role(each.role).label,
            used_second_factor=each.second_factor_at is not None,
            signed_in_at=each.signed_in_at,
            created_at=each.created_at,
            ended_at=each.ended_at,
            is_external=each.is_external,
            external_reason=each.external_reason,
            external_last_day=last_day(each.external_until),
        )
        for each in Membership.objects.select_related("user").filter(organisation=organisation).order_by("user__name", "created_at")
    ]


def list_colleagues(invitation: Invitation) -> list[str]:
    """Return the names of current and former members that an invited person cannot take; none for somebody from outside.

    They neither label nor sign, and are not shown names, which a form that refuses some would tell them.
    """
    if invitation.external_until is not None:
        return []
    return list(Membership.objects.filter(organisation=invitation.organisation_id).values_list("user__name", flat=True))


def list_organisation_ids(user_id: UUID | None = None) -> list[UUID]:
    """Return the identifiers of a person's organisations, or of all, for work that is done in each of them in turn."""
    with tenant.outside():
        if user_id is None:
            return list(Organisation.objects.order_by("pk").values_list("pk", flat=True))
        return list(Membership.objects.filter(user_id=user_id, ended_at=None).values_list("organisation_id", flat=True))


_SERVICE_KEY = f"""
SELECT {_KEY}, {_ORGANISATION}, {_LAST_USE}
FROM accounts_servicekey AS key
JOIN accounts_organisation AS organisation ON organisation.id = key.organisation_id
JOIN accounts_user AS owner ON owner.id = key.owner_id
LEFT JOIN accounts_keyuse AS last_use ON last_use.key_id = key.id
WHERE key.digest = %s AND key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > %s) AND owner.is_active
"""  # noqa: S608 — names of our own
"""Read for each request of a program."""


def find_service_key(secret: str, now: datetime) -> ServiceKey | None:
    """Return the working key with this secret, its organisation loaded; None if there is none."""
    if not secret.startswith(KEY_PREFIX):
        return None
    found: ServiceKey
    for found, organisation, last_use in read_joined(_SERVICE_KEY, [digest_secret(secret), now], _KEY, _ORGANISATION, _LAST_USE):
        found.organisation = organisation
        if last_use:
            found.last_use = last_use
        return found
    return None


def list_service_keys(organisation: Organisation, now: datetime) -> list[KeyRow]:
    """Return all keys of an organisation, the newest first."""
    return [
        KeyRow(
            id=key.id,
            name=key.name,
            hint=key.hint,
            scopes=key.scopes,
            owner=key.owner.name,
            created_at=key.created_at,
            last_used_at=key.last_use.used_at if hasattr(key, "last_use") else None,
            expires_at=key.expires_at,
            is_expired=key.expires_at is not None and key.expires_at <= now,
            revoked_at=key.revoked_at,
        )
        for key in ServiceKey.objects.select_related("owner", "last_use").filter(organisation=organisation).order_by("-created_at")
    ]


QUOTE_DEMANDS: Mapping[str, str] = {
    QuoteDemand.REQUIRED: "Required: a citation that can carry a quote and does not is an issue, and every quote is compared.",
    QuoteDemand.OPTIONAL: "Checked: quotes that are given are compared with their source.",
    QuoteDemand.OFF: "Not checked: an invented quote is not noticed, and limits nothing.",
}
"""The settings for quotes, in plain words, the strictest first."""


CITED_UNITS: Mapping[str, str] = {
    CitedUnit.SENTENCE: "By sentence: a source has to have most of a whole sentence.",
    CitedUnit.CLAUSE: "By clause: parts of a sentence that can be understood alone have sources of their own.",
}
"""The settings for what is looked up, in plain words."""


def list_search_ways(organisation: Organisation) -> list[WayRow]:
    """Return the ways of looking for citations, with a plain description of each."""
    chosen = organisation.citation_search
    return [WayRow(way.value, way.label, _note(way), way.value == chosen, can_be_chosen(way)) for way in SearchWay]


def _note(way: SearchWay) -> str:
    if way is SearchWay.OFF:
        return "An answer without citations stays as it came."
    if way is SearchWay.WORDS:
        return "Each sentence is compared with the sources, on this site. Nothing leaves it."
    if not can_be_chosen(way):
        return "This deployment has no model endpoint set up."
    sent = f"The answer and its sources, with their titles, are sent to {endpoint_host()}, which says what stands where."
    return f"{sent} Once this is turned off nothing more is sent."


# Invitations.


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


MOST_INVITATIONS = 500
"""The most open invitations that the page of members lists; earlier ones follow once newer ones have ended."""


def list_open_invitations(organisation: Organisation, now: datetime) -> Sequence[InvitationRow]:
    """Return the newest ``MOST_INVITATIONS`` invitations that have not ended."""
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
        for each in Invitation.objects.filter(organisation=organisation, ended_at=None).order_by("-created_at", "pk")[:MOST_INVITATIONS]
    ]


def find_invitation(invitation_id: UUID, token: str) -> Invitation:
    """Return the invitation that a link belongs to, even if it has ended; raise ``Http404`` if there is none.

    The query runs outside all tenants: the person with the link is no member yet.
    """
    with tenant.outside():
        found = Invitation.objects.select_related("organisation").filter(pk=invitation_id).first()
    if found is None or not is_token_of(found, token):
        raise Http404
    return found
