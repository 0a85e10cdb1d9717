"""What htmx asks for, in one place."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse


def is_fragment(request: HttpRequest) -> bool:
    """Whether a part of the page is wanted rather than a page."""
    htmx = getattr(request, "htmx", None)
    return htmx is not None and bool(htmx) and not htmx.boosted and not htmx.history_restore_request


def retargeted(response: HttpResponse, selector: str) -> HttpResponse:
    """Show a response elsewhere than the request meant to."""
    response["HX-Retarget"] = selector
    response["HX-Reswap"] = "outerHTML"
    return response
