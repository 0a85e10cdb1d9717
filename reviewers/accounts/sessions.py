"""Where somebody signed in from, in words that they know their devices by. Only these words are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from ipaddress import ip_address
from typing import Any
from uuid import UUID

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.signals import user_logged_out
from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.models import Session
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from reviewers.accounts.models import Membership, SignOnProvider, User

UNKNOWN = "a browser"

_BROWSERS = (
    *(("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"), ("FxiOS/", "Firefox")),
    *(("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari")),
)
_SYSTEMS = (
    *(("iPhone", "an iPhone"), ("iPad", "an iPad"), ("Android", "Android"), ("CrOS", "a Chromebook")),
    *(("Windows", "Windows"), ("Macintosh", "a Mac"), ("Linux", "Linux")),
)
"""Marks in the order in which they tell: a later one also stands in what an earlier one names."""


def describe_browser(request: HttpRequest) -> str:
    """Return the kind of browser and of device, as the browser names itself; versions are nobody's concern."""
    told = request.META.get("HTTP_USER_AGENT", "")
    browser = next((name for mark, name in _BROWSERS if mark in told), "")
    system = next((name for mark, name in _SYSTEMS if mark in told), "")
    return f"{browser or UNKNOWN} on {system}" if system else browser or UNKNOWN


def describe_network(request: HttpRequest) -> str:
    """Return the network without the part that names one machine in it; nothing if it is not known."""
    try:
        address = ip_address(get_adapter().get_client_ip(request))
    except (PermissionDenied, ValueError):
        return ""
    parts = address.exploded.split(":" if address.version == 6 else ".")
    return ":".join(part.lstrip("0") or "0" for part in parts[:3]) + ":x" if address.version == 6 else ".".join([*parts[:3], "x"])


# Which organisations a session opens: one that an identity provider began opens that provider's organisation and no other.
#
# A provider is its organisation's, and could say that anybody of its domain is there. So nothing it says reaches further: not into another
# organisation of the same person, and not to the person's own password, passkeys and invitations.


PROVIDER_KEY = "single_sign_on"
OPEN_PATHS = ("/accounts/logout/", "/accounts/login/", "/accounts/sign-on/", "/accounts/reauthenticate/", "/accounts/2fa/reauthenticate/")
"""Of the pages about one's account those that such a session may ask for."""


def mark_provider_session(session: Any, provider: SignOnProvider, *, has_factor: bool) -> None:
    """Keep in a session which provider begins it, and whether that asked for a second factor."""
    session[PROVIDER_KEY] = {"provider": str(provider.pk), "organisation": str(provider.organisation_id), "factor": has_factor}


def is_by_provider(session: Mapping[str, Any]) -> bool:
    """Return True if an identity provider began the session."""
    return PROVIDER_KEY in session


def provider_organisation(session: Mapping[str, Any]) -> UUID | None:
    """Return the organisation whose provider began the session; None for a session begun by password or passkey."""
    return UUID(session[PROVIDER_KEY]["organisation"]) if PROVIDER_KEY in session else None


def has_provider_factor(session: Mapping[str, Any]) -> bool:
    """Return True if the provider asked for a second factor."""
    return bool(session.get(PROVIDER_KEY, {}).get("factor"))


def opened_by(session: Mapping[str, Any], memberships: Iterable[Membership]) -> list[Membership]:
    """Return those of a person's memberships that a session opens: none once the provider is not trusted any more."""
    if PROVIDER_KEY not in session:
        return list(memberships)
    trusted = SignOnProvider.objects.filter(pk=session[PROVIDER_KEY]["provider"]).values_list("organisation_id", flat=True).first()
    return [each for each in memberships if each.organisation_id == trusted]


# Sessions that end by themselves: some minutes after the last use, and some hours after they began however much they are used.
#
# The row of a session always says when it ends, so the database itself lets nobody in any later, and the worker finds those that are over.


BEGUN, USED, BROWSER, NETWORK, ENTERED = "begun_at", "used_at", "browser", "network", "entered"
IDLE, ABSOLUTE, SIGNED_OUT, FACTOR_CHANGED = "idle", "absolute", "signed_out", "factor_changed"
PASSWORD_CHANGED, ENDED_ELSEWHERE, SIGN_IN_AGAIN = "password_changed", "ended_elsewhere", "sign_in_again"
BY_THEMSELVES = frozenset({SIGNED_OUT, ENDED_ELSEWHERE})
"""Reasons for which a person ends a session; for any other the system does."""


