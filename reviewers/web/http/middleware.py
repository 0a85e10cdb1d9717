"""Refuse requests that Django cannot read before it tries: bodies in encodings that are of no text, and lengths that are no length."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from email.message import Message
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import BadRequest
from django.core.files.uploadhandler import MemoryFileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from reviewers.web.http.responses import not_allowed
from reviewers.web.tenancy import tenant

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

_READ = frozenset({"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin1", "windows-1252"})
_REFUSAL = b"Send text in UTF-8."
_DIGITS_OF_A_LENGTH = 18


def refuse_unreadable_bodies(application: Application) -> Application:
    """Wrap a WSGI application, so that a body in another encoding, or one longer than any number of bytes, is answered 400.

    Some encodings that Python knows, such as hex, are of no text: with one of them Django fails before anything of the site is asked. It
    fails as well where Content-Length does not fit into a machine's word.
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


# Files that are sent with a form: held in memory, and no larger than a record may be.


class BoundedUploadHandler(MemoryFileUploadHandler):
    """Keeps a file up to one byte more than it may have, so that whoever reads it sees that it is too large; the rest is not kept."""

    def handle_raw_input(self, input_data: Any, META: Any, content_length: int, boundary: Any, encoding: Any = None) -> None:  # noqa: N803 — as it is called
        """Hold all files here, however much the whole request is."""
        del input_data, META, content_length, boundary, encoding
        self.activated = True

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Keep what still has room."""
        self.file.write(raw_data[: max(0, settings.LARGEST_RECORD + 1 - start)])

    def file_complete(self, file_size: int) -> Any:
        """The file as it was kept."""
        return super().file_complete(min(file_size, settings.LARGEST_RECORD + 1))


# What holds for every request and answer: forms in UTF-8, refused methods explained, nothing kept by browsers and proxies.


Respond = Callable[[HttpRequest], HttpResponse]


def without_tenant(respond: Respond) -> Respond:
    """Each request begins outside of all organisations, and leaves whichever it entered."""

    def middleware(request: HttpRequest) -> HttpResponse:
        with tenant.outside():
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


def explain_refused_methods(respond: Respond) -> Respond:
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
