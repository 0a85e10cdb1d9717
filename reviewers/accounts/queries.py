"""Reads of accounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from allauth.mfa.models import Authenticator
from django.db.models import Exists, OuterRef, QuerySet

from reviewers.accounts.actions import KEY_PREFIX, digest_secret
from reviewers.accounts.models import Membership, Organisation, ServiceKey


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A service key as the settings page shows it."""

    id: UUID
    name: str
    hint: str
    scopes: Sequence[str]
    owner: str
    created_at: datetime
    revoked_at: datetime | None


def find_membership(user_id: UUID) -> Membership | None:
    """The membership a person works in: the oldest that has not ended."""
    memberships = Membership.objects.select_related("organisation", "user").filter(user_id=user_id, ended_at=None).order_by("created_at")
    return memberships.annotate(has_second_factor=Exists(_second_factors())).first()


def _second_factors() -> QuerySet[Any]:
    """A person's second factors. Recovery codes alone are none: they stand in for one that is lost."""
    factors: QuerySet[Any] = Authenticator.objects.filter(user=OuterRef("user")).exclude(type=Authenticator.Type.RECOVERY_CODES)
    return factors


def find_service_key(secret: str) -> ServiceKey | None:
    """The working key with this secret, its organisation loaded."""
    if not secret.startswith(KEY_PREFIX):
        return None
    keys = ServiceKey.objects.select_related("organisation").filter(digest=digest_secret(secret), revoked_at=None, owner__is_active=True)
    return keys.first()


def list_service_keys(organisation: Organisation) -> list[KeyRow]:
    """All keys of an organisation, the newest first."""
    return [
        KeyRow(key.id, key.name, key.hint, key.scopes, key.owner.name, key.created_at, key.revoked_at)
        for key in ServiceKey.objects.select_related("owner").filter(organisation=organisation).order_by("-created_at")
    ]
