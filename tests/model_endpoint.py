"""A small server on this machine that behaves as an endpoint of chat completions does, well or badly, as it is told."""

from __future__ import annotations

import gzip
import json
import os
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "a-key-of-quartz"
NAME = "careful-1"
PATH = "/v1/chat/completions"
_TICK = 0.01


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    body: Any

    @property
    def texts(self) -> list[str]:
        return [message["content"] for message in self.body["messages"]]


class Exchange(BaseHTTPRequestHandler):
    """One request and what is written back."""

    protocol_version = "HTTP/1.1"
    server: ModelServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.server.take(Asked(self.path, dict(self.headers), body))
        if self.path != PATH:
            reply = fails(404, "unknown_url", f"Unknown request URL: POST {self.path}")
        elif self.headers["Authorization"] != self.server.script.authorization:
            reply = fails(401, "invalid_api_key", f"Incorrect API key provided: {self.headers['Authorization']}")
        reply(self)
        self.close_connection = True

    def answer(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.begin(status, {"Content-Length": str(len(body)), "Content-Type": "application/json"} | dict(headers or {}))
        self.wfile.write(body)

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 — as it is called there
        """Say nothing."""


Reply = Callable[[Exchange], None]


@dataclass
class Script:
    """The replies in order, of which the last one repeats; the expected header; and the requests that came."""

    replies: list[Reply] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    url: str = ""
    authorization: str | None = f"Bearer {KEY}"

    def say(self, *replies: Reply) -> None:
        self.replies[:] = replies


class ModelServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), Exchange)
        self.script = script
        self.is_closing = threading.Event()

    def take(self, asked: Asked) -> Reply:
        self.script.asked.append(asked)
        return self.script.replies.pop(0) if len(self.script.replies) > 1 else self.script.replies[0]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that have had enough hang up."""


@contextmanager
def serving(*replies: Reply, tls: ssl.SSLContext | None = None) -> Iterator[Script]:
    """The server while it runs, on a port of its own."""
    script = Script(list(replies))
    with ModelServer(script) as server:
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        script.url = f"{'https' if tls else 'http'}://localhost:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, args=(_TICK,))
        thread.start()
        try:
            yield script
        finally:
            server.is_closing.set()
            server.shutdown()
            thread.join()


def closed_port() -> int:
    """A port that nothing listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


# Good replies


def citing(*citations: tuple[Any, Any, Any]) -> Reply:
    """A model's reply with such claims, numbers of sources and confidences."""
    named = [dict(zip(("claim", "sourceIndex", "confidence"), each, strict=True)) for each in citations]
    return saying(json.dumps({"citations": named}))


def saying(text: Any, ended: str = "stop", **message: Any) -> Reply:
    """A chat completion with such a text."""
    return sending(json.dumps(completion(text, ended, **message)).encode())


def completion(text: Any, ended: str = "stop", **message: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text, "refusal": None} | message, "finish_reason": ended}
    usage = {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960}
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": NAME, "choices": [choice], "usage": usage}


def sending(body: bytes, status: int = 200, **headers: str) -> Reply:
    """These very bytes."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda exchange: exchange.answer(status, body, named)


# Bad ones


def unencrypted(exchange: Exchange) -> None:
    """An answer below the encryption, as a gateway gives one that breaks off."""
    with socket.socket(fileno=os.dup(exchange.connection.fileno())) as below:
        below.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def fails(status: int, code: str | None = None, message: str = "Something is wrong.", param: str | None = None, **headers: str) -> Reply:
    """An error in the shape in which endpoints send them."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return sending(json.dumps({"error": error}).encode(), status, **headers)


def late(seconds: float, then: Reply) -> Reply:
    """Another reply, after so long."""

    def reply(exchange: Exchange) -> None:
        if not exchange.server.is_closing.wait(seconds):
            then(exchange)

    return reply


def hanging_up(exchange: Exchange) -> None:
    """A connection reset instead of an answer."""
    exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    exchange.connection.close()


def cut_off(exchange: Exchange) -> None:
    """Half of a body."""
    exchange.begin(200, {"Content-Length": "1000", "Content-Type": "application/json"})
    exchange.wfile.write(b'{"id": "chatcmpl-1", "choices": [')


def endless(exchange: Exchange) -> None:
    """A body without end, as fast as it is taken."""
    exchange.begin(200, {"Content-Type": "application/json"})
    while not exchange.server.is_closing.is_set():
        exchange.wfile.write(b" " * 65_536)


def dripping(exchange: Exchange) -> None:
    """A body of single bytes, none of them long after the other."""
    exchange.begin(200, {"Content-Length": "100000", "Content-Type": "application/json"})
    while not exchange.server.is_closing.wait(_TICK):
        exchange.wfile.write(b" ")


def dripping_headers(exchange: Exchange) -> None:
    """Send headers slowly, before there is a body."""
    exchange.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not exchange.server.is_closing.wait(_TICK):
        exchange.wfile.write(b"x")


def bomb(exchange: Exchange) -> None:
    """A few kilobytes that unfold to many megabytes."""
    exchange.answer(200, gzip.compress(b" " * 50_000_000), {"Content-Encoding": "gzip"})
