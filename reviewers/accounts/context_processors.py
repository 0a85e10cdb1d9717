"""Template context of the page frame: the signed-in member and their session."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.functional import SimpleLazyObject
from django.utils.safestring import SafeString

from reviewers.accounts import sessions
from reviewers.accounts.models import Role
from reviewers.accounts.permissions import permissions_of
from reviewers.accounts.sign_in.second_factors import should_warn

_MARK = SafeString("<!-- the page -->")
"""Nothing else on a page reads like this: what people write is escaped."""


class PageFrame(NamedTuple):
    """The parts before the title of a page, between its title and its content, and after its content."""

    start: SafeString
    middle: SafeString
    end: SafeString


def member(request: HttpRequest) -> dict[str, Any]:
    """Return the membership, its role in words, its permissions and the time left in the session."""
    membership = getattr(request, "member", None)
    user = getattr(request, "user", None)  # missing if a request is refused before authentication
    is_signed_in = user is not None and user.is_authenticated
    if not membership:
        return {"member": None, "is_signed_in": is_signed_in, "role": "", "permissions": frozenset(), "warns_of_recovery": False}
    permissions = {permission.name for permission in permissions_of(membership)}
    words = {
        "member": membership,
        "is_signed_in": is_signed_in,
        "role": Role(membership.role).label.lower() + (" from outside" if membership.is_external else ""),
        "permissions": permissions,
        "warns_of_recovery": should_warn(request),
    }
    return words | {"seconds_left": sessions.seconds_left(request.session), "seconds_of_warning": sessions.seconds_of_warning()}


def frame(request: HttpRequest) -> dict[str, Any]:
    """Give the frame of our pages to those of the sign-in package, which Django's own engine draws."""
    return {"frame": SimpleLazyObject(lambda: _frame(request))}


def _frame(request: HttpRequest) -> PageFrame:
    page = render_to_string("sign_in/frame.html", {"mark": _MARK}, request, using="jinja2")
    return PageFrame(*map(SafeString, page.split(_MARK)))
