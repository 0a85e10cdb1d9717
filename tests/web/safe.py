"""The headers that every answer carries."""

from __future__ import annotations

import re

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
ALWAYS = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
INLINE = re.compile(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|javascript:", re.IGNORECASE)


def policy_of(response) -> dict[str, str]:
    directives = response["Content-Security-Policy"].split(";")
    return dict(directive.strip().split(" ", 1) for directive in directives)


def check_headers(response) -> None:
    assert policy_of(response) == POLICY
    assert {name: response.get(name) for name in ALWAYS} == ALWAYS
    assert "no-store" in response["Cache-Control"]
    assert {"Cookie", "HX-Request"} <= {name.strip() for name in response["Vary"].split(",")}
    assert {"Server", "X-Powered-By"} & set(response.headers) == set()
    if response["Content-Type"].startswith("text/html"):
        assert not INLINE.search(response.content.decode())
