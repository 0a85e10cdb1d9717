"""What htmx asks for, in one place."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect


def is_fragment(request: HttpRequest) -> bool:
    """Whether a part of the page is wanted rather than a page."""
    htmx = getattr(request, "htmx", None)
    return htmx is not None and bool(htmx) and not htmx.boosted and not htmx.history_restore_request


def is_unattended(request: HttpRequest) -> bool:
    """Whether a page asks by itself, without anybody doing anything: such a request says so, and keeps nobody signed in."""
    return "Unattended" in request.headers


def led_away(request: HttpRequest, url: str) -> HttpResponse:
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
