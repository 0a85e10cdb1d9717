"""How gunicorn serves the site. Processes hold no state: more of them may stand behind a balancer."""

from __future__ import annotations

import gc
import os
from typing import Any

from gunicorn.config import Config
from gunicorn.glogging import Logger
from gunicorn.http.message import Request
from gunicorn.workers.gthread import ThreadWorker

COLLECTOR = (50_000, 20, 100)
"""Requests make many short-lived tuples; looking for cycles among them every 700 costs a tenth of the time."""

_LARGE_REQUEST = 256 * 1024


class ServerLog(Logger):
    """What the server itself has to say goes the way of the site's lines, which hold no queries."""

    def setup(self, cfg: Config) -> None:
        """Leave the handlers to the site's settings."""
        super().setup(cfg)
        self.error_log.handlers.clear()
        self.error_log.propagate = True


class ServerWorker(ThreadWorker):
    """Answers requests in threads. Without its master it finishes what it has begun and lets go of the port at once, for another master."""

    alive: bool

    def handle_request(self, req: Request, conn: Any) -> bool:
        """A large request, such as a batch, ends its connection: the client's next one goes to whichever process is free."""
        if any(name == "CONTENT-LENGTH" and value.isdecimal() and int(value) > _LARGE_REQUEST for name, value in req.headers):
            req.headers.insert(0, ("CONNECTION", "close"))
        answered: bool = super().handle_request(req, conn)
        return answered

    def is_parent_alive(self) -> bool:
        """Asked every second."""
        if super().is_parent_alive():
            return True
        self.alive = False  # so that no connection waits for another request
        self.set_accept_enabled(enabled=False)
        for listener in self.sockets:
            listener.close()
        return False


worker_class = ServerWorker
workers = int(os.environ.get("FOOTNOTE_WEB_WORKERS", "2"))
threads = int(os.environ.get("FOOTNOTE_WEB_THREADS", "4"))
preload_app = True
timeout = 60
graceful_timeout = 20
keepalive = 30
control_socket_disable = True
limit_request_line = 8_190
accesslog = None
logger_class = ServerLog
loglevel = "warning"


def when_ready(server: Any) -> None:
    """What is loaded now stays: the collector need not look at it again, nor need each process have its own copy."""
    del server
    gc.collect()
    gc.freeze()


def post_fork(server: Any, worker: Any) -> None:
    """Look for cycles as ``COLLECTOR`` says."""
    del server, worker
    gc.set_threshold(*COLLECTOR)
