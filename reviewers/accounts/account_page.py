"""One's own page: how one signs in, and how many recovery codes are left."""

from __future__ import annotations

from typing import Any

from allauth.mfa.base.views import IndexView
from django.http import HttpRequest, HttpResponseBase

from reviewers.accounts.recovery_codes import FEW, note_seen


class AccountPage(IndexView):  # type: ignore[misc]  # the package has no types
    """The package's page. Whoever opens it after signing in with a recovery code has read the warning."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Show the page."""
        note_seen(request)
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add from which number on codes are few."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return context | {"few": FEW}


account_page = AccountPage.as_view()
