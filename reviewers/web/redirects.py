"""Addresses that came with a request and are led to afterwards: only pages of this site."""

from __future__ import annotations

from django.http import HttpRequest
from django.urls import Resolver404, resolve
from django.utils.http import url_has_allowed_host_and_scheme

LONGEST = 8_000
"""No longer than what a request line takes: a browser could not ask for it."""


def own_address(request: HttpRequest, given: str) -> str:
    """Return the address if it is a path that a page of this site answers, with or without a query; otherwise nothing.

    A word such as ``abc`` is none: `redirect` would take it for the name of a view.
    """
    if len(given) > LONGEST or not given.startswith("/") or not given.isprintable():
        return ""
    if not url_has_allowed_host_and_scheme(given, {request.get_host()}, require_https=request.is_secure()):
        return ""
    try:
        resolve(given.partition("#")[0].partition("?")[0])
    except Resolver404:
        return ""
    return given
