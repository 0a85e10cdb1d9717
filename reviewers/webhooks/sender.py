"""Sends one message to an endpoint over HTTPS. Nothing of an answer is kept but its status.

The module is slow to import, so only the worker does, when it needs it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import SplitResult

import httpx
from django.conf import settings

from reviewers.snapshots.model_endpoint import ErrorResponse, failure_of_connection, failure_of_status
from reviewers.webhooks.addresses import Address, RefusedAddress, read_address, resolve

_LONGEST_CONNECTING = 5.0
_MOST_TRIED = 3
"""The most addresses of a host that are tried."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a sending: a status, or the reason why there is none. ``wait`` is how long the endpoint asks to be left alone."""

    status: int | None = None
    reason: str = ""
    wait: int = 0

    @property
    def is_delivered(self) -> bool:
        """True if the endpoint took the message."""
        return not self.reason

    @property
    def is_gone(self) -> bool:
        """True if the endpoint says that it is no more."""
        return self.status == HTTPStatus.GONE


def send(address: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send a message and return the answer. Redirects and proxies are not followed, and nothing goes to a private network."""
    try:
        return asyncio.run(_send(read_address(address), body, headers))
    except RefusedAddress as refused:
        return Answer(reason=f"Not sent: {refused}")
    except (httpx.HTTPError, TimeoutError) as error:
        return Answer(reason=_capitalised(failure_of_connection(error, settings.WEBHOOK_TIMEOUT).reason))


async def _send(parts: SplitResult, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send before the deadline, which includes looking up the name: a server may keep a connection alive byte by byte."""
    async with asyncio.timeout(settings.WEBHOOK_TIMEOUT):
        addresses = (await resolve(parts))[:_MOST_TRIED]
        for address in addresses[:-1]:
            try:
                return await _post(parts, address, body, headers)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                continue
        return await _post(parts, addresses[-1], body, headers)


async def _post(parts: SplitResult, address: Address, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send to the address that was checked. The certificate has to be that of the host's name."""
    host = parts.hostname or ""
    url = httpx.URL(scheme="https", host=str(address), port=parts.port, raw_path=_path(parts).encode())
    sent = {"Host": parts.netloc, "Content-Type": "application/json", "User-Agent": "Footnote", "Connection": "close", **headers}
    limits = httpx.Timeout(None, connect=_LONGEST_CONNECTING)
    client = httpx.AsyncClient(verify=httpx.create_ssl_context(), timeout=limits, trust_env=False, follow_redirects=False)
    extensions = {"sni_hostname": host}
    async with client, client.stream("POST", url, content=body, headers=sent, extensions=extensions) as response:
        return _answer(response)


def _path(parts: SplitResult) -> str:
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _answer(response: httpx.Response) -> Answer:
    status = response.status_code
    if response.is_success:
        return Answer(status)
    error = ErrorResponse(status, None, None, response.headers.get("Retry-After", ""))
    if response.is_redirect or HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        return Answer(status, "The endpoint points to another address, which is not followed")
    return Answer(status, f"The endpoint answered {status}", failure_of_status(error).wait)


def _capitalised(reason: str) -> str:
    return reason[:1].upper() + reason[1:]


def now_in_seconds() -> int:
    """Return the time that a message is signed with."""
    return int(time.time())
