"""The client of a model endpoint with OpenAI's chat completions. It trusts nothing it receives, and logs nothing it sends.

Failures are described in our own words: the endpoint's may repeat what it was sent. The module is slow to import, so only the worker does,
when it needs it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

import httpx

from attribution import REPLY_SCHEMA, MalformedReply, NoUsableReply, SearchFailed, Usage, read_completion, read_usage

LONGEST_WAIT = 600
"""Seconds; a longer wait that an endpoint asks for is cut to this."""
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


class ResponseTooLarge(Exception):  # noqa: N818 — named for the response
    """A response with more bytes than are read."""


class Encoded(Exception):  # noqa: N818 — as above
    """A response that is compressed though that was not asked for: its size when decompressed is unknown."""


@dataclass
class ErrorResponse(Exception):  # noqa: N818 — as above
    """A response with an error status, and the reason it gives."""

    status: int
    code: str | None
    param: str | None
    retry_after: str

    @classmethod
    def read(cls, response: httpx.Response, content: bytes) -> Self:
        """Read the error body of OpenAI's format; any other gives no reason."""
        try:
            told = json.loads(content)["error"]
            code, param = (told[name] if isinstance(told.get(name), str) else None for name in ("code", "param"))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            code = param = None
        return cls(response.status_code, code, param, response.headers.get("Retry-After", ""))


def failure_of_status(error: ErrorResponse) -> SearchFailed:
    """Return the failure that an error status means."""
    status = error.status
    if error.code in _CODES:
        return SearchFailed(f"{_CODES[error.code]} ({status})", may_pass=False)
    may_pass = status in _PASSING or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    reason = _REASONS.get(status) or _kind_of(status)
    wait = _wait(error.retry_after) if may_pass else 0
    return SearchFailed(f"{reason} ({status})", may_pass=may_pass, wait=wait)


def failure_of_connection(cause: Exception, seconds: float) -> SearchFailed:
    """Return the failure that an exception during a request means."""
    if isinstance(cause, httpx.ConnectError) and _is_of_certificate(cause):
        return SearchFailed("the endpoint's certificate does not hold", may_pass=False)
    if isinstance(cause, httpx.ConnectError | httpx.ConnectTimeout):
        return SearchFailed("the endpoint cannot be reached", may_pass=True)
    if isinstance(cause, httpx.TimeoutException | TimeoutError):
        return SearchFailed(f"the endpoint did not answer within {seconds:g} s", may_pass=True)
    if isinstance(cause, ResponseTooLarge):
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
    """Return the seconds of a Retry-After header, a number or a date, within bounds."""
    return min(max(0, _seconds(asked.strip())), LONGEST_WAIT)


