"""Middleware of every request and response, the WSGI wrapper before it, and the handler of uploaded files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from email.message import Message
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.core.exceptions import BadRequest, RequestDataTooBig
from django.core.files.uploadhandler import MemoryFileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from reviewers.web.http.responses import not_allowed
from reviewers.web.tenancy import tenant

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

_READ = frozenset({"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin1", "windows-1252"})
_REFUSAL = b"Send text in UTF-8."
_DIGITS_OF_A_LENGTH = 18
_API = "/api/v1/"


def refuse_unreadable_bodies(application: Application) -> Application:
    """Wrap a WSGI application so that a body in an unreadable encoding, or with an impossible length, is answered 400.

    Some encodings that Python knows, such as hex, do not encode text: with one of them, or with a Content-Length beyond a machine word,
    Django fails before any code of the site runs.
    """

    def respond(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        is_length = len(environ.get("CONTENT_LENGTH") or "") <= _DIGITS_OF_A_LENGTH
        if is_length and _charset_of(environ.get("CONTENT_TYPE", "")) in _READ:
            return application(environ, start_response)
        start_response("400 Bad Request", [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(_REFUSAL)))])
        return [_REFUSAL]

    return respond


def _charset_of(content_type: str) -> str:
    if "charset" not in content_type.lower():
        return "utf-8"
    message = Message()
    message["Content-Type"] = content_type.replace("\n", "").replace("\r", "")
    charset = message.get_param("charset", "utf-8")
    return charset.lower() if isinstance(charset, str) else ""


class BoundedUploadHandler(MemoryFileUploadHandler):
    """Keep an uploaded file in memory, up to one byte more than it may have: its reader sees that it is too large."""

    def handle_raw_input(self, input_data: Any, META: Any, content_length: int, boundary: Any, encoding: Any = None) -> None:  # noqa: N803 — Django's name
        """Handle all files here, whatever the size of the request."""
        del input_data, META, content_length, boundary, encoding
        self.activated = True

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Keep what still has room."""
        self.file.write(raw_data[: max(0, settings.LARGEST_RECORD + 1 - start)])

    def file_complete(self, file_size: int) -> Any:
        """Return the file as it was kept."""
        return super().file_complete(min(file_size, settings.LARGEST_RECORD + 1))


Respond = Callable[[HttpRequest], HttpResponse]


def without_tenant(respond: Respond) -> Respond:
    """Begin each request outside all tenants, and leave whichever it entered."""

    def middleware(request: HttpRequest) -> HttpResponse:
        with tenant.outside():
            return respond(request)

    return middleware


def plain_cookies(respond: Respond) -> Respond:
    """Ignore cookies with a backslash, which none of the site's has.

    Python before 3.11.10 takes quadratic time to read escaped characters in a cookie: seconds for the largest header that anybody can send.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if "\\" in (cookies := request.META.get("HTTP_COOKIE", "")):
            request.META["HTTP_COOKIE"] = ";".join(each for each in cookies.split(";") if "\\" not in each)
        return respond(request)

    return middleware


def utf8_forms(respond: Respond) -> Respond:
    """Refuse forms with files in another encoding than UTF-8, as Django does for forms without files."""

    def middleware(request: HttpRequest) -> HttpResponse:
        charset = (request.content_params or {}).get("charset", "utf-8")
        if request.content_type == "multipart/form-data" and charset.lower() != "utf-8":
            raise BadRequest("forms are in UTF-8")
        return respond(request)

    return middleware


def bounded_forms(respond: Respond) -> Respond:
    """Refuse forms that are larger than any of ours: a field of escaped characters takes a hundred times its size to read.

    They are read before it is known whose they are, for their token. So those of somebody who is not signed in may only be as large as the
    pages for signing in need. Requests to the API are not read as forms.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        most = _largest_form(request.content_type)
        if most is not None and SESSION_KEY not in request.session:
            most = min(most, settings.LARGEST_ANONYMOUS_FORM)
        if most is not None and length.isdecimal() and int(length) > most and not request.path.startswith(_API):
            message = "the form is larger than any of the site"
            raise RequestDataTooBig(message)
        return respond(request)

    return middleware


def _largest_form(content_type: str | None) -> int | None:
    """Return the size that a form of a content type may have, or None for what is not read as a form."""
    if content_type == "multipart/form-data":
        return settings.LARGEST_FORM + 2 * settings.LARGEST_RECORD  # a file that is somewhat too large is told so on its page
    return settings.LARGEST_FORM if content_type == "application/x-www-form-urlencoded" else None


def explain_refused_methods(respond: Respond) -> Respond:
    """Explain a refused method to people, for whom Django has an empty page; programs read the status."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = respond(request)
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED or response.content or request.method != "GET":
            return response
        explained = not_allowed(request)
        explained["Allow"] = response["Allow"]
        return explained

    return middleware


def no_store(respond: Respond) -> Respond:
    """Forbid browsers and proxies to store responses, which may hold protected text, and to confuse a fragment with its page."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = respond(request)
        if not response.has_header("Cache-Control"):
            response["Cache-Control"] = "no-store"
        patch_vary_headers(response, ["HX-Request", "Cookie"])
        return response

    return middleware
