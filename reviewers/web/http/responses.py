"""Responses: error pages, JSON, the health check, redirects within the site, and htmx.

Error pages say what happened and what to do, and repeat nothing of the request.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.db import Error, connection
from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.middleware.csrf import REASON_BAD_ORIGIN
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET

_FRAME: dict[str, Any] = {"request": None, "member": None, "is_signed_in": False, "messages": [], "warns_of_recovery": False}
"""The frame of a page that is drawn without a request, as for nobody."""

_BARE = """<!doctype html>
<html lang="en"><title>Something failed on our side</title>
<h1>Something failed on our side</h1>
<p>Nothing that was acknowledged is lost. Please try again; if it happens again, tell your administrator when it was.</p>
</html>
"""


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Render the page for a missing address or an object of another organisation, which look the same."""
    del exception
    return render(request, "errors/404.html", status=404)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Render the page for a refused act, with the reason if there is one."""
    return render(request, "errors/403.html", {"reason": str(exception)}, status=403)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Render the page for a malformed request."""
    del exception
    return render(request, "errors/400.html", status=400)


def not_allowed(request: HttpRequest) -> HttpResponse:
    """Render the page for a form's address that was opened as a page, as after signing in again on the way to one."""
    return render(request, "errors/405.html", status=405)


def too_many(request: HttpRequest) -> HttpResponse:
    """Render the page for too many tries at something that is guessed at."""
    return render(request, "errors/429.html", status=429)


def server_error(request: HttpRequest) -> HttpResponse:
    """Render the page for a failure of the site, without a request: who is signed in is in the database, which may be what failed.

    If not even this page can be rendered, as before static files are collected, its words are sent without it.
    """
    del request
    try:
        return HttpResponseServerError(render_to_string("errors/500.html", _FRAME))
    except Exception:  # noqa: BLE001 — the failure that led here has been logged
        return HttpResponseServerError(_BARE)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Render the page for a form from elsewhere, from before the last sign-in, or under an address that the proxy does not pass on."""
    told = _OF_ANOTHER_ADDRESS if reason.startswith(_BAD_ORIGIN) else "This form is from an earlier session. Reload the page and try again."
    return render(request, "errors/403.html", {"reason": told}, status=403)


_BAD_ORIGIN = REASON_BAD_ORIGIN.partition("%s")[0]
_OF_ANOTHER_ADDRESS = (
    "The site does not expect forms under this address. If you opened it as you always do, tell its administrator: a proxy has to pass on "
    "the host name and the port."
)


def ascii_json(value: Mapping[str, Any]) -> HttpResponse:
    """Return JSON in ASCII: half a character may be in a text, as an escape."""
    return HttpResponse(json.dumps(value), content_type="application/json")


@require_GET
def live(request: HttpRequest) -> HttpResponse:
    """Return 200: this process answers. A supervisor that restarts silent processes must not do so because the database is away."""
    del request
    return HttpResponse("ok\n", content_type="text/plain")


@require_GET
def ready(request: HttpRequest) -> HttpResponse:
    """Return 200 if requests can be answered, which takes the database, and 503 if not."""
    del request
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return HttpResponse("the database does not answer\n", content_type="text/plain", status=503)
    return HttpResponse("ok\n", content_type="text/plain")


LONGEST = 8_000
"""Characters; a browser could not request a longer address."""


def local_url(request: HttpRequest, given: str) -> str:
    """Return the address if it is a path that a page of this site answers, with or without a query; otherwise an empty string.

    A word such as ``abc`` is refused: `redirect` would take it for the name of a view.
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


def is_fragment(request: HttpRequest) -> bool:
    """Return True if htmx asks for a part of a page."""
    htmx = getattr(request, "htmx", None)
    return htmx is not None and bool(htmx) and not htmx.boosted and not htmx.history_restore_request


def is_unattended(request: HttpRequest) -> bool:
    """Return True if a page sent the request by itself; such a request has a header, and does not extend the session."""
    return "Unattended" in request.headers


def redirect_window(request: HttpRequest, url: str) -> HttpResponse:
    """Redirect the whole window, even if only a part of a page was requested."""
    return HttpResponse(headers={"HX-Redirect": url}) if is_fragment(request) else redirect(url)


def page_of(request: HttpRequest) -> str:
    """Return the path of the open page; for a part of a page, of the page that requested it."""
    htmx = getattr(request, "htmx", None)
    try:
        asking = htmx.current_url_abs_path if is_fragment(request) and htmx else None
    except ValueError:  # the header need not be an address
        asking = None
    return asking or request.get_full_path()


def retargeted(response: HttpResponse, selector: str) -> HttpResponse:
    """Show a response in another place than the request named."""
    response["HX-Retarget"] = selector
    response["HX-Reswap"] = "outerHTML"
    return response
