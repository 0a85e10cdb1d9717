"""Headers that every page of somebody signed in carries."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

Respond = Callable[[HttpRequest], HttpResponse]


def no_store(respond: Respond) -> Respond:
    """Nothing that may hold protected text is kept by a browser or a proxy, and a fragment is never taken for its page."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = respond(request)
        if not response.has_header("Cache-Control"):
            response["Cache-Control"] = "no-store"
        patch_vary_headers(response, ["HX-Request", "Cookie"])
        return response

    return middleware
