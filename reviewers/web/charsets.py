"""Refuse requests that Django cannot read before it tries: bodies in encodings that are of no text, and lengths that are no length."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from email.message import Message
from typing import Any

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

_READ = frozenset({"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin1", "windows-1252"})
_REFUSAL = b"Send text in UTF-8."
_DIGITS_OF_A_LENGTH = 18


def in_text(application: Application) -> Application:
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
