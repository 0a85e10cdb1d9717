"""Sessions: their two limits, where they began, which organisations they open, and ending them."""

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
from django.contrib.sessions.backends.base import SessionBase, UpdateError
from django.contrib.sessions.models import Session
from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, OperationalError, transaction
from django.http import HttpRequest
from django.middleware.csrf import rotate_token
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
"""Marks in the order in which they are tried: the later ones also occur in user agents that the earlier ones identify."""


def describe_browser(request: HttpRequest) -> str:
    """Return the kind of browser and device, as the browser names itself, without versions."""
    told = request.META.get("HTTP_USER_AGENT", "")
    browser = next((name for mark, name in _BROWSERS if mark in told), "")
    system = next((name for mark, name in _SYSTEMS if mark in told), "")
    return f"{browser or UNKNOWN} on {system}" if system else browser or UNKNOWN


def describe_network(request: HttpRequest) -> str:
    """Return the network without the part that identifies a machine; an empty string if it is unknown."""
    try:
        address = ip_address(get_adapter().get_client_ip(request))
    except (PermissionDenied, ValueError):
        return ""
    parts = address.exploded.split(":" if address.version == 6 else ".")
    return ":".join(part.lstrip("0") or "0" for part in parts[:3]) + ":x" if address.version == 6 else ".".join([*parts[:3], "x"])


# Sessions that an identity provider began open that provider's organisation and no other. The organisation controls its provider, which
# could claim that anybody of its domain is there. So such a session opens neither another organisation of the same person nor their
# password, passkeys and invitations.


PROVIDER_KEY = "single_sign_on"
OPEN_PATHS = ("/accounts/logout/", "/accounts/login/", "/accounts/sign-on/", "/accounts/reauthenticate/", "/accounts/2fa/reauthenticate/")
"""Account pages that such a session may open."""


def mark_provider_session(session: Any, provider: SignOnProvider, *, has_factor: bool) -> None:
    """Record in a session which provider began it, and whether the provider asked for a second factor."""
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
    """Return the memberships that a session opens; none if its provider is no longer trusted."""
    if PROVIDER_KEY not in session:
        return list(memberships)
    trusted = SignOnProvider.objects.filter(pk=session[PROVIDER_KEY]["provider"]).values_list("organisation_id", flat=True).first()
    return [each for each in memberships if each.organisation_id == trusted]


# Sessions end some minutes after the last use, and some hours after they began however much they are used. The row of a session always
# holds its end, so the database refuses it later and the worker finds expired ones.


BEGUN, USED, BROWSER, NETWORK, ENTERED = "begun_at", "used_at", "browser", "network", "entered"
IDLE, ABSOLUTE, SIGNED_OUT, FACTOR_CHANGED, GONE = "idle", "absolute", "signed_out", "factor_changed", "gone"
PASSWORD_CHANGED, ENDED_ELSEWHERE, SIGN_IN_AGAIN = "password_changed", "ended_elsewhere", "sign_in_again"
BY_THEMSELVES = frozenset({SIGNED_OUT, ENDED_ELSEWHERE})
"""Reasons for which a person ends a session; for any other the system does."""


OF_WORK = "work "
"""The beginning of the keys of what a member was shown or looked for: words of one organisation, forgotten on entering another."""
CHOSEN = "organisation"
"""The key of the organisation that the member works in."""


def work_in(request: HttpRequest, organisation_id: UUID) -> bool:
    """Work in an organisation from now on; return True if it was another one before, which was left or has ended for the member.

    Then the words searched for and the lists shown there are forgotten, and forms that other windows show of it are refused.
    """
    session, here = request.session, str(organisation_id)
    before = session.get(CHOSEN, here)
    session.setdefault(CHOSEN, here)
    if before == here:
        return False
    for key in [key for key in session.keys() if key.startswith(OF_WORK)]:  # noqa: SIM118 — a session is no mapping
        del session[key]
    session[CHOSEN] = here
    rotate_token(request)
    return True


class SessionStore(db.SessionStore):
    """Django's sessions in the database, with the two limits."""

    def __init__(self, session_key: str | None = None) -> None:
        super().__init__(session_key if session_key and is_key(session_key) else None)

    def get_expiry_date(self, **kwargs: Any) -> datetime:
        """Return the time at which the session ends if it is not used again. One in which nobody has signed in ends as soon as an idle one.

        Anybody can make those, and all sessions are read when somebody lists or ends their own.
        """
        del kwargs
        return ends_at(self) if BEGUN in self else timezone.now() + settings.SESSION_IDLE

    def save(self, must_create: bool = False) -> None:  # noqa: FBT001, FBT002 — Django's signature
        """Save the session. Where the database went away meanwhile, say so: Django takes that for a session that somebody ended."""
        try:
            super().save(must_create)
        except UpdateError as error:
            if isinstance(error.__context__, OperationalError | InterfaceError):
                raise error.__context__ from None
            raise


