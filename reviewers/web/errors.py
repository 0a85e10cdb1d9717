"""Pages for what went wrong. They say what happened and what to do, and never what was in the request."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


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


def server_error(request: HttpRequest) -> HttpResponse:
    """Something failed; nothing was acknowledged, so nothing is lost."""
    return render(request, "errors/500.html", status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form that was not ours, or one from before the last sign-in."""
    del reason
    return render(
        request, "errors/403.html", {"reason": "This form is from an earlier session. Reload the page and try again."}, status=403
    )
