"""Connections of clients, read and written without threads: a request is answered once it has arrived, and its response is sent separately.

So a client that sends nothing or half a request, or does not read its response, occupies no thread. Each has a time limit for going on. A
body is held in memory, within bounds, never in a file: it may be protected text.
"""

from __future__ import annotations

import errno
import re
import select
import socket
import time
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from threading import Lock
from typing import Any

from gunicorn.config import Config
from gunicorn.http.parser import RequestParser

PIECE = 64 * 1024
_END_OF_HEADERS = b"\r\n\r\n"
_LENGTH = re.compile(rb"^content-length[ \t]*:[ \t]*([0-9]{1,18})[ \t]*\r$", re.IGNORECASE | re.MULTILINE)
_IN_CHUNKS = re.compile(rb"^transfer-encoding[ \t]*:", re.IGNORECASE | re.MULTILINE)
_ASKS_TO_CONTINUE = re.compile(rb"^expect[ \t]*:[ \t]*100-continue[ \t]*\r$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on a client's time, in seconds, and on what is held for it, in bytes."""

    stall_seconds: float = 20
    """Between two pieces of a body or a response; half of it for all headers of a request."""
    idle_seconds: float = 30
    """Between two requests."""
    closing_seconds: float = 2
    """For the client to read the last response and close its side."""
    slowest: int = 16 * 1024
    """Bytes a second, on average, once ``stall_seconds`` have passed."""
    headers: int = PIECE
    largest_body: int = 64 * 1024 * 1024
    """A larger body is not read: the site refuses it by its length."""
    small_body: int = PIECE
    """A body up to this size is taken however much is held already."""
    held: int = 256 * 1024 * 1024
    """For all larger bodies together."""
    unsent: int = 8 * 1024 * 1024
    """For one response. The rest of a longer one waits for its reader in a thread; at most half of the threads may do so."""
    unsent_together: int = 256 * 1024 * 1024
    """For all responses that wait for their readers without a thread."""


class ConnectionState(Enum):
    """The states of a connection: what it waits for."""

    REQUEST = auto()
    HEADERS = auto()
    BODY = auto()
    ANSWER = auto()
    READER = auto()
    CLOSE = auto()


class RefusedError(Exception):
    """The server takes nothing more from this client; the message is the status line."""


TOO_LONG = "431 Request Header Fields Too Large"
TOO_MUCH_AT_ONCE = "503 Service Unavailable"


class Store:
    """The amount held for all connections of a process, and the threads that may wait for readers."""

    def __init__(self, threads: int) -> None:
        self.held = 0
        self.make_room: Callable[[Connection, int], None] = lambda *_: None
        """Frees room for a part of a body, if there is some to free."""
        self.readers = Readers(max(1, threads // 2))


class Readers:
    """The connections whose threads wait for their readers. If they are too many, the slowest of the address with most gives way."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, Lock()
        self._waiting: set[Connection] = set()

    def enter(self, connection: Connection) -> bool:
        """Add a connection; return False if there is no room for it."""
        with self._lock:
            if len(self._waiting) >= self._most:
                counts = Counter(each.address for each in [connection, *self._waiting])
                crowded = max(counts, key=counts.__getitem__)  # of several the newcomer's, which is counted first
                last = min((each for each in self._waiting if each.address == crowded), key=Connection.speed, default=None)
                if last is None:
                    return False
                last.gives_way = True
                self._waiting.discard(last)
                with suppress(OSError):  # the client may have gone
                    last.network.shutdown(socket.SHUT_RDWR)  # so that its thread stops waiting at once
            self._waiting.add(connection)
            return True

    def leave(self, connection: Connection) -> None:
        """Remove a connection, if it has not given way."""
        with self._lock:
            self._waiting.discard(connection)


class Connection:
    """A client's connection. gunicorn's worker reads ``sock`` and writes to it in a thread, as with its own connections.

    One thread at a time touches it: the worker's loop, or, from ``ConnectionState.ANSWER`` until the response is finished, a thread.
    """

    is_http2 = False
    initialized = data_ready = True

    def __init__(self, cfg: Config, network: socket.socket, client: Any, server: Any, limits: Limits, store: Store) -> None:
        network.setblocking(False)  # noqa: FBT003 — a socket's
        self.network, self.client, self.server = network, client, server
        self.limits, self.store = limits, store
        self.sock = ClientSocket(self)
        self.parser = RequestParser(cfg, self.sock, client)
        self.unsent: deque[memoryview] = deque()
        self.is_last = self.gives_way = False
        self.held = 0
        self._begin(ConnectionState.REQUEST, limits.stall_seconds / 2)

    def init(self) -> None:
        """Do nothing: the connection is ready."""

    def fileno(self) -> int:
        """Return the socket's descriptor, for the loop's selector."""
        return self.network.fileno()

    @property
    def address(self) -> str:
        """The client's address without its port; an empty string for a Unix socket."""
        return str(self.client[0]) if isinstance(self.client, tuple) else ""

    # Requests

    def receive(self) -> bool:
        """Read what has arrived; return True if the request is complete."""
        data = self.network.recv(PIECE)
        if not data:
            raise ConnectionResetError(errno.ECONNRESET, "the client has gone")
        return self._take(data)

    def go_on(self) -> bool:
        """Wait for the next request; return True if it arrived together with the one before."""
        ahead = self.ahead
        self._begin(ConnectionState.REQUEST, self.limits.idle_seconds)
        return bool(ahead) and self._take(ahead)

    def _begin(self, phase: ConnectionState, seconds: float) -> None:
        self._let_go()
        self.pieces: deque[bytes | bytearray] = deque()
        self.head, self.ahead, self.missing = bytearray(), b"", 0
        self._enter(phase, seconds)

    def _enter(self, phase: ConnectionState, seconds: float) -> None:
        self.phase, self.moved, self.seconds = phase, 0, seconds
        self.began = self.last = time.monotonic()

    def _take(self, data: bytes) -> bool:
        if self.phase is ConnectionState.REQUEST:
            data = data.lstrip(b"\r\n")
            if not data:
                return False
            self._enter(ConnectionState.HEADERS, self.limits.stall_seconds / 2)
        if self.phase is ConnectionState.HEADERS:
            rest = self._take_headers(data)
            if rest is None:
                return False
            data = rest
        self._take_body(data)
        return self.missing == 0

    def _take_headers(self, data: bytes) -> bytes | None:
        """Add to the headers; return what follows them, or None if they are incomplete."""
        searched = max(0, len(self.head) - len(_END_OF_HEADERS))
        self.head += data
        end = self.head.find(_END_OF_HEADERS, searched)
        if (end if end >= 0 else len(self.head)) > self.limits.headers:
            raise RefusedError(TOO_LONG)
        if end < 0:
            return None
        rest = bytes(self.head[end + len(_END_OF_HEADERS) :])
        del self.head[end + len(_END_OF_HEADERS) :]
        self._expect_body(len(rest))
        self.pieces.append(bytes(self.head))
        return rest

    def _expect_body(self, arrived: int) -> None:
        """Read the body's length. A chunked or too large body is not read: the site refuses both."""
        found = _LENGTH.search(self.head)
        self.missing = int(found[1]) if found else 0
        if _IN_CHUNKS.search(self.head) or self.missing > self.limits.largest_body:
            self.missing, self.is_last = 0, True
        self.is_small = self.missing <= self.limits.small_body
        self._enter(ConnectionState.BODY, self.limits.stall_seconds)
        if self.missing > arrived and _ASKS_TO_CONTINUE.search(self.head):
            with suppress(BlockingIOError):  # who asks is not reading, and sends the body after a while in any case
                self.network.send(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _take_body(self, data: bytes) -> None:
        part, self.ahead = data[: self.missing], b"" if self.is_last else data[self.missing :]
        if not self.is_small:
            if self.store.held + len(part) > self.limits.held:
                self.store.make_room(self, len(part))
            if self.store.held + len(part) > self.limits.held:
                raise RefusedError(TOO_MUCH_AT_ONCE)
            self.held += len(part)
            self.store.held += len(part)
        if part:
            self._keep(part)
            self.missing -= len(part)
            self._moved(len(part))

    def _keep(self, part: bytes) -> None:
        """Keep a part of the body, with the one before while that is small: in parts of two bytes it would take thirty times its size."""
        last = self.pieces[-1]
        if isinstance(last, bytearray) and len(last) < PIECE:
            last += part
        else:
            self.pieces.append(bytearray(part))

    def _let_go(self) -> None:
        self.store.held -= self.held
        self.held = 0

    # Answers

    def answer(self) -> None:
        """Leave the connection to a thread."""
        self._enter(ConnectionState.ANSWER, 0)

    def send_rest(self) -> bool:
        """Send as much of the response as possible; return True if nothing is left."""
        if self.phase is not ConnectionState.READER:
            self._enter(ConnectionState.READER, self.limits.stall_seconds)
        self.send_now()
        return not self.unsent

    def send_now(self) -> None:
        """Send what the client takes at once."""
        try:
            while self.unsent:
                sent = self.network.send(self.unsent[0])
                self._moved(sent)
                rest = self.unsent.popleft()[sent:]
                if rest:
                    self.unsent.appendleft(rest)
        except BlockingIOError:
            return

    def wait_for_reader(self) -> None:
        """Wait, in the thread of a long response, until there is room for more, as long as the client keeps reading."""
        self._enter(ConnectionState.READER, self.limits.stall_seconds)
        self.gives_way = False
        if not self.store.readers.enter(self):
            raise ConnectionResetError(errno.ECONNRESET, "too many clients read too slowly")
        try:
            poller = select.poll()
            poller.register(self.network, select.POLLOUT)
            while self.unsent_bytes > self.limits.unsent // 2:
                if self.gives_way or self.is_overdue(time.monotonic()):
                    raise ConnectionResetError(errno.ECONNRESET, "the client reads too slowly")
                poller.poll(1_000)
                self.send_now()
        finally:
            self.store.readers.leave(self)

    def speed(self) -> float:
        """Return the bytes a second that the client has read or sent in this phase."""
        return self.moved / max(time.monotonic() - self.began, 0.001)

    @property
    def unsent_bytes(self) -> int:
        """The number of bytes held of the response."""
        return sum(map(len, self.unsent))

    # Ends

    def is_overdue(self, now: float) -> bool:
        """Return True if the client took too long: altogether, since its last byte, or on average."""
        if self.phase is ConnectionState.ANSWER:
            return False
        if self.phase in (ConnectionState.BODY, ConnectionState.READER):
            return now > min(self.last + self.seconds, self.began + self.seconds + self.moved / self.limits.slowest)
        return now > self.began + self.seconds

    def refuse(self, status: str) -> None:
        """Send the reason why nothing more is taken."""
        text = f"HTTP/1.1 {status}\r\nConnection: close\r\nRetry-After: 30\r\nContent-Length: 0\r\n\r\n"
        self.unsent.append(memoryview(text.encode()))
        self.send_now()

    def begin_close(self) -> None:
        """Shut the sending side down. What the client still sends is ignored for a moment, so that it reads the last response."""
        self._begin(ConnectionState.CLOSE, self.limits.closing_seconds)
        self.network.shutdown(socket.SHUT_WR)

    def is_closed_by_client(self) -> bool:
        """Ignore what still arrives; return True once the client has closed."""
        return not self.network.recv(PIECE)

    def close(self, *, graceful: bool = False) -> None:
        """Close the connection and free what is held for it."""
        del graceful
        self._let_go()
        self.pieces.clear()
        self.unsent.clear()
        self.network.close()

    def _moved(self, count: int) -> None:
        self.moved += count
        self.last = time.monotonic()


class ClientSocket:
    """A stand-in for the socket that gunicorn reads a request from and writes a response to: neither waits for the client."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.is_closed = False

    def recv(self, size: int) -> bytes:
        """Return a piece of the request; empty after its end."""
        pieces = self._connection.pieces
        if not pieces:
            return b""
        piece = pieces.popleft()
        if len(piece) > size:
            pieces.appendleft(piece[size:])
        return bytes(piece[:size])

    def sendall(self, data: bytes) -> None:
        """Send data, and keep for later what the client does not take now."""
        connection = self._connection
        if self.is_closed:
            raise ConnectionResetError(errno.ECONNRESET, "closed")
        connection.unsent.append(memoryview(bytes(data)))
        connection.send_now()
        if connection.unsent and connection.unsent_bytes > connection.limits.unsent:
            connection.wait_for_reader()

    def send(self, data: bytes) -> int:
        """Ignore ``100 Continue``, all that is sent this way: the body is here already."""
        return len(data)

    def close(self) -> None:
        """Leave closing to the worker's loop."""
        self.is_closed = True

    def shutdown(self, how: int) -> None:
        """Leave closing to the worker's loop."""
        del how
        self.is_closed = True

    def setblocking(self, flag: bool) -> None:  # noqa: FBT001 — a socket's
        """Do nothing: this socket never waits."""

    def settimeout(self, value: float | None) -> None:
        """Do nothing: this socket never waits."""

    def gettimeout(self) -> float | None:
        """Return None: there is no timeout."""
        return None