def is_key(text: str) -> bool:
    """Return True if a text can be a session's key. A cookie can hold anything, such as a NUL, which a database cannot compare."""
    return text.isascii() and text.isalnum()


def begin(session: SessionBase, now: datetime, *, browser: str = "", network: str = "") -> None:
    """Begin a session, with a short description of the browser and the network for its owner."""
    session[BEGUN] = session[USED] = now.isoformat()
    session[BROWSER], session[NETWORK] = browser, network
    session[ENTERED] = []


def entered_in(session: Mapping[str, Any]) -> list[UUID]:
    """Return the organisations that were entered in a session: only they are told of its beginning and end."""
    return [UUID(each) for each in session.get(ENTERED, [])]


def use(session: SessionBase, now: datetime, *, is_unattended: bool) -> None:
    """Record a use of the session by the person, at most every half minute; an unattended request does not count."""
    if BEGUN not in session:
        begin(session, now)
    elif not is_unattended and now - datetime.fromisoformat(session[USED]) > settings.SESSION_IDLE / 30:
        session[USED] = now.isoformat()


def ends_at(session: SessionBase | dict[str, Any]) -> datetime:
    """Return the nearer of the two limits."""
    return min(datetime.fromisoformat(session[USED]) + settings.SESSION_IDLE, _last_moment(session))


def seconds_left(session: SessionBase) -> int:
    """Return the seconds after which the session ends unless it is used."""
    return max(int((ends_at(session) - timezone.now()).total_seconds()), 0)


def seconds_of_warning() -> int:
    """Return how many seconds before the end the page warns."""
    return int(settings.SESSION_WARNING.total_seconds())


def can_be_extended(session: SessionBase) -> bool:
    """Return True if using the session now postpones its end."""
    return timezone.now() + settings.SESSION_WARNING < _last_moment(session)


def has_begun_after(session: SessionBase, moment: datetime | None) -> bool:
    """Return True if the session began after the moment, or there is no moment."""
    return moment is None or (BEGUN in session and datetime.fromisoformat(session[BEGUN]) > moment)


def _last_moment(session: SessionBase | dict[str, Any]) -> datetime:
    return datetime.fromisoformat(session[BEGUN]) + settings.SESSION_LONGEST


@transaction.atomic
def end_expired(key: str, now: datetime) -> str:
    """End a session that has expired, with everything that signing out does; return the reason, or an empty string if it has not expired.

    The reason is ``GONE`` if there is no such session any more: it had expired before, or was ended in another browser.
    """
    if not is_key(key):
        return ""
    row = Session.objects.select_for_update().filter(pk=key, expire_date__lte=now).first()
    if row is None:
        return "" if Session.objects.filter(pk=key).exists() else GONE
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
    """End every session of a person but the one with this key; return how many there were."""
    others = [row for row, _ in sessions_of(user) if row.pk != key]
    for row in others:
        end(row, user, reason)
    return len(others)


_AT_ONCE = 500
"""The sessions that are in memory at one time."""


def sessions_of(user: User) -> Iterator[tuple[Session, dict[str, Any]]]:
    """Yield the running sessions of a person, each with its content.

    The owner is only known after decoding, so all running sessions are decoded: people list or end their sessions seldom.
    """
    for row in Session.objects.filter(expire_date__gt=timezone.now()).iterator(_AT_ONCE):
        held = row.get_decoded()
        if held.get(SESSION_KEY) == str(user.pk):
            yield row, held


@transaction.atomic
def end_this(request: HttpRequest, reason: str) -> None:
    """End the session of a request. The request goes on anonymously, with the reason set on it."""
    user_logged_out.send(sender=User, request=None, user=request.user, reason=reason, session=request.session)
    request.session.flush()
    request.user = AnonymousUser()
    request.ended_because = reason  # type: ignore[attr-defined]


def end(row: Session, user: User, reason: str) -> None:
    """End a session at once, with everything that signing out does."""
    held = row.get_decoded()
    row.delete()
    user_logged_out.send(sender=User, request=None, user=user, reason=reason, session=held)


def end_all_expired(now: datetime) -> int:
    """End every expired session; return how many there were."""
    keys = list(Session.objects.filter(expire_date__lte=now).values_list("pk", flat=True))
    for key in keys:
        end_expired(key, now)
    return len(keys)
