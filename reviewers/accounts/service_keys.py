"""Authentication of programs by service key, and rate limits for keys and for addresses without a working key.

Counts are kept in each process. In the database each count would take several statements in a transaction of its own, and concurrent counts
would be lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address, ip_network
from math import ceil
from threading import BoundedSemaphore, Lock, local
from uuid import UUID

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core.cache import BaseCache, caches
from django.http import HttpRequest
from django.utils import timezone
from ninja.errors import HttpError, Throttled
from ninja.security import HttpBearer
from ninja.throttling import AuthRateThrottle

from reviewers.accounts.actions import note_use
from reviewers.accounts.audit import Actor, ActorKind
from reviewers.accounts.models import Scope, ServiceKey
from reviewers.accounts.queries import find_service_key
from reviewers.web.tenancy import tenant

_MOST_LARGE_AT_ONCE = 2
LARGE = 256 * 1024
"""Bytes of a large body."""
_UNIT = 64 * 1024
"""Bytes of a body that count as a request."""

_counting = Lock()
_large: dict[UUID, BoundedSemaphore] = {}


class _Rate(local, AuthRateThrottle):
    """The framework's rate limit. It keeps state between two calls, so each thread has its own, and a lock serialises counting."""

    @property
    def cache(self) -> BaseCache:  # type: ignore[override]  # an attribute of the class there
        """Return the cache of this process."""
        return caches["rates"]

    def get_rate(self) -> str:
        """Return a placeholder: the rate is read at each request."""
        return "1/s"

    def rate_now(self) -> str:
        """Return the configured rate."""
        raise NotImplementedError

    def allow_request(self, request: HttpRequest) -> bool:
        """Count the request; return True if it is within the rate."""
        if not (rate := self.rate_now()):
            return True
        self.num_requests, self.duration = self.parse_rate(rate)
        with _counting:
            return bool(super().allow_request(request))


class KeyRate(_Rate):
    """The rate of requests with a working key, over all addresses. A large body counts as several: it costs as much as they do."""

    _units = 1

    def allow_request(self, request: HttpRequest) -> bool:
        """Count the request by the length of its body; return True if anything is left of the rate."""
        length = request.META.get("CONTENT_LENGTH") or "0"
        self._units = 1 + (int(length) if length.isdecimal() else 0) // _UNIT
        return super().allow_request(request)

    def throttle_success(self) -> bool:
        """Store as many counts as the request takes, or as there are left."""
        more = min(self._units, (self.num_requests or 0) - len(self.history)) - 1
        self.history[:0] = [self.now] * more
        return bool(super().throttle_success())

    def rate_now(self) -> str:
        """Return the rate of any key."""
        return str(settings.KEY_RATE)

    def get_cache_key(self, request: HttpRequest) -> str:
        """Count by key, and the tokens of a member together: each member may make many."""
        given = request.auth  # type: ignore[attr-defined]  # set by the framework
        return f"key:{getattr(given, 'membership_id', given.pk)}"


class FailureRate(_Rate):
    """The rate of requests without a working key, by address."""

    def rate_now(self) -> str:
        """Return the rate of failures of any address."""
        return str(settings.KEY_FAILURE_RATE)

    def get_cache_key(self, request: HttpRequest) -> str:
        """Count by the client's address, or by its network where that is IPv6. Behind a proxy, it is the address that the proxy names."""
        address = ip_address(get_adapter().get_client_ip(request))
        counted = ip_network((address, 64), strict=False) if address.version == 6 else address
        return f"failures:{counted}"


key_rate, _failure_rate = KeyRate(), FailureRate()


def count_failure(request: HttpRequest) -> None:
    """Count a request without a working key. Above the rate it gets 429 instead of 401."""
    if not _failure_rate.allow_request(request):
        raise Throttled(ceil(_failure_rate.wait() or 1))


@contextmanager
def limit_large_bodies(organisation_id: UUID, size: int) -> Iterator[bool]:
    """Yield True if an organisation may store a body of ``size`` bytes now.

    Only a few large ones run at once, so that threads are left, however many keys the organisation has.
    """
    if size <= LARGE:
        yield True
        return
    with _counting:
        slots = _large.setdefault(organisation_id, BoundedSemaphore(_MOST_LARGE_AT_ONCE))
    may = slots.acquire(blocking=False)
    try:
        yield may
    finally:
        if may:
            slots.release()


class KeyRequest(HttpRequest):
    """A request of a program, with its service key."""

    auth: ServiceKey


class KeyWithScope(HttpBearer):
    """Bearer authentication by a key with a scope: 401 without a working key, 403 without the scope."""

    openapi_description = "A service key. Administrators make them under Settings."

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self.scope = scope

    def authenticate(self, request: HttpRequest, token: str) -> ServiceKey | None:
        """Return the key if it works and has the scope. The rest of the request runs as the tenant of its organisation."""
        now = timezone.now()
        key = find_service_key(token, now)
        if key is None:
            count_failure(request)
        if key is not None and self.scope.value not in key.scopes:
            raise HttpError(403, f"This key has not the scope “{self.scope.value}”.")
        if key is not None:
            tenant.enter(key.organisation_id)
            note_use(key=key, at=now)
        return key


def key_actor(key: ServiceKey) -> Actor:
    """Return a program as the actor."""
    return Actor(ActorKind.SERVICE_KEY, key.pk)
