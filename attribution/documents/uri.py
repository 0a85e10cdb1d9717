"""Addresses as they are named and compared."""

from __future__ import annotations

import re

from attribution.documents.hosts import host_of

_LONGEST = 4_096


def site_of(uri: str) -> str:
    """Return what a reader calls the site of an address: its host without ``www.``; empty where there is none."""
    return (host_of(uri[:_LONGEST]) or "").removeprefix("www.") if uri else ""


def same_page(uri: str) -> str:
    """An address as it is compared: without scheme, ``www.``, fragment, tracking marks and a closing slash."""
    plain = re.sub(r"^[a-z][a-z0-9+.-]*://(?:www\.)?", "", uri.strip()[:_LONGEST], flags=re.IGNORECASE).partition("#")[0]
    page, mark, query = plain.partition("?")
    host, slash, path = page.partition("/")
    kept = "&".join([part for part in query.split("&") if part and not part.lower().startswith("utm_")]) if mark else ""
    return host.lower() + (slash + path).rstrip("/") + ("?" + kept if kept else "")
