"""gunicorn's settings and worker. Processes hold no state: several may run behind a load balancer."""

from __future__ import annotations

import errno
import gc
import os
import selectors
import socket
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

from gunicorn.config import Config
from gunicorn.glogging import Logger
from gunicorn.http.message import Request
from gunicorn.workers.gthread import ThreadWorker

from reviewers.web.config import limit_statements, read_bool
from reviewers.web.http.connections import Connection, ConnectionState, Limits, RefusedError, Store
from reviewers.web.http.request_counts import request_counts
from reviewers.web.http.request_queue import RequestQueue, client_of

COLLECTOR = (50_000, 20, 100)
"""Thresholds of Python's cycle collector. Requests make many short-lived tuples; the default of 700 costs a tenth of the time."""

LONGEST_STATEMENT = 60
"""Seconds after which the database ends a statement of a request, such as one that waits for a lock. The worker's may take half an hour."""

_LARGE_REQUEST = 256 * 1024

_SPARE = 50
"""Connections in threads or closing, beside those that may wait."""

_IS_BEHIND_PROXY = read_bool("FOOTNOTE_BEHIND_PROXY", default=False)

LIMITS = Limits(stall_seconds=float(os.environ.get("FOOTNOTE_STALL_SECONDS", "20")))


class ServerLog(Logger):
    """The server's own messages go through the site's log handlers, which hold no queries."""

    def setup(self, cfg: Config) -> None:
        """Leave the handlers to the site's settings."""
        super().setup(cfg)
        self.error_log.handlers.clear()
        self.error_log.propagate = True


