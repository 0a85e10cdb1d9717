"""Log processors: a line says what happened and where in the code, and nothing of an address's query, a form or a record."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Iterator
from types import TracebackType
from typing import Any, cast

from django.http import HttpRequest
from django_structlog.middlewares import RequestMiddleware
from psycopg import Error as DatabaseRefusal
from structlog.typing import EventDict

_QUERY = re.compile(r"\?\S+")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
_LINK_SECRET = re.compile(r"(/password/reset/key/|/invitation/[^/\s]+/)[^/\s]+")

ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None]


class PathOnly(RequestMiddleware):
    """Give each request an identifier and a log line with its path, without its query."""

    @staticmethod
    def format_request(request: HttpRequest) -> str:
        """Return the line of a request, such as ``GET /queue/``."""
        return f"{request.method} {request.path}"


def cut_addresses(_: Any, __: str, event: EventDict) -> EventDict:
    """Remove queries, and the secrets of password links and invitations, from every value."""
    return {name: _cut(value) if isinstance(value, str) else value for name, value in event.items()}


def place_exceptions(_: Any, __: str, event: EventDict) -> EventDict:
    """Replace an exception by its kind and its places in the code.

    Its message is left out: a database's quotes the refused row, others quote the value that could not be read.
    """
    information = _exception_of(event.pop("exc_info", None))
    if information:
        event["exception"] = "\n".join(_places(information[1]))
    return event


def encode_controls(_: Any, __: str, line: str) -> str:
    """Escape characters that could end the line, move the cursor or reverse the text; this processor comes after the renderer.

    So nobody can forge a line of the log or control the terminal that shows it, whatever the renderer and the position of the text.
    """
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), line)


def _cut(text: str) -> str:
    return _LINK_SECRET.sub(r"\1…", _QUERY.sub("?…", text))


def _exception_of(given: Any) -> ExceptionInfo | None:
    if isinstance(given, BaseException):
        return type(given), given, given.__traceback__
    found = given if isinstance(given, tuple) else sys.exc_info() if given else (None, None, None)
    return cast("ExceptionInfo", found) if found[1] is not None else None


def _places(exception: BaseException) -> Iterator[str]:
    """Yield the places of an exception and its causes, the first cause first."""
    cause = exception.__cause__ or (None if exception.__suppress_context__ else exception.__context__)
    if cause is not None:
        yield from _places(cause)
    for frame in traceback.extract_tb(exception.__traceback__):
        yield f"  {frame.filename}:{frame.lineno} {frame.name}"
    yield _name(exception)


def _name(exception: BaseException) -> str:
    name = f"{type(exception).__module__}.{type(exception).__qualname__}"
    if not isinstance(exception, DatabaseRefusal):
        return name
    return " ".join(filter(None, (name, exception.sqlstate, exception.diag.table_name, exception.diag.constraint_name)))
