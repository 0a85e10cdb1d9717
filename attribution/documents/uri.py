"""What a reader calls the site of an address: its host, lower case, without user, port and ``www.``."""

from __future__ import annotations

import re

_HOST = re.compile(r"[a-z][a-z0-9+.-]{0,30}://(?:[^/?#\\]*@)?(\[[0-9a-f:.]+\]|[^/?#\\:@]+)", re.IGNORECASE)


def host_of(uri: str) -> str:
    """The host of an absolute address; empty where there is none."""
    found = _HOST.match(uri.strip()[:4_096])
    return found[1].lower().rstrip(".").removeprefix("www.") if found else ""


def same_page(uri: str) -> str:
    """An address as it is compared: without scheme, ``www.``, fragment, tracking marks and a closing slash."""
    plain = re.sub(r"^[a-z][a-z0-9+.-]*://(?:www\.)?", "", uri.strip()[:4_096], flags=re.IGNORECASE).partition("#")[0]
    page, mark, query = plain.partition("?")
    host, slash, path = page.partition("/")
    kept = "&".join([part for part in query.split("&") if part and not part.lower().startswith("utm_")]) if mark else ""
    return host.lower() + (slash + path).rstrip("/") + ("?" + kept if kept else "")
