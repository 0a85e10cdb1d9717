"""Sends one message to an endpoint over HTTPS. Nothing of an answer is read but its head, and nothing kept but its status.

The head is read here, because a client of HTTP reads on for as long as a server sends heads that only say that an answer will come. The
module is slow to import, so only the worker does, when it needs it.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import SplitResult, quote

import httpx
from django.conf import settings
from django.utils.text import capfirst

from reviewers.snapshots.model_endpoint import ErrorResponse, failure_of_connection, failure_of_status
from reviewers.webhooks.addresses import HTTPS, Address, RefusedAddress, read_address, resolve
from reviewers.webhooks.jobs import EndpointReply
from reviewers.webhooks.models import OffReason

_LONGEST_CONNECTING = 5.0
_MOST_TRIED = 3
"""The most addresses of a host that are tried."""
_LONGEST_HEAD, _MOST_HEADS = 64 * 1024, 5
_STATUS, _INFORMATIONAL = re.compile(r"HTTP/1\.[01] ([2-9]\d\d)\b"), re.compile(r"HTTP/1\.[01] 1\d\d\b")
_RETRY_AFTER = re.compile(r"^retry-after:([^\r\n]{0,100})", re.IGNORECASE | re.MULTILINE)
_OF_PATHS = "!$%&'()*+,/:;=?@[]~"


class NoAnswer(Exception):  # noqa: N818 — named for what came
    """Something that is no answer of HTTP/1.1, or one that never begins."""


def send(address: str, body: bytes, headers: Mapping[str, str]) -> EndpointReply:
    """Send a message and return the answer. Redirects and proxies are not followed, and nothing goes to a private network."""
    try:
        return asyncio.run(_send(read_address(address), body, headers))
    except RefusedAddress as refused:
        return EndpointReply(reason=f"Not sent: {refused}")
    except (httpx.ConnectError, OSError, EOFError, asyncio.LimitOverrunError, NoAnswer) as error:
        return EndpointReply(reason=capfirst(failure_of_connection(error, settings.WEBHOOK_TIMEOUT).reason))


async def _send(parts: SplitResult, body: bytes, headers: Mapping[str, str]) -> EndpointReply:
    """Send before the deadline, which includes looking up the name: a server may keep a connection alive byte by byte."""
    async with asyncio.timeout(settings.WEBHOOK_TIMEOUT):
        addresses = (await resolve(parts))[:_MOST_TRIED]
        for address in addresses[:-1]:
            try:
                return await _post(parts, address, body, headers)
            except httpx.ConnectError:
                continue
        return await _post(parts, addresses[-1], body, headers)


async def _post(parts: SplitResult, address: Address, body: bytes, headers: Mapping[str, str]) -> EndpointReply:
    """Send to the address that was checked. The certificate has to be that of the host's name."""
    reader, writer = await _connect(parts, address)
    try:
        writer.write(_request(parts, body, headers))
        await writer.drain()
        return _answer(await _read_head(reader))
    finally:
        writer.transport.abort()


async def _connect(parts: SplitResult, address: Address) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    port, context = parts.port or HTTPS, httpx.create_ssl_context()
    try:
        async with asyncio.timeout(_LONGEST_CONNECTING):
            return await asyncio.open_connection(str(address), port, ssl=context, server_hostname=parts.hostname, limit=_LONGEST_HEAD)
    except OSError as error:
        raise httpx.ConnectError("not connected") from error


def _request(parts: SplitResult, body: bytes, headers: Mapping[str, str]) -> bytes:
    path = quote((parts.path or "/") + (f"?{parts.query}" if parts.query else ""), safe=_OF_PATHS)
    told = {"Host": parts.netloc, "Content-Type": "application/json", "Content-Length": str(len(body)), "User-Agent": "Footnote"}
    lines = [f"{name}: {value}" for name, value in {**told, "Connection": "close", **headers}.items()]
    return "\r\n".join([f"POST {path} HTTP/1.1", *lines, "", ""]).encode() + body


async def _read_head(reader: asyncio.StreamReader) -> str:
    """Return the head of the answer, after a few that only say that it will come."""
    for _ in range(_MOST_HEADS):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        if not _INFORMATIONAL.match(head):
            return head
    raise NoAnswer


def _answer(head: str) -> EndpointReply:
    found = _STATUS.match(head)
    if found is None:
        raise NoAnswer
    status = int(found[1])
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return EndpointReply(status)
    if status < HTTPStatus.BAD_REQUEST:
        return EndpointReply(status, "The endpoint points to another address, which is not followed")
    if status == HTTPStatus.GONE:
        return EndpointReply(status, f"The endpoint answered {status}", off=OffReason.GONE, is_final=True)
    asked = _RETRY_AFTER.search(head)
    error = ErrorResponse(status, None, None, asked[1] if asked else "")
    return EndpointReply(status, f"The endpoint answered {status}", failure_of_status(error).wait)


def now_in_seconds() -> int:
    """Return the time that a message is signed with."""
    return int(time.time())
