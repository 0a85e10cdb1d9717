"""How gunicorn serves the site. Processes hold no state: more of them may stand behind a balancer."""

from __future__ import annotations

import gc
import os
from typing import Any

worker_class = "gthread"
workers = int(os.environ.get("FOOTNOTE_WEB_WORKERS", "2"))
threads = int(os.environ.get("FOOTNOTE_WEB_THREADS", "4"))
preload_app = True
timeout = 60
graceful_timeout = 20
keepalive = 30
control_socket_disable = True
limit_request_line = 8_190
accesslog = None
errorlog = "-"
loglevel = "warning"


def when_ready(server: Any) -> None:
    """What is loaded now stays: the collector need not look at it again, nor need each process have its own copy."""
    del server
    gc.collect()
    gc.freeze()


def post_fork(server: Any, worker: Any) -> None:
    """Requests make many short-lived tuples; looking for cycles among them every 700 costs a tenth of the time."""
    del server, worker
    gc.set_threshold(50_000, 20, 100)