class ServerWorker(ThreadWorker):
    """A worker that answers requests in threads, and reads and writes them without any: see ``connections``.

    Without its master it finishes its requests and releases the port at once, for another master.
    """

    alive: bool
    nr_conns: int

    def init_process(self) -> None:
        """Begin without a connection."""
        self._parked: dict[Connection, int] = {}
        self._store, self._checked = Store(self.cfg.threads), 0.0
        self._store.make_room = self._make_room_for_body
        self._queue = RequestQueue[Connection](self.cfg.threads)
        super().init_process()

    def accept(self, listener: socket.socket) -> None:
        """Accept a connection. If there are too many, drop the one that has waited longest at the address with most of them."""
        try:
            network, client = listener.accept()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                self._make_room(len(self._parked) - 1)
            elif error.errno not in (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK):
                raise
            return
        self._make_room(self.worker_connections - self.cfg.threads - _SPARE)
        self.nr_conns += 1
        self._park(Connection(self.cfg, network, client, listener.getsockname(), LIMITS, self._store), selectors.EVENT_READ)

    def on_ready(self, connection: Connection, _: Any) -> None:
        """Continue with a connection that can be read or written."""
        if connection.fileno() >= 0:  # it may have been dropped for another in this round of the loop
            self._try(self._go_on, connection)

    def finish_request(self, conn: Connection, fs: Future[bool]) -> None:
        """Send the rest of the response, and wait for the next request or close."""
        self._queue.give_back(conn)
        conn.is_last = conn.is_last or not self.alive or fs.cancelled() or fs.exception() is not None or not fs.result()
        self._try(self._send, conn)
        if conn.phase is ConnectionState.READER:
            self._make_room_for_response()
        self._begin_waiting()

    def enqueue_req(self, conn: Connection) -> None:
        """Have a thread answer a request in its client's turn."""
        self._queue.add(client_of(bytes(conn.head), conn.address, is_behind_proxy=_IS_BEHIND_PROXY), conn)
        self._begin_waiting()

    def _begin_waiting(self) -> None:
        while (conn := self._queue.take()) is not None:
            super().enqueue_req(conn)

    def murder_keepalived(self, force: bool = False) -> None:  # noqa: FBT001, FBT002 — gunicorn's
        """Drop the connections that took too long, or all at the end. Called after each round of the loop, it acts once a second."""
        now = time.monotonic()
        if now - self._checked < 1 and not force:
            return
        self._checked = now
        for connection in list(self._parked):
            if force or connection.is_overdue(now) or (not self.alive and connection.phase is ConnectionState.REQUEST):
                self._drop(connection)

    def handle_request(self, req: Request, conn: Any) -> bool:
        """Close the connection after a large request, such as a batch: the client's next one goes to whichever process is free."""
        if any(name == "CONTENT-LENGTH" and value.isdecimal() and int(value) > _LARGE_REQUEST for name, value in req.headers):
            req.headers.insert(0, ("CONNECTION", "close"))
        answered: bool = super().handle_request(req, conn)
        return answered

    def is_parent_alive(self) -> bool:
        """Return True if the master lives; otherwise stop accepting. Called every second."""
        if super().is_parent_alive():
            return True
        self.alive = False  # so that no connection waits for another request
        self.set_accept_enabled(enabled=False)
        for listener in self.sockets:
            listener.close()
        return False

    def _try(self, step: Callable[[Connection], None], connection: Connection) -> None:
        """Take a step with a connection. Whatever its client does, the loop goes on: an error here would end the process."""
        try:
            try:
                step(connection)
            except RefusedError as refusal:
                connection.refuse(str(refusal))
                self._begin_close(connection)
        except BlockingIOError:
            return
        except OSError:
            self._drop(connection)

    def _go_on(self, connection: Connection) -> None:
        if connection.phase is ConnectionState.READER:
            self._send(connection)
        elif connection.phase is ConnectionState.CLOSE:
            if connection.is_closed_by_client():
                self._drop(connection)
        elif connection.receive():
            self._answer(connection)

    def _answer(self, connection: Connection) -> None:
        self._park(connection, 0)
        connection.answer()
        self.enqueue_req(connection)

    def _send(self, connection: Connection) -> None:
        if not connection.send_rest():
            self._park(connection, selectors.EVENT_WRITE)
        elif connection.is_last:
            self._begin_close(connection)
        elif connection.go_on():
            self._answer(connection)
        else:
            self._park(connection, selectors.EVENT_READ)

    def _begin_close(self, connection: Connection) -> None:
        try:
            connection.begin_close()
        except OSError:
            self._drop(connection)
        else:
            self._park(connection, selectors.EVENT_READ)

    def _park(self, connection: Connection, waits_for: int) -> None:
        """Have the loop wait for an event of a connection; for none while a thread has it."""
        before = self._parked.pop(connection, 0)
        if waits_for:
            self._parked[connection] = waits_for
        if before and waits_for:
            self.poller.modify(connection, waits_for, partial(self.on_ready, connection))
        elif waits_for:
            self.poller.register(connection, waits_for, partial(self.on_ready, connection))
        elif before:
            self.poller.unregister(connection)

    def _drop(self, connection: Connection) -> None:
        self._park(connection, 0)
        self.nr_conns -= 1
        connection.close()

    def _make_room(self, most: int) -> None:
        while len(self._parked) > max(most, 0):
            crowded, _ = Counter(each.address for each in self._parked).most_common(1)[0]
            self._drop(min((each for each in self._parked if each.address == crowded), key=lambda each: each.last))

    def _make_room_for_body(self, connection: Connection, size: int) -> None:
        """Drop bodies that have not arrived yet, the one that began first at the address that sends most, until there is room."""
        arriving = {each for each in self._parked if each.held and each.phase is ConnectionState.BODY} - {connection}
        while arriving and self._store.held + size > LIMITS.held:
            held: Counter[str] = Counter()
            for each in arriving:
                held[each.address] += each.held
            crowded, _ = held.most_common(1)[0]
            first = min((each for each in arriving if each.address == crowded), key=lambda each: each.began)
            arriving.discard(first)
            self._drop(first)

    def _make_room_for_response(self) -> None:
        """Drop responses that are not read, the one that began first at the address that most is held for, until there is room."""
        held = {each: each.unsent_bytes for each in self._parked if each.phase is ConnectionState.READER}
        while sum(held.values()) > LIMITS.unsent_together:
            by_address: Counter[str] = Counter()
            for each, size in held.items():
                by_address[each.address] += size
            crowded, _ = by_address.most_common(1)[0]
            first = min((each for each in held if each.address == crowded), key=lambda each: each.began)
            del held[first]
            self._drop(first)


worker_class = ServerWorker
workers = int(os.environ.get("FOOTNOTE_WEB_WORKERS", "2"))
threads = int(os.environ.get("FOOTNOTE_WEB_THREADS", "4"))
preload_app = True
timeout = 60
graceful_timeout = 20
keepalive = 30
worker_connections = 800
sendfile = False
control_socket_disable = True
limit_request_line = 8_190
forwarder_headers = ""  # by default a client of a proxy could set SCRIPT_NAME
accesslog = None
logger_class = ServerLog
loglevel = "warning"


def on_starting(server: Any) -> None:
    """Refuse to terminate TLS here: a connection that only shakes hands would occupy a thread again."""
    if server.cfg.is_ssl:
        message = "End TLS in a reverse proxy, and set FOOTNOTE_BEHIND_PROXY=1: this server speaks plain HTTP."
        raise SystemExit(message)


def when_ready(server: Any) -> None:
    """Exclude what is loaded now from the cycle collector, so that processes share it."""
    del server
    gc.collect()
    gc.freeze()


def post_fork(server: Any, worker: Any) -> None:
    """Set the thresholds of the cycle collector, and the limit of statements on the connections that the process will open."""
    del server
    request_counts.take_row(worker.age)
    gc.set_threshold(*COLLECTOR)
    limit_statements(LONGEST_STATEMENT)
