"""HTTP to a server that need not be trusted: nothing takes longer, and no response is larger, than is said beforehand.

Slow to import: only what sends a request imports it.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable
from typing import Any

import httpcore
import httpx

LONGEST_CONNECTING = 10.0
_SENT = (b"host", b"authorization", b"accept", b"content-type", b"content-length", b"user-agent")
"""No other header goes out, whatever the client or its variables of the environment have to tell."""
_ADDED = [(b"Accept-Encoding", b"identity"), (b"Connection", b"close")]
_PIECE = 4_096
"""So much is written at a time: a server that takes a byte a second is found out in between."""


class TooLarge(Exception):  # noqa: N818 — what came, not whose error it is
    """A response with more bytes than are read."""


class Encoded(Exception):  # noqa: N818 — the same
    """A response that is compressed, though that was not asked for: what it unfolds to is not known beforehand."""


class Deadline:
    """A moment by which all has to be done."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds until then; raises httpcore's timeout where none are left."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout
        return left


class BoundedTransport(httpx.BaseTransport):
    """One connection a request, without proxies; everything is over by the deadline, and no response has more than ``most_bytes``."""

    def __init__(self, deadline: Deadline, *, most_bytes: int) -> None:
        self._backend = _Backend(deadline)
        self._most_bytes = most_bytes
        self._ssl = httpx.create_ssl_context()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and read its whole response."""
        headers = [each for each in request.headers.raw if each[0].lower() in _SENT] + _ADDED
        with (
            httpcore.ConnectionPool(ssl_context=self._ssl, network_backend=self._backend) as pool,
            pool.stream(request.method, str(request.url), headers=headers, content=request.read()) as response,
        ):
            return httpx.Response(response.status, headers=response.headers, content=self._read(response), request=request)

    def _read(self, response: httpcore.Response) -> bytes:
        encodings = [value for name, value in response.headers if name.lower() == b"content-encoding"]
        if any(value.strip().lower() not in (b"", b"identity") for value in encodings):
            raise Encoded
        parts: list[bytes] = []
        length = 0
        for part in response.iter_stream():
            length += len(part)
            if length > self._most_bytes:
                raise TooLarge
            parts.append(part)
        return b"".join(parts)


class _Backend(httpcore.NetworkBackend):
    """Opens connections on which everything ends by the deadline."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._backend = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 — the deadline counts
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        seconds = min(self._deadline.left(), LONGEST_CONNECTING)
        return _Stream(self._backend.connect_tcp(host, port, seconds, local_address, socket_options), self._deadline)


class _Stream(httpcore.NetworkStream):
    """A connection of which no single wait outlasts the deadline."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 — the deadline counts
        return self._stream.read(max_bytes, self._deadline.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 — the same
        for start in range(0, len(buffer), _PIECE):
            self._stream.write(buffer[start : start + _PIECE], self._deadline.left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002 — the same
    ) -> httpcore.NetworkStream:
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, self._deadline.left()), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
