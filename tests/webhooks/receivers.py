"""A receiver of webhooks on this machine that answers as it is told, over HTTPS."""

from __future__ import annotations

import datetime as dt
import os
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


@dataclass(frozen=True)
class Message:
    """A message as it came."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]


Reply = Callable[["Exchange"], None]


class Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.script.came.append(Message(self.path, headers, body))
        self.server.script.reply(self)
        self.close_connection = True

    def do_GET(self) -> None:
        """Whoever follows a redirect comes with GET."""
        self.server.script.came.append(Message(self.path, {}, b""))
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 — as it is called there
        """Say nothing."""


@dataclass
class Script:
    """The reply, and the messages that came."""

    reply: Reply
    url: str = ""
    came: list[Message] = field(default_factory=list)
    is_closing: threading.Event = field(default_factory=threading.Event)


class Receiver(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), Exchange)
        self.script = script

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that have had enough hang up."""


def answering(status: int, headers: Mapping[str, str] | None = None) -> Reply:
    def reply(exchange: Exchange) -> None:
        exchange.send_response(status)
        for name, value in {"Content-Length": "0", **(headers or {})}.items():
            exchange.send_header(name, value)
        exchange.end_headers()

    return reply


def unencrypted(exchange: Exchange) -> None:
    """Answer below the encryption, as a gateway does that breaks off."""
    with socket.socket(fileno=os.dup(exchange.connection.fileno())) as below:
        below.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def announcing(exchange: Exchange) -> None:
    """Say for ever that an answer will come."""
    while not exchange.server.script.is_closing.is_set():
        exchange.wfile.write(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 100)


def never(exchange: Exchange) -> None:
    """Answer nothing while the receiver runs."""
    exchange.server.script.is_closing.wait(60)


def make_certificate(folder: Path) -> Path:
    """A certificate of localhost that it signed itself, and its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    day, now = dt.timedelta(days=1), dt.datetime.now(dt.UTC)
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now - day, now + day)
    signed = builder.add_extension(names, critical=False).sign(key, hashes.SHA256())
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = folder / "certificate.pem"
    path.write_bytes(private + signed.public_bytes(serialization.Encoding.PEM))
    return path


@contextmanager
def receiving(certificate: Path, reply: Reply) -> Iterator[Script]:
    """The receiver while it runs, on a port of its own."""
    script, context = Script(reply), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with Receiver(script) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        script.url = f"https://localhost:{server.server_port}/hook?from=footnote"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield script
        finally:
            script.is_closing.set()
            server.shutdown()
            thread.join()
