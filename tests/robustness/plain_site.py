"""A site without a database, behind the server's own configuration: what is asked of it is only that it answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

PIECE = b"x" * 64 * 1024


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answer ``/long/<number>`` with so many pieces, ``/wait/<seconds>`` after so long, and everything else with the length of the body."""
    path = environ["PATH_INFO"]
    if path.startswith("/long/"):
        count = int(path.removeprefix("/long/"))
        start_response("200 OK", [("Content-Length", str(count * len(PIECE)))])
        return (PIECE for _ in range(count))
    if path.startswith("/wait/"):
        time.sleep(float(path.removeprefix("/wait/")))
    text = str(len(environ["wsgi.input"].read()) if path == "/read/" else 0).encode()
    start_response("200 OK", [("Content-Length", str(len(text)))])
    return [text]
