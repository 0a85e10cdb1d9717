"""The host of an address, read as a browser reads it, and nothing where there is any doubt: trust hangs on it."""

from __future__ import annotations

import re

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_PORT = re.compile(r":\d{0,5}\Z", re.ASCII)
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_UNWANTED = re.compile(r"[\x00-\x20\x7f%<>^`{|}]")
_TWO_READINGS = frozenset("ßẞς\u200c\u200d")
"""Letters that the older rules write otherwise (``ß`` as ``ss``) and browsers keep: the host they lead to is another one."""
_LONGEST_HOST = 253


def host_of(address: str) -> str | None:
    """The host in lower case and without port and final dot, an international one in its ASCII form; none for what is no web address."""
    authority = _authority(address.strip().replace("\\", "/"))
    if authority is None:
        return None
    host = _PORT.sub("", authority.rpartition("@")[2])
    if not host or len(host) > _LONGEST_HOST or _UNWANTED.search(host):
        return None
    return _checked(_in_ascii(host))


def _authority(address: str) -> str | None:
    """Return what stands between the scheme and the path. An address may come without a scheme, but not with another one than the web's."""
    scheme = _SCHEME.match(address)
    if scheme and address.startswith("//", scheme.end()):
        if scheme[1].lower() not in ("http", "https"):
            return None
        address = address[scheme.end() :]
    elif scheme and not address[scheme.end() : scheme.end() + 1].isdecimal():
        return None
    return re.split(r"[/?#]", address.removeprefix("//"), maxsplit=1)[0]


def _in_ascii(host: str) -> str:
    """As it is asked for; empty where it cannot be, or where it is not certain how."""
    if host.isascii():
        return host.lower()
    if not _TWO_READINGS.isdisjoint(host):
        return ""
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return ""


def _checked(host: str) -> str | None:
    """A name of two labels or more; no number, for that is an address without a name."""
    labels = host.removesuffix(".").split(".")
    if len(labels) < 2 or labels[-1].isdecimal() or not all(_LABEL.fullmatch(label) for label in labels):
        return None
    return ".".join(labels)
