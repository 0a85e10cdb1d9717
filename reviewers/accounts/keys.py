"""How the API knows a program: a service key in the Authorization header, with the scope the endpoint asks for."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils import timezone
from ninja.errors import HttpError
from ninja.security import HttpBearer

from reviewers.accounts.actions import note_use
from reviewers.accounts.announcements import Actor, ActorKind
from reviewers.accounts.key_rates import count_failure
from reviewers.accounts.models import Scope, ServiceKey
from reviewers.accounts.queries import find_service_key
from reviewers.web import walls


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
            walls.enter(key.organisation_id)
            note_use(key=key, at=now)
        return key


def key_actor(key: ServiceKey) -> Actor:
    """A program as the one who acts."""
    return Actor(ActorKind.SERVICE_KEY, key.pk)
