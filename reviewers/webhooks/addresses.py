"""Addresses of endpoints: which may be set, and which are refused when something is sent.

The host is resolved before each sending, and the connection goes to the address that was checked: a name that points elsewhere a moment
later, to a machine of the deployment's own network, leads nowhere.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

LONGEST_ADDRESS = 500
HTTPS = 443
_TRANSLATED = ip_network("64:ff9b::/96")
"""IPv6 addresses that a gateway turns into the IPv4 address in their last 32 bits."""
_NOT_PUBLIC = [ip_network(each) for each in ("192.0.0.0/24", "192.88.99.0/24", "fec0::/10")]
"""Networks for special purposes that Python's list, at least of some versions, takes for public: site-local addresses among them."""

Address = IPv4Address | IPv6Address


class RefusedAddress(Exception):  # noqa: N818 — named for the address
    """An address that nothing is sent to, with the reason in words."""


def read_address(text: str) -> SplitResult:
    """Return the parts of an address that can be set; raise ``RefusedAddress`` with the reason for any other."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise RefusedAddress("This is no address of a page, such as https://desk.example.org/hook.") from None
    if parts.scheme != "https":
        raise RefusedAddress("The address begins with https://, so that nobody on the way reads or changes what is sent.")
    if not parts.hostname or port == 0 or not text.isascii() or not text.isprintable() or " " in text or "\\" in text:
        raise RefusedAddress("This is no address of a page, such as https://desk.example.org/hook.")
    if parts.username is not None or parts.fragment:
        raise RefusedAddress("The address holds no sign-in and no part after #.")
    literal = _literal(parts.hostname)
    if literal and not may_be_sent_to(literal):
        raise RefusedAddress("The address is in a private network, where nothing is sent.")
    return parts


def _literal(host: str) -> Address | None:
    try:
        return ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        return None


def may_be_sent_to(address: Address) -> bool:
    """Return True for public addresses, and for those of networks that this deployment names."""
    real = _embedded(address) or address
    if any(real in ip_network(network) for network in settings.WEBHOOK_NETWORKS):
        return True
    if any(real in network for network in _NOT_PUBLIC):
        return False
    return real.is_global and not real.is_multicast and not real.is_reserved


def _embedded(address: Address) -> IPv4Address | None:
    """Return the IPv4 address that an IPv6 address leads to, or None."""
    if isinstance(address, IPv4Address):
        return None
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


async def resolve(parts: SplitResult) -> Sequence[Address]:
    """Return the addresses of a host, in the system's order; raise ``RefusedAddress`` if nothing may be sent to one of them."""
    host, port = parts.hostname or "", parts.port or HTTPS
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise RefusedAddress("its name is not known") from None
    addresses = list(dict.fromkeys(_without_zone(each[4][0]) for each in found))
    check_public(addresses)
    return addresses


def _without_zone(text: str | int) -> Address:
    return ip_address(str(text).partition("%")[0])


def check_public(addresses: Iterable[Address]) -> None:
    """Raise ``RefusedAddress`` if nothing may be sent to one of the addresses."""
    if not all(map(may_be_sent_to, addresses)):
        raise RefusedAddress("its name leads into a private network, where nothing is sent")
