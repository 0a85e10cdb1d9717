"""Pages for what went wrong. They say what happened and what to do, and never what was in the request."""

from __future__ import annotations

from typing import Any

from django.db import Error, connection
from django.http import HttpRequest, HttpResponse, HttpResponseServerError
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
    """No such page, or not in this organisation: the two look the same."""
    del exception
    return render(request, "errors/404.html", status=404)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """This person may not do this; the reason is shown where one was given."""
    return render(request, "errors/403.html", {"reason": str(exception)}, status=403)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The request makes no sense."""
    del exception
    return render(request, "errors/400.html", status=400)


def not_allowed(request: HttpRequest) -> HttpResponse:
    """An address for forms that was opened as a page, as after signing in again on the way to one."""
    return render(request, "errors/405.html", status=405)


def too_many(request: HttpRequest) -> HttpResponse:
    """Too many attempts at something that is guessed at."""
    return render(request, "errors/429.html", status=429)


def server_error(request: HttpRequest) -> HttpResponse:
    """Something failed; nothing was acknowledged, so nothing is lost.

    Without the request: to know who is signed in takes the database, which may be what failed. Where not even the page can be drawn,
    as before static files are collected, its words are said without it.
    """
    del request
    try:
        return HttpResponseServerError(render_to_string("errors/500.html", _FRAME))
    except Exception:  # noqa: BLE001 — whatever it is: the failure that led here has been logged
        return HttpResponseServerError(_BARE)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form that was not ours, or one from before the last sign-in."""
    del reason
    return render(
        request, "errors/403.html", {"reason": "This form is from an earlier session. Reload the page and try again."}, status=403
    )


# Whether the site can serve.


@require_GET
def health(request: HttpRequest) -> HttpResponse:
    """200 when the database answers, 503 when it does not."""
    del request
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return HttpResponse("the database does not answer\n", content_type="text/plain", status=503)
    return HttpResponse("ok\n", content_type="text/plain")


# Addresses that came with a request and are led to afterwards: only pages of this site.


LONGEST = 8_000
"""No longer than what a request line takes: a browser could not ask for it."""


def local_url(request: HttpRequest, given: str) -> str:
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


# What htmx asks for, in one place.


def is_fragment(request: HttpRequest) -> bool:
    """Whether a part of the page is wanted rather than a page."""
    htmx = getattr(request, "htmx", None)
    return htmx is not None and bool(htmx) and not htmx.boosted and not htmx.history_restore_request


def is_unattended(request: HttpRequest) -> bool:
    """Whether a page asks by itself, without anybody doing anything: such a request says so, and keeps nobody signed in."""
    return "Unattended" in request.headers


def redirect_window(request: HttpRequest, url: str) -> HttpResponse:
    """Lead to another page: the whole window, also where only a part of it was asked for."""
    return HttpResponse(headers={"HX-Redirect": url}) if is_fragment(request) else redirect(url)


def page_of(request: HttpRequest) -> str:
    """The path of the page that is open: for a part, of the page that asked for it."""
    htmx = getattr(request, "htmx", None)
    try:
        asking = htmx.current_url_abs_path if is_fragment(request) and htmx else None
    except ValueError:  # what a header says need not be an address
        asking = None
    return asking or request.get_full_path()


def retargeted(response: HttpResponse, selector: str) -> HttpResponse:
    """Show a response elsewhere than the request meant to."""
    response["HX-Retarget"] = selector
    response["HX-Reswap"] = "outerHTML"
    return response
