"""Authentication of requests by a member's token, and by a service key or a token where both may read."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils import timezone
from ninja.errors import HttpError
from ninja.security import HttpBearer

from reviewers.accounts.models import MemberToken, Scope, ServiceKey, TokenScope
from reviewers.accounts.queries import find_service_key
from reviewers.accounts.service_keys import KeyWithScope, count_failure
from reviewers.accounts.tokens.actions import TOKEN_PREFIX, note_token_use
from reviewers.accounts.tokens.policies import may_use
from reviewers.accounts.tokens.queries import find_token
from reviewers.web.tenancy import tenant


class TokenRequest(HttpRequest):
    """A request of a member's program, with its token."""

    auth: MemberToken


class TokenWithScope(HttpBearer):
    """Bearer authentication by a member's token: 401 without a working one, 403 without the scope or the right, and for service keys."""

    openapi_description = "A member's own token. Members make them under their account."

    def __init__(self, scope: TokenScope) -> None:
        super().__init__()
        self.scope = scope

    def authenticate(self, request: HttpRequest, token: str) -> MemberToken | None:
        """Return the token if it works for the scope. The rest of the request runs as the tenant of its organisation."""
        now = timezone.now()
        found = find_token(token, now)
        if found is None:
            if find_service_key(token, now) is not None:
                raise HttpError(403, "A service key is nobody's: this takes a member's own token.")
            count_failure(request)
            return None
        if found.scope not in (self.scope, TokenScope.LABEL):
            raise HttpError(403, f"This token has not the scope “{self.scope.value}”.")
        if not may_use(found.membership, self.scope):
            raise HttpError(403, "The role of this token's member does not allow this.")
        tenant.enter(found.organisation_id)
        note_token_use(token=found, at=now)
        return found


class ReadingKeyOrToken(HttpBearer):
    """Bearer authentication by a service key that may read, or by a member's token."""

    openapi_description = "A service key with the scope `read`, or a member's own token."

    def __init__(self) -> None:
        super().__init__()
        self._key, self._token = KeyWithScope(Scope.READ), TokenWithScope(TokenScope.READ)

    def authenticate(self, request: HttpRequest, token: str) -> ServiceKey | MemberToken | None:
        """Return the key or token if it works and may read."""
        return (self._token if token.startswith(TOKEN_PREFIX) else self._key).authenticate(request, token)