class SessionStore(db.SessionStore):
    """Django's sessions in the database, with the two limits."""

    def get_expiry_date(self, **kwargs: Any) -> datetime:
        """When it ends if it is not used any more."""
        return ends_at(self) if BEGUN in self else super().get_expiry_date(**kwargs)


def begin(session: SessionBase, now: datetime, *, browser: str = "", network: str = "") -> None:
    """Somebody has signed in, and where from, in a few words that only they are shown."""
    session[BEGUN] = session[USED] = now.isoformat()
    session[BROWSER], session[NETWORK] = browser, network
    session[ENTERED] = []


def entered_in(session: Mapping[str, Any]) -> list[UUID]:
    """Return the organisations whose pages were entered in a session: its beginning and end concern them and no other."""
    return [UUID(each) for each in session.get(ENTERED, [])]


def use(session: SessionBase, now: datetime, *, is_unattended: bool = False) -> None:
    """The person has just done something, or only their page has. Not written for each request: every half minute is exact enough."""
    if BEGUN not in session:
        begin(session, now)
    elif not is_unattended and now - datetime.fromisoformat(session[USED]) > settings.SESSION_IDLE / 30:
        session[USED] = now.isoformat()


def ends_at(session: SessionBase | dict[str, Any]) -> datetime:
    """The nearer of the two limits."""
    return min(datetime.fromisoformat(session[USED]) + settings.SESSION_IDLE, _last_moment(session))


def seconds_left(session: SessionBase) -> int:
    """How long it goes on without being used."""
    return max(int((ends_at(session) - timezone.now()).total_seconds()), 0)


def seconds_of_warning() -> int:
    """How long before the end the page says so."""
    return int(settings.SESSION_WARNING.total_seconds())


def can_be_extended(session: SessionBase) -> bool:
    """Whether using it now makes it end later."""
    return timezone.now() + settings.SESSION_WARNING < _last_moment(session)


def has_begun_after(session: SessionBase, moment: datetime | None) -> bool:
    """Return True if somebody signed in later than at the moment, or there is none."""
    return moment is None or (BEGUN in session and datetime.fromisoformat(session[BEGUN]) > moment)


def _last_moment(session: SessionBase | dict[str, Any]) -> datetime:
    return datetime.fromisoformat(session[BEGUN]) + settings.SESSION_LONGEST


@transaction.atomic
def end_expired(key: str, now: datetime) -> str:
    """End a session that is over, with all that belongs to signing out; returns why it ended, or nothing where there was none to end."""
    row = Session.objects.select_for_update().filter(pk=key, expire_date__lte=now).first()
    if row is None:
        return ""
    session = row.get_decoded()
    row.delete()
    if SESSION_KEY not in session or BEGUN not in session:
        return ""
    user = User.objects.get(pk=session[SESSION_KEY])
    reason = ABSOLUTE if _last_moment(session) <= now else IDLE
    user_logged_out.send(sender=User, request=None, user=user, reason=reason, session=session)
    return reason


@transaction.atomic
def end_others(user: User, key: str | None, reason: str) -> int:
    """End every session of a person but the one with this key, at once; returns how many there were."""
    others = [row for row, _ in sessions_of(user) if row.pk != key]
    for row in others:
        end(row, user, reason)
    return len(others)


def sessions_of(user: User) -> Iterator[tuple[Session, dict[str, Any]]]:
    """Yield the sessions of a person that run, each with what it holds.

    A row tells whose it is only when it is decoded, so all that run are: people look at these, or end them, seldom.
    """
    for row in Session.objects.filter(expire_date__gt=timezone.now()):
        held = row.get_decoded()
        if held.get(SESSION_KEY) == str(user.pk):
            yield row, held


@transaction.atomic
def end_this(request: HttpRequest, reason: str) -> None:
    """End the session of a request; the request goes on as nobody's, and is told why."""
    user_logged_out.send(sender=User, request=None, user=request.user, reason=reason, session=request.session)
    request.session.flush()
    request.user = AnonymousUser()
    request.ended_because = reason  # type: ignore[attr-defined]


def end(row: Session, user: User, reason: str) -> None:
    """End a session at once, with all that belongs to signing out: its next request finds none."""
    held = row.get_decoded()
    row.delete()
    user_logged_out.send(sender=User, request=None, user=user, reason=reason, session=held)


def end_all_expired(now: datetime) -> int:
    """End every session that is over; returns how many there were."""
    keys = list(Session.objects.filter(expire_date__lte=now).values_list("pk", flat=True))
    for key in keys:
        end_expired(key, now)
    return len(keys)
