"""Why an endpoint gave no answer, in plain words: never its own, which may repeat what it was sent."""

from __future__ import annotations

import json
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Self

import httpx

from attribution import SearchFailed

LONGEST_WAIT = 600
"""An endpoint that asks for more seconds is asked again after so many."""
_CODES = {
    "insufficient_quota": "the quota of the key is used up",
    "context_length_exceeded": "answer and sources are too long for the model",
    "model_not_found": "the endpoint does not know the model",
}
_REASONS: dict[int, str] = {
    HTTPStatus.UNAUTHORIZED: "the key was refused",
    HTTPStatus.FORBIDDEN: "the key was refused",
    HTTPStatus.NOT_FOUND: "the endpoint has no such model or address",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "answer and sources are too long for the endpoint",
    HTTPStatus.TOO_MANY_REQUESTS: "the endpoint is busy",
    HTTPStatus.SERVICE_UNAVAILABLE: "the endpoint is busy",
}
_PASSING = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS)


class TooLarge(Exception):  # noqa: N818 — what came, not whose error it is
    """An answer with more bytes than are read."""


class Encoded(Exception):  # noqa: N818 — the same
    """An answer that is compressed, though that was not asked for: what it unfolds to is not known beforehand."""


@dataclass
class Refused(Exception):  # noqa: N818 — the same
    """An answer with another status than success, with what it says of the reason."""

    status: int
    code: str | None
    param: str | None
    retry_after: str

    @classmethod
    def read(cls, response: httpx.Response, content: bytes) -> Self:
        """Read the body that OpenAI's endpoints give errors; any other says nothing."""
        try:
            told = json.loads(content)["error"]
            code, param = (told[name] if isinstance(told.get(name), str) else None for name in ("code", "param"))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            code = param = None
        return cls(response.status_code, code, param, response.headers.get("Retry-After", ""))


def failure_of_status(error: Refused) -> SearchFailed:
    """What a status means."""
    status = error.status
    if error.code in _CODES:
        return SearchFailed(f"{_CODES[error.code]} ({status})", may_pass=False)
    may_pass = status in _PASSING or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    reason = _REASONS.get(status) or _kind_of(status)
    wait = _wait(error.retry_after) if may_pass else 0
    return SearchFailed(f"{reason} ({status})", may_pass=may_pass, wait=wait)


def failure_of_connection(cause: Exception, seconds: float) -> SearchFailed:
    """What came instead of an answer."""
    if isinstance(cause, httpx.ConnectError) and _is_of_certificate(cause):
        return SearchFailed("the endpoint's certificate does not hold", may_pass=False)
    if isinstance(cause, httpx.ConnectError | httpx.ConnectTimeout):
        return SearchFailed("the endpoint cannot be reached", may_pass=True)
    if isinstance(cause, httpx.TimeoutException | TimeoutError):
        return SearchFailed(f"the endpoint did not answer within {seconds:g} s", may_pass=True)
    if isinstance(cause, TooLarge):
        return SearchFailed("the endpoint's answer is too long to be read", may_pass=False)
    if isinstance(cause, Encoded):
        return SearchFailed("the endpoint's answer is compressed, which was not asked for", may_pass=False)
    return SearchFailed("the connection to the endpoint broke off", may_pass=True)


def _is_of_certificate(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _kind_of(status: int) -> str:
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        return "the endpoint points to another address, which is not followed"
    return "the endpoint failed" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "the endpoint refused the request"


def _wait(asked: str) -> int:
    """Seconds of a Retry-After, which counts them or names a moment; bounded."""
    return min(max(0, _seconds(asked.strip())), LONGEST_WAIT)


def _seconds(asked: str) -> int:
    if asked.isascii() and asked.isdecimal():
        return int(asked[:9])
    try:
        moment = parsedate_to_datetime(asked)
    except ValueError:
        return 0
    return int((moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
