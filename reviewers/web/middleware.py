"""What holds for every request and answer: forms in UTF-8, refused methods explained, nothing kept by browsers and proxies."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from reviewers.web import walls
from reviewers.web.errors import not_allowed

Respond = Callable[[HttpRequest], HttpResponse]


def outside_walls(respond: Respond) -> Respond:
    """Each request begins outside of all organisations, and leaves whichever it entered."""

    def middleware(request: HttpRequest) -> HttpResponse:
        with walls.outside():
            return respond(request)

    return middleware


def utf8_forms(respond: Respond) -> Respond:
    """A form in another encoding than UTF-8 is refused, as Django does where it has no files; some of the encodings it takes are none."""

    def middleware(request: HttpRequest) -> HttpResponse:
        charset = (request.content_params or {}).get("charset", "utf-8")
        if request.content_type == "multipart/form-data" and charset.lower() != "utf-8":
            raise BadRequest("forms are in UTF-8")
        return respond(request)

    return middleware


def explain(respond: Respond) -> Respond:
    """A refused method is explained to people, where Django answers with an empty page; programs read the status."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = respond(request)
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED or response.content or request.method != "GET":
            return response
        explained = not_allowed(request)
        explained["Allow"] = response["Allow"]
        return explained

    return middleware


def no_store(respond: Respond) -> Respond:
    """Nothing that may hold protected text is kept by a browser or a proxy, and a fragment is never taken for its page."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = respond(request)
        if not response.has_header("Cache-Control"):
            response["Cache-Control"] = "no-store"
        patch_vary_headers(response, ["HX-Request", "Cookie"])
        return response

    return middleware
