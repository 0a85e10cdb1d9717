"""A program with a key of Alice's organisation, and a site that programs reach by a port."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Thread
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from django.db import connections
from django.test import Client

from reviewers.wsgi import application
from tests.api.sending import program_of


@pytest.fixture
def program(organisation) -> Client:
    return program_of(organisation)


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        """Keep requests out of the tests' output."""


@pytest.fixture
def port() -> Iterator[int]:
    """The port of the site, served by a thread with a connection of its own to the database."""

    def serve() -> None:
        server.serve_forever()
        connections.close_all()

    with make_server("127.0.0.1", 0, application, handler_class=_Quiet) as server:
        thread = Thread(target=serve)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()
