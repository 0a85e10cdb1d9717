"""Permissions: what each role may do, in one table. Rules about the state of an object are in a slice's ``policies.py``."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, cast

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from reviewers.accounts.models import Membership, Proof, Role
from reviewers.web.http.responses import page_of, redirect_window

P = ParamSpec("P")


class Permission(StrEnum):
    """A permission that pages and actions ask for."""

    READ_ITEMS = "read items"
    LABEL_ITEMS = "label items"
    COMMENT = "comment on answers"
    READ_INBOX = "read an inbox"
    READ_PLANS = "read plans"
    MANAGE_PLANS = "make, start and stop plans"
    READ_QUALITY = "read how good answers are"
    ACKNOWLEDGE_ALARMS = "acknowledge alarms"
    SIGN_REVIEWS = "sign reviews"
    APPROVE_REVIEWS = "adjudicate and approve reviews"
    SEARCH_AGAIN = "look for citations again"
    CHANGE_SWITCHES = "change switches"
    MANAGE_SIGN_IN = "manage sign-in and access"
    MANAGE_KEYS = "manage service keys"
    MANAGE_MEMBERS = "manage members and their roles"
    READ_ACCESS = "see who opened what"
    MANAGE_RETENTION = "say how long records are kept"
    READ_SETTINGS = "read settings"
    MANAGE_SCHEMAS = "upload, propose and approve schemas"
    MANAGE_TRUST = "write, propose and approve tables of trusted sources"
    MANAGE_WEBHOOKS = "manage webhooks"
    READ_HOME = "read home"
    READ_LEDGER = "read the ledger"
    REDACT = "propose and approve redactions"
    READ_HOLDS = "see legal holds"
    PLACE_HOLDS = "place and lift legal holds"
    READ_REASONS = "read why a provider was suggested"
    READ_CALIBRATION = "read calibration"
    MANAGE_CALIBRATION = "propose, approve and retire profiles"
    EXPORT_LABELS = "export labels"
    EXPORT = "export reports"
    SEARCH_NAMES = "search by words and names"
    REVEAL = "reveal masked text, with a reason"


_EVERYONE = frozenset({Permission.READ_HOME})
_REVIEWER = _EVERYONE | {
    Permission.READ_ITEMS,
    Permission.LABEL_ITEMS,
    Permission.COMMENT,
    Permission.READ_INBOX,
    Permission.READ_PLANS,
    Permission.READ_QUALITY,
    Permission.READ_REASONS,
    Permission.SEARCH_NAMES,
    Permission.SIGN_REVIEWS,
}

ROLE_PERMISSIONS: dict[str, frozenset[Permission]] = {
    Role.REVIEWER: _REVIEWER,
    Role.LEAD: _REVIEWER
    | {
        Permission.ACKNOWLEDGE_ALARMS,
        Permission.APPROVE_REVIEWS,
        Permission.CHANGE_SWITCHES,
        Permission.EXPORT_LABELS,
        Permission.MANAGE_CALIBRATION,
        Permission.EXPORT,
        Permission.MANAGE_PLANS,
        Permission.MANAGE_SCHEMAS,
        Permission.MANAGE_TRUST,
        Permission.PLACE_HOLDS,
        Permission.READ_CALIBRATION,
        Permission.READ_HOLDS,
        Permission.READ_LEDGER,
        Permission.READ_SETTINGS,
        Permission.REDACT,
        Permission.SEARCH_AGAIN,
    },
    Role.COORDINATOR: _EVERYONE | {Permission.READ_REASONS, Permission.SEARCH_NAMES},
    Role.AUDITOR: _EVERYONE
    | {
        Permission.COMMENT,
        Permission.EXPORT_LABELS,
        Permission.EXPORT,
        Permission.READ_ACCESS,
        Permission.READ_CALIBRATION,
        Permission.READ_HOLDS,
        Permission.READ_INBOX,
        Permission.READ_ITEMS,
        Permission.READ_LEDGER,
        Permission.READ_PLANS,
        Permission.READ_QUALITY,
        Permission.READ_REASONS,
        Permission.READ_SETTINGS,
        Permission.REVEAL,
        Permission.SEARCH_NAMES,
    },
    Role.ADMINISTRATOR: _EVERYONE
    | {
        Permission.MANAGE_KEYS,
        Permission.MANAGE_MEMBERS,
        Permission.MANAGE_RETENTION,
        Permission.MANAGE_SIGN_IN,
        Permission.MANAGE_WEBHOOKS,
        Permission.READ_ACCESS,
        Permission.READ_HOLDS,
        Permission.READ_INBOX,
        Permission.READ_LEDGER,
        Permission.READ_SETTINGS,
        Permission.REDACT,
        Permission.SEARCH_NAMES,
    },
}

OUTSIDE_PERMISSIONS = ROLE_PERMISSIONS[Role.AUDITOR] - {
    Permission.COMMENT,
    Permission.EXPORT_LABELS,
    Permission.READ_INBOX,
    Permission.SEARCH_NAMES,
}
"""Permissions of an auditor from outside. Searching is not one: a search result would reveal whether a word occurs in masked text."""


def role_matrix() -> list[tuple[str, list[tuple[str, bool]]]]:
    """Return each permission in words, with every role and whether it has it."""
    return [
        (permission.value, [(role.label, permission in ROLE_PERMISSIONS[role]) for role in Role])
        for permission in Permission
        if permission is not Permission.READ_HOME
    ]


class MemberRequest(HttpRequest):
    """A request of a signed-in member. Views decorated with ``requires_proof`` also get the proof that their act uses up."""

    member: Membership
    proof: Proof


class GuardedView(Protocol):
    """A view that knows the permission it asks for; the role matrix is generated from it."""

    permission: Permission

    def __call__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Respond to a request."""


def permissions_of(member: Membership) -> frozenset[Permission]:
    """Return the permissions of a member, by role and by whether they are from outside."""
    return OUTSIDE_PERMISSIONS if member.is_external else ROLE_PERMISSIONS[member.role]


def may(member: Membership, permission: Permission) -> bool:
    """Return True if a member has a permission."""
    return permission in permissions_of(member)


def check_may(member: Membership, permission: Permission) -> None:
    """Raise ``PermissionDenied``, with the reason, if a member lacks a permission."""
    if not may(member, permission):
        outside = " from outside" if member.is_external else ""
        raise PermissionDenied(f"The role {Role(member.role).label.lower()}{outside} may not {permission.value}.")


def sign_in_address(request: HttpRequest) -> str:
    """Return the address of the sign-in page that leads back here and says why the session ended, if it did."""
    url, ended = redirect_to_login(page_of(request)).url, getattr(request, "ended_because", "")
    return f"{url}&ended={ended}" if ended else url


def requires(permission: Permission) -> Callable[[Callable[Concatenate[MemberRequest, P], HttpResponse]], GuardedView]:
    """Let only members with ``permission`` into a view. Others are sent to sign in, or told why they may not."""

    def decorate(view: Callable[Concatenate[MemberRequest, P], HttpResponse]) -> GuardedView:
        @wraps(view)
        def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            member = getattr(request, "member", None)
            if not request.user.is_authenticated:
                return redirect_window(request, sign_in_address(request))
            if member is None:
                raise PermissionDenied("You are not a member of an organisation. An administrator can add you.")
            check_may(member, permission)
            return view(cast("MemberRequest", request), *args, **kwargs)

        guarded.permission = permission  # type: ignore[attr-defined]
        return cast("GuardedView", guarded)

    return decorate
