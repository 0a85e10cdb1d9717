"""Pages for what went wrong. They say what happened and what to do, and never what was in the request."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.shortcuts import render
from django.template.loader import render_to_string

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
        return HttpResponseServerError(render_to_string("errors/500.html"))
    except Exception:  # noqa: BLE001 — whatever it is: the failure that led here has been logged
        return HttpResponseServerError(_BARE)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form that was not ours, or one from before the last sign-in."""
    del reason
    return render(
        request, "errors/403.html", {"reason": "This form is from an earlier session. Reload the page and try again."}, status=403
    )
