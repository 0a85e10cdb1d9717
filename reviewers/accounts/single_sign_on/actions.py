"""Changes to single sign-on: set or remove an organisation's provider, and link members to identities. Each has its audit event."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from reviewers.accounts import encryption
from reviewers.accounts.audit import SYSTEM, Actor, Announcement, announce
from reviewers.accounts.models import Organisation, SignOnDomain, SignOnIdentity, SignOnProvider, User
from reviewers.accounts.policies import NotConfigured


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """The settings of an organisation's identity provider, as the operator enters them."""

    name: str
    issuer: str
    client_id: str
    secret: str
    domains: tuple[str, ...]


@transaction.atomic
def set_provider(*, organisation: Organisation, terms: ProviderSettings, at: datetime) -> SignOnProvider:
    """Trust an identity provider for some domains. Another issuer or client is a new provider, which knows no identities yet."""
    current = SignOnProvider.objects.select_for_update().filter(organisation=organisation).first()
    if current and (current.issuer, current.client_id) != (terms.issuer, terms.client_id):
        _delete(organisation)
        current = None
    provider = current or SignOnProvider(organisation=organisation, issuer=terms.issuer, client_id=terms.client_id, created_at=at)
    provider.name, provider.sealed_secret = terms.name, encryption.encrypt(terms.secret)
    provider.save()
    domains = sorted({domain.strip().lower() for domain in terms.domains})
    SignOnDomain.objects.filter(organisation=organisation).delete()
    try:
        with transaction.atomic():
            SignOnDomain.objects.bulk_create([SignOnDomain(domain=domain, organisation=organisation) for domain in domains])
    except IntegrityError as error:
        raise NotConfigured("One of these domains is another organisation's.") from error
    details = {"issuer": terms.issuer, "client": terms.client_id, "domains": domains}
    _announce("sign_on.set", organisation, at, details)
    return provider


@transaction.atomic
def remove_provider(*, organisation: Organisation, at: datetime) -> None:
    """Remove the identity provider. Sessions that it began give no access from their next request on."""
    if _delete(organisation):
        _announce("sign_on.removed", organisation, at, {})


@transaction.atomic
def link_identity(*, provider: SignOnProvider, user: User, subject: str, at: datetime, by: Actor) -> None:
    """Link a member to the provider's own identifier of them."""
    kept = {"organisation_id": provider.organisation_id, "provider": provider, "user": user}
    SignOnIdentity.objects.create(**kept, subject=subject, created_at=at)
    announce(Announcement("sign_on.tied", provider.organisation_id, by, at, "user", user.pk))


def _delete(organisation: Organisation) -> int:
    SignOnIdentity.objects.filter(organisation=organisation).delete()
    SignOnDomain.objects.filter(organisation=organisation).delete()
    deleted, _ = SignOnProvider.objects.filter(organisation=organisation).delete()
    return deleted


def _announce(action: str, organisation: Organisation, at: datetime, details: dict[str, Any]) -> None:
    announce(Announcement(action, organisation.pk, SYSTEM, at, "organisation", organisation.pk, details))
