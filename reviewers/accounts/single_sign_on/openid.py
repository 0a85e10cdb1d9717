"""OpenID Connect's code flow with an organisation's identity provider, with limits on time and size.

The identity token's signature, issuer, audience, time and nonce are verified here; the connection it came through proves nothing.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import BoundedSemaphore, Lock
from time import monotonic
from typing import Any
from urllib.parse import quote, urlencode
from uuid import UUID

import jwt
import requests
from django.conf import settings

from reviewers.accounts import encryption
from reviewers.accounts.models import SignOnProvider

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
FACTORS = frozenset({"mfa", "otp", "hwk"})
"""Authentication methods (RFC 8176) that are more than a password."""
LEEWAY = 60
PATIENCE = (3, 5)
"""Seconds to connect, and between two pieces of a response."""
LONGEST = 10
"""Seconds for a whole response: a thread waits for it."""
LARGEST = 256 * 1024
_PIECE = 16 * 1024


class ProviderDown(Exception):  # noqa: N818 — not an error of ours
    """The provider did not respond, or not in a way that can be understood."""


class NotAccepted(Exception):  # noqa: N818 — as above
    """The provider's response cannot be trusted; ``str`` is a reason code."""


@dataclass(frozen=True, slots=True)
class PendingSignIn:
    """A sign-in under way, kept in a cookie until the person comes back from the provider."""

    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True, slots=True)
class ProviderIdentity:
    """The identity that the provider vouches for."""

    subject: str
    email: str
    is_verified: bool
    has_factor: bool


_MOST_AT_ONCE = 2
_counting = Lock()
_asked: dict[UUID, BoundedSemaphore] = {}


@contextmanager
def _in_turn(provider: SignOnProvider) -> Iterator[None]:
    """Raise ``ProviderDown`` while a few threads wait for this provider already: one that does not respond holds up no other sign-in."""
    with _counting:
        slots = _asked.setdefault(provider.pk, BoundedSemaphore(_MOST_AT_ONCE))
    if not slots.acquire(blocking=False):
        raise ProviderDown("busy")
    try:
        yield
    finally:
        slots.release()


def authorization_url(provider: SignOnProvider, asked: PendingSignIn, back_to: str) -> str:
    """Return the provider's address to which the browser goes."""
    challenge = base64.urlsafe_b64encode(hashlib.sha256(asked.verifier.encode()).digest()).rstrip(b"=").decode()
    terms = {
        "response_type": "code",
        "client_id": provider.client_id,
        "redirect_uri": back_to,
        "scope": "openid email",
        "state": asked.state,
        "nonce": asked.nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    description = _known_description(provider)
    if description is None:
        with _in_turn(provider):
            description = _description(provider)
    endpoint = _address(description, "authorization_endpoint")
    return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(terms)}"


def exchange_code(provider: SignOnProvider, asked: PendingSignIn, code: str, back_to: str) -> ProviderIdentity:
    """Exchange a code for an identity token, verify it, and return the identity."""
    with _in_turn(provider):
        return _exchange(provider, asked, code, back_to)


def _exchange(provider: SignOnProvider, asked: PendingSignIn, code: str, back_to: str) -> ProviderIdentity:
    description = _description(provider)
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": back_to, "code_verifier": asked.verifier}
    secret = encryption.decrypt(provider.sealed_secret)
    basic = None
    if "client_secret_basic" in description.get("token_endpoint_auth_methods_supported", ["client_secret_basic"]):
        basic = (quote(provider.client_id, safe=""), quote(secret, safe=""))
    else:
        form |= {"client_id": provider.client_id, "client_secret": secret}
    answer = _ask("POST", _address(description, "token_endpoint"), data=form, auth=basic)
    claims = _claims(provider, description, answer.get("id_token"))
    if not isinstance(claims["nonce"], str) or not hmac.compare_digest(claims["nonce"].encode(), asked.nonce.encode()):
        raise NotAccepted("nonce")
    if "email" not in claims and "userinfo_endpoint" in description:
        bearer = {"Authorization": f"Bearer {answer.get('access_token')}"}
        told = _ask("GET", _address(description, "userinfo_endpoint"), headers=bearer)
        if told.get("sub") != claims["sub"]:
            raise NotAccepted("subject")
        claims = {**claims, "email": told.get("email"), "email_verified": told.get("email_verified")}
    methods = claims.get("amr")
    has_factor = isinstance(methods, list) and any(each in FACTORS for each in methods if isinstance(each, str))
    email = claims.get("email")
    is_verified = isinstance(email, str) and email.isprintable() and claims.get("email_verified") is True
    return ProviderIdentity(claims["sub"], address_of(email) if isinstance(email, str) else "", is_verified, has_factor)


