"""How often a service key may ask, and an address with keys that do not work: the API framework's own limits, counted in each process.

In a process and not in the database: there each count would be several statements in a transaction of its own, in the way of what it
protects, and counts of requests at the same moment would be lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
_LARGE = 256 * 1024

_counting = Lock()
_large: dict[UUID, BoundedSemaphore] = {}


class _Rate(local, AuthRateThrottle):
    """The framework's counter keeps what it found between two calls, which each thread does for itself; one counts at a time."""

    @property
    def cache(self) -> BaseCache:  # type: ignore[override]  # an attribute of the class there
        """Of this process."""
        return caches["rates"]

    def get_rate(self) -> str:
        """Nothing: it is read at each request."""
        return "1/s"

    def rate_now(self) -> str:
        """The rate of the settings."""
        raise NotImplementedError

    def allow_request(self, request: HttpRequest) -> bool:
        """Count, and return whether there may be another one."""
        if not (rate := self.rate_now()):
            return True
        self.num_requests, self.duration = self.parse_rate(rate)
        with _counting:
            return bool(super().allow_request(request))


class KeyRate(_Rate):
    """Requests of a key that works, over all addresses."""

    def rate_now(self) -> str:
        """As often as any key may ask."""
        return str(settings.KEY_RATE)

    def get_cache_key(self, request: HttpRequest) -> str:
        """By key."""
        return f"key:{request.auth.pk}"  # type: ignore[attr-defined]


class FailureRate(_Rate):
    """Requests without a key that works, by where they come from."""

    def rate_now(self) -> str:
        """As often as any address may fail."""
        return str(settings.KEY_FAILURE_RATE)

    def get_cache_key(self, request: HttpRequest) -> str:
        """By the client's address: behind a proxy, the one that it names."""
        return f"failures:{get_adapter().get_client_ip(request)}"


key_rate, _failure_rate = KeyRate(), FailureRate()


def count_failure(request: HttpRequest) -> None:
    """Count a request without a key that works; above the rate it is answered 429 rather than 401."""
    if not _failure_rate.allow_request(request):
        raise Throttled(ceil(_failure_rate.wait() or 1))


@contextmanager
def limit_large_bodies(key_id: UUID, size: int) -> Iterator[bool]:
    """Tell whether a key may have a body of so many bytes stored now: of large ones only a few at once, so that threads are left."""
    if size <= _LARGE:
        yield True
        return
    with _counting:
        slots = _large.setdefault(key_id, BoundedSemaphore(_MOST_LARGE_AT_ONCE))
    may = slots.acquire(blocking=False)
    try:
        yield may
    finally:
        if may:
            slots.release()


# How the API knows a program: a service key in the Authorization header, with the scope the endpoint asks for.


class KeyRequest(HttpRequest):
    """A request of a program, with its key."""

    auth: ServiceKey


class KeyWithScope(HttpBearer):
    """Lets keys with one scope in: 401 without a working key, 403 without the scope."""

    openapi_description = "A service key. Administrators make them under Settings."

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self.scope = scope

    def authenticate(self, request: HttpRequest, token: str) -> ServiceKey | None:
        """The key, if it works and may. The request goes on within its organisation."""
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
    """A program as the one who acts."""
    return Actor(ActorKind.SERVICE_KEY, key.pk)
