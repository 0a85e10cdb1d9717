"""Receivers of allauth's and Django's signals: announce signing in and out, failures, and changes of passwords and factors.

The beginning and end of a session are announced to the organisations that were entered in it. Failures, passwords and second factors are
announced to each of the person's organisations, as they concern who may sign in there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

from allauth.account.authentication import get_authentication_records
from allauth.account.signals import password_changed, password_reset
from allauth.core import context
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authentication_failed
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db import transaction
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from reviewers.accounts import sessions
from reviewers.accounts.actions import note_sign_in
from reviewers.accounts.audit import SYSTEM, Actor, Announcement, announce, user_actor
from reviewers.accounts.members.tokens import Because, end_tokens_of
from reviewers.accounts.models import Membership, User
from reviewers.accounts.queries import list_memberships, list_organisation_ids
from reviewers.web.tenancy import tenant


def signed_in_with_second_factor(request: HttpRequest, user: User) -> bool:
    """Return True if signing in to this session included a code or a passkey, or the provider asked for a second factor.

    allauth reports nothing for anonymous users.
    """
    return sessions.has_provider_factor(request.session) or any(
        record.get("method") == "mfa" for record in get_authentication_records(request, user)
    )


@receiver(user_logged_in)
def _signed_in(*, user: User, request: HttpRequest, **_: Any) -> None:
    now = timezone.now()
    sessions.begin(request.session, now, browser=sessions.describe_browser(request), network=sessions.describe_network(request))
    with tenant.outside():
        memberships = sessions.opened_by(request.session, list_memberships(user.pk))
    if len(memberships) == 1:  # a member of several enters the one they choose
        sessions.work_in(request, memberships[0].organisation_id)
        enter(request, memberships[0])


def enter(request: HttpRequest, member: Membership) -> None:
    """Enter an organisation, once in a session. Only it is told, so none learns that somebody also works elsewhere."""
    organisation_id = member.organisation_id
    entered = sessions.entered_in(request.session)
    if organisation_id in entered:
        return
    request.session[sessions.ENTERED] = [str(each) for each in [*entered, organisation_id]]
    details = {"by": "single sign-on"} if sessions.is_by_provider(request.session) else {}
    now = timezone.now()
    with transaction.atomic(), tenant.within(organisation_id):
        note_sign_in(member=member, with_second_factor=signed_in_with_second_factor(request, member.user), at=now)
        announce(Announcement("session.started", organisation_id, user_actor(member.user_id), now, "user", member.user_id, details))


@receiver(user_logged_out)
def _signed_out(
    *,
    user: User | None,
    request: HttpRequest | None = None,
    session: Mapping[str, Any] | None = None,
    reason: str = sessions.SIGNED_OUT,
    **_: Any,
) -> None:
    """Announce the end of a session. Without a request, as for an expired session, ``session`` holds its content."""
    if user is not None:
        by = user_actor(user.pk) if reason in sessions.BY_THEMSELVES else SYSTEM
        content = cast("Mapping[str, Any]", request.session) if request else session or {}
        for organisation_id in sessions.entered_in(content):
            with tenant.within(organisation_id):
                announce(Announcement("session.ended", organisation_id, by, timezone.now(), "user", user.pk, {"reason": reason}))


@receiver(user_login_failed)
def _failed(*, credentials: dict[str, Any], **_: Any) -> None:
    """Announce a failure with the system as actor: the one who failed need not be the person whose address was given."""
    email = str(credentials.get("email") or credentials.get("username") or "").lower()
    user_id = User.objects.filter(email=email).values_list("pk", flat=True).first()
    if user_id is not None:
        announce_everywhere("session.refused", user_id, SYSTEM)


@receiver(authentication_failed)
def _factor_failed(*, request: HttpRequest, user: User, authenticator: Authenticator | None = None, **_: Any) -> None:
    details = {"factor": authenticator.type if authenticator else None}
    announce_everywhere("session.refused", user.pk, SYSTEM, details, only=sessions.provider_organisation(request.session))


@receiver(password_changed)
def _password_changed(*, request: HttpRequest, user: User, **_: Any) -> None:
    """Announce it, and end the person's other sessions and all tokens."""
    announce_everywhere("password.changed", user.pk, user_actor(user.pk))
    _end_tokens(user, Because.PASSWORD, user_actor(user.pk))
    sessions.end_others(user, request.session.session_key, sessions.PASSWORD_CHANGED)


@receiver(password_reset)
def _password_reset(*, user: User, **_: Any) -> None:
    """Announce it with the system as actor, since anybody may have the link, and end every session and token."""
    announce_everywhere("password.reset", user.pk, SYSTEM)
    _end_tokens(user, Because.PASSWORD, SYSTEM)
    sessions.end_others(user, None, sessions.PASSWORD_CHANGED)


@transaction.atomic
def _end_tokens(user: User, because: Because, by: Actor) -> None:
    """End the tokens of a person in each of their organisations."""
    with tenant.outside():
        memberships = list_memberships(user.pk)
    for member in memberships:
        with tenant.within(member.organisation_id):
            end_tokens_of(member=member, because=because, at=timezone.now(), by=by)


@receiver(post_save, sender=Authenticator)
def _factor_added(*, instance: Authenticator, created: bool, **_: Any) -> None:
    """Listen to the rows, as allauth sends its signal only after the transaction."""
    if created:
        announce_everywhere("second_factor.added", instance.user_id, user_actor(instance.user_id), {"factor": instance.type})
        _end_other_sessions(instance)


@receiver(post_delete, sender=Authenticator)
def _factor_removed(*, instance: Authenticator, **_: Any) -> None:
    """Announce it, and end the person's other sessions and all tokens, which were made with such a factor and would work with the next."""
    by = user_actor(instance.user_id)
    announce_everywhere("second_factor.removed", instance.user_id, by, {"factor": instance.type})
    if instance.type != Authenticator.Type.RECOVERY_CODES:
        _end_tokens(instance.user, Because.FACTOR, by)
    _end_other_sessions(instance)


def _end_other_sessions(factor: Authenticator) -> None:
    """End the person's other sessions after they changed their factors on a page. Recovery codes are no factor."""
    if context.request is not None and factor.type != Authenticator.Type.RECOVERY_CODES:
        sessions.end_others(factor.user, context.request.session.session_key, sessions.FACTOR_CHANGED)


def announce_everywhere(
    action: str, user_id: UUID, by: Actor, details: Mapping[str, Any] | None = None, *, only: UUID | None = None
) -> None:
    """Announce an action of a person to each of their organisations, or to ``only`` one if it cannot concern the others."""
    now = timezone.now()
    for organisation_id in [only] if only else list_organisation_ids(user_id):
        with tenant.within(organisation_id):
            announce(Announcement(action, organisation_id, by, now, "user", user_id, details or {}))
