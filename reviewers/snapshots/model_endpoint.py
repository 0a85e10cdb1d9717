"""The client of an endpoint that speaks OpenAI's chat completions. It trusts nothing that comes, and logs nothing that goes.

Slow to import: only the worker imports it, when it asks.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import httpx

from attribution import REPLY_SCHEMA, ModelQuestion, read_completion
from reviewers.snapshots.endpoint_failures import Encoded, Refused, TooLarge, failure_of_connection, failure_of_status

LARGEST_ANSWER = 2 * 1024 * 1024
LONGEST_CONNECTING = 10.0
_REFUSES_OPTION = (400, 422)

for _name in ("httpx", "httpcore"):  # at their most talkative these write down what is sent, whatever the site's level is
    logging.getLogger(_name).setLevel(logging.CRITICAL)


def _format(name: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}


class ModelEndpoint:
    """Asks one model, and is done with it ``timeout`` seconds after it was made.

    Requests are never repeated by themselves, and no redirect or proxy is followed.
    """

    def __init__(
        self, url: str, name: str, key: str, timeout: float, form: str = "citations", schema: Mapping[str, Any] = REPLY_SCHEMA
    ) -> None:
        self._url, self._name, self._timeout = f"{url.rstrip('/')}/chat/completions", name, timeout
        self._end = time.monotonic() + timeout
        self._headers = {"Accept": "application/json", "Accept-Encoding": "identity", "Connection": "close"}
        self._headers |= {"Authorization": f"Bearer {key}"} if key else {}
        self._options: dict[str, Any] = {"response_format": _format(form, schema), "temperature": 0}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Nothing stays open between two requests."""

    def reply_to(self, question: ModelQuestion, complaint: str = "") -> bytes:
        """The model's reply. ``complaint`` says why the last one could not be used. Raises ``MalformedReply`` and ``SearchFailed``."""
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
        """The endpoint's whole answer to other texts, unread: with what it counts. Raises ``SearchFailed``."""
        return self._ask([{"role": "system", "content": instruction}, {"role": "user", "content": texts}])

    def _ask(self, messages: list[dict[str, str]]) -> bytes:
        """Ask, with fewer options for an endpoint that refuses some."""
        while True:
            body = {"messages": messages, "model": self._name, **self._options}
            try:
                return asyncio.run(self._post(body))
            except Refused as error:
                if error.status not in _REFUSES_OPTION or not self._gives_way(error.param):
                    raise failure_of_status(error) from None
            except (httpx.HTTPError, TimeoutError, TooLarge, Encoded) as error:
                raise failure_of_connection(error, self._timeout) from None

    async def _post(self, body: Mapping[str, Any]) -> bytes:
        """Send a request and read its answer, all of it before the deadline: a server may keep a connection going byte by byte."""
        verify, timeout = httpx.create_ssl_context(), httpx.Timeout(None, connect=LONGEST_CONNECTING)
        client = httpx.AsyncClient(verify=verify, timeout=timeout, trust_env=False)
        async with (
            asyncio.timeout(self._end - time.monotonic()),
            client,
            client.stream("POST", self._url, json=body, headers=self._headers) as response,
        ):
            content = await _read(response)
        if not response.is_success:
            raise Refused.read(response, content)
        return content

    def _gives_way(self, refused: str | None) -> bool:
        """Leave out the option that an endpoint refuses; where it does not say which, the form of the reply, once."""
        name = refused if refused in self._options else "response_format"
        return self._options.pop(name, None) is not None


async def _read(response: httpx.Response) -> bytes:
    if response.headers.get("Content-Encoding", "identity").strip().lower() not in ("", "identity"):
        raise Encoded
    content = bytearray()
    async for part in response.aiter_raw():
        content += part
        if len(content) > LARGEST_ANSWER:
            raise TooLarge
    return bytes(content)
