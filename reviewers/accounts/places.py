"""Where somebody signed in from, in words that they know their devices by. Only these words are kept."""

from __future__ import annotations

from ipaddress import ip_address

from allauth.account.adapter import get_adapter
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

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