def _seconds(asked: str) -> int:
    if asked.isascii() and asked.isdecimal():
        return int(asked[:9])
    try:
        moment = parsedate_to_datetime(asked)
    except (ValueError, OverflowError):  # a year or a time zone without end
        return 0
    return int((moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


LARGEST_ANSWER = 2 * 1024 * 1024
LONGEST_CONNECTING = 10.0
_REFUSES_OPTION = (400, 422)

for _name in ("httpx", "httpcore"):  # at debug level these log what is sent
    logging.getLogger(_name).setLevel(logging.CRITICAL)


def _format(name: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}


MOST_ASKED = 2
"""A reply that cannot be read is asked for again, up to so many times in all."""

Read = TypeVar("Read")


class ModelPrompt(Protocol):
    """A question: the instruction for the system's message, and the texts for the user's."""

    @property
    def instruction(self) -> str:
        """The instruction."""

    @property
    def texts(self) -> str:
        """The texts."""


class ModelEndpoint:
    """Asks one model, for at most ``timeout`` seconds after it was made.

    Requests are not retried, and redirects and proxies are not followed. ``requests`` counts the replies, and ``usage`` their tokens.
    """

    def __init__(
        self, url: str, name: str, key: str, timeout: float, form: str = "citations", schema: Mapping[str, Any] = REPLY_SCHEMA
    ) -> None:
        self.requests, self.usage = 0, Usage(0, 0)
        self._url, self._name, self._timeout = f"{url.rstrip('/')}/chat/completions", name, timeout
        self._end = time.monotonic() + timeout
        self._headers = {"Accept": "application/json", "Accept-Encoding": "identity", "Connection": "close"}
        self._headers |= {"Content-Type": "application/json"}
        self._headers |= {"Authorization": f"Bearer {key}"} if key else {}
        self._options: dict[str, Any] = {"response_format": _format(form, schema), "temperature": 0}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Do nothing: no connection stays open between two requests."""

    def answer_to(self, question: ModelPrompt, read: Callable[[bytes], Read]) -> Read:
        """Return the model's reply as ``read`` reads it, which raises ``MalformedReply`` for an unusable one.

        Such a reply is asked for again, with what was wrong. Raises ``NoUsableReply`` if none can be used, and ``SearchFailed`` if none
        comes.
        """
        reason = ""
        for _ in range(MOST_ASKED):
            try:
                return read(self._reply_to(question, reason))
            except MalformedReply as error:
                reason = error.reason
        raise NoUsableReply(f"two replies in a row could not be used, the last because {reason}")

    def _reply_to(self, question: ModelPrompt, complaint: str) -> bytes:
        messages = [
            {"role": "system", "content": question.instruction},
            {"role": "user", "content": question.texts},
        ]
        if complaint:
            messages.append(
                {"role": "user", "content": f"Your last reply could not be used: {complaint}. Reply with the JSON object only."}
            )
        return read_completion(self._ask(messages))

    def complete(self, instruction: str, texts: str) -> bytes:
        """Return the endpoint's whole response to other texts, unparsed, with its token counts; raise ``SearchFailed`` on failure."""
        return self._ask([{"role": "system", "content": instruction}, {"role": "user", "content": texts}])

    def _ask(self, messages: list[dict[str, str]]) -> bytes:
        """Send the messages, with fewer options if the endpoint refuses some."""
        while True:
            body = {"messages": messages, "model": self._name, **self._options}
            try:
                response = asyncio.run(self._post(body))
            except ErrorResponse as error:
                if error.status not in _REFUSES_OPTION or not self._gives_way(error.param):
                    raise failure_of_status(error) from None
            except (httpx.HTTPError, ssl.SSLError, TimeoutError, ResponseTooLarge, Encoded) as error:
                raise failure_of_connection(error, self._timeout) from None
            else:
                self._count(read_usage(response))
                return response

    def _count(self, usage: Usage) -> None:
        self.requests += 1
        self.usage = Usage(self.usage.tokens_in + usage.tokens_in, self.usage.tokens_out + usage.tokens_out)

    async def _post(self, body: Mapping[str, Any]) -> bytes:
        """Send a request and read all of the response before the deadline: a server may keep a connection alive byte by byte."""
        verify, timeout = httpx.create_ssl_context(), httpx.Timeout(None, connect=LONGEST_CONNECTING)
        client = httpx.AsyncClient(verify=verify, timeout=timeout, trust_env=False)
        async with (
            asyncio.timeout(self._end - time.monotonic()),
            client,
            client.stream("POST", self._url, content=_written(body), headers=self._headers) as response,
        ):
            content = await _read(response)
        if not response.is_success:
            raise ErrorResponse.read(response, content)
        return content

    def _gives_way(self, refused: str | None) -> bool:
        """Drop the option that an endpoint refuses, or the reply's format if it names none; return False if it is dropped already."""
        name = refused if refused in self._options else "response_format"
        return self._options.pop(name, None) is not None


def _written(body: Mapping[str, Any]) -> bytes:
    """Return a body as JSON, with a question mark in place of each half of a character: places in the texts stay what they were."""
    return json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


async def _read(response: httpx.Response) -> bytes:
    if response.headers.get("Content-Encoding", "identity").strip().lower() not in ("", "identity"):
        raise Encoded
    content = bytearray()
    async for part in response.aiter_raw():
        content += part
        if len(content) > LARGEST_ANSWER:
            raise ResponseTooLarge
    return bytes(content)
