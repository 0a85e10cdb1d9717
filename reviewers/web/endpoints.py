"""What the settings of a model endpoint must be: all of them or none, and nothing sent in the clear unless somebody says so."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from django.core.exceptions import ImproperlyConfigured

LONGEST_NAME = 200


def check_endpoint(url: str, name: str, key: str, timeout: int, *, may_be_plain: bool) -> None:
    """Raise ``ImproperlyConfigured`` for half an endpoint, or one that protected text must not be sent to. A key may be missing."""
    if bool(url) != bool(name):
        raise ImproperlyConfigured("FOOTNOTE_MODEL_URL and FOOTNOTE_MODEL_NAME belong together; one of them is not set.")
    if key and not url:
        raise ImproperlyConfigured("FOOTNOTE_MODEL_KEY is set without FOOTNOTE_MODEL_URL.")
    if len(name) > LONGEST_NAME:
        raise ImproperlyConfigured(f"FOOTNOTE_MODEL_NAME has more than {LONGEST_NAME} characters.")
    if url:
        _check_url(url, may_be_plain=may_be_plain)
        _check_key(key)
        if timeout < 1:
            raise ImproperlyConfigured("FOOTNOTE_MODEL_TIMEOUT must be one second or more.")


def _check_url(url: str, *, may_be_plain: bool) -> None:
    """Its words are not repeated: a password may stand in it."""
    parts = _split(url)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise ImproperlyConfigured("FOOTNOTE_MODEL_URL must be an address such as https://models.example.org/v1.")
    if parts.username is not None or parts.query or parts.fragment:
        raise ImproperlyConfigured("FOOTNOTE_MODEL_URL must hold no sign-in, query or fragment; the key belongs in FOOTNOTE_MODEL_KEY.")
    if parts.scheme == "http" and not may_be_plain and not is_loopback(parts.hostname):
        raise ImproperlyConfigured(
            "FOOTNOTE_MODEL_URL is plain http, in which anybody on the way can read answers and sources. "
            "Use https, or set FOOTNOTE_MODEL_PLAIN_HTTP=1 where the way is safe."
        )


def _check_key(key: str) -> None:
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise ImproperlyConfigured("FOOTNOTE_MODEL_KEY holds spaces, line breaks or letters that no header can carry.")


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port  # a port that is no number is found when it is asked for
    except ValueError:
        return None
    return parts


def is_loopback(host: str) -> bool:
    """Whether a host is this machine itself."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