def address_of(email: str) -> str:
    """Return an address as accounts have it. Only ASCII letters become small: U+212A, the sign for kelvin, would become a k."""
    return "".join(each.lower() if each.isascii() else each for each in email.strip())


def _claims(provider: SignOnProvider, description: dict[str, Any], token: Any) -> dict[str, Any]:
    """Return the claims of an identity token of this provider for this client; raise ``NotAccepted`` for any other."""
    if not isinstance(token, str):
        raise NotAccepted("token")
    keys = _ask("GET", _address(description, "jwks_uri"))
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            _key(keys, jwt.get_unverified_header(token)),
            algorithms=ALGORITHMS,
            audience=provider.client_id,
            issuer=provider.issuer,
            leeway=LEEWAY,
            options={"require": ["iss", "sub", "aud", "exp", "iat", "nonce"]},
        )
    except jwt.InvalidAudienceError as error:
        raise NotAccepted("audience") from error
    except jwt.InvalidIssuerError as error:
        raise NotAccepted("issuer") from error
    except (jwt.PyJWTError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise NotAccepted("token") from error
    has_several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if claims.get("azp", None if has_several else provider.client_id) != provider.client_id:
        raise NotAccepted("audience")
    if not isinstance(claims["sub"], str) or not 1 <= len(claims["sub"]) <= 255 or not claims["sub"].isprintable():
        raise NotAccepted("subject")
    return claims


def _key(keys: dict[str, Any], header: dict[str, Any]) -> jwt.PyJWK:
    """Return the key that a token names. It verifies by its own algorithm alone, whatever the token says."""
    known = [key for key in jwt.PyJWKSet.from_dict(keys).keys if key.public_key_use in (None, "sig")]
    fitting = [key for key in known if key.key_id == header.get("kid")] or (known if len(known) == 1 and "kid" not in header else [])
    if len(fitting) != 1:
        raise NotAccepted("token")
    return fitting[0]


_FRESH = 300
"""Seconds for which a provider's configuration is kept: anybody may follow the link to it, and asking takes one of its few turns."""
_described: dict[tuple[UUID, str], tuple[float, dict[str, Any]]] = {}


def _known_description(provider: SignOnProvider) -> dict[str, Any] | None:
    until, found = _described.get((provider.pk, provider.issuer), (0.0, None))
    return found if monotonic() < until else None


def _description(provider: SignOnProvider) -> dict[str, Any]:
    """Return the provider's published configuration; raise ``NotAccepted`` if it is for another issuer."""
    if (known := _known_description(provider)) is not None:
        return known
    found = _ask("GET", f"{provider.issuer.rstrip('/')}/.well-known/openid-configuration")
    if found.get("issuer") != provider.issuer:
        raise NotAccepted("issuer")
    _described[provider.pk, provider.issuer] = monotonic() + _FRESH, found
    return found


def _address(description: dict[str, Any], name: str) -> str:
    found = description.get(name)
    if not isinstance(found, str) or not found.startswith(("https://", "http://127.0.0.1:") if settings.IS_LOCAL else "https://"):
        raise ProviderDown(name)
    return found


def _read(answer: requests.Response) -> bytes:
    """Read a response up to one byte more than it may have; raise ``ProviderDown`` if it takes too long altogether."""
    body, until = b"", monotonic() + LONGEST
    while len(body) <= LARGEST and (piece := answer.raw.read1(_PIECE, decode_content=True)):
        body += piece
        if monotonic() > until:
            raise ProviderDown("time")
    return body


def _ask(method: str, address: str, **more: Any) -> dict[str, Any]:
    """Request a JSON object from exactly this address, within limits of time and size."""
    try:
        with requests.Session() as session:
            session.trust_env = False
            with session.request(method, address, timeout=PATIENCE, allow_redirects=False, stream=True, **more) as answer:
                body = _read(answer)
        found = json.loads(body) if len(body) <= LARGEST else None
    except (requests.RequestException, OSError, ValueError) as error:
        raise ProviderDown(method) from error
    if method == "POST" and answer.status_code in (400, 401):
        raise NotAccepted("code")
    if answer.status_code != requests.codes.ok or not isinstance(found, dict):
        raise ProviderDown(method)
    return found
