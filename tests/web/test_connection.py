"""Whether a connection works still is asked where there is reason to; that its other end has hung up is always seen."""

from __future__ import annotations

import time

import psycopg
import pytest
from django.db import connection
from psycopg.conninfo import make_conninfo

pytestmark = pytest.mark.usefixtures("committed")


def _hang_up(pid: int) -> None:
    """As a server does that is stopped."""
    parameters = connection.get_connection_params()
    address = make_conninfo(**{name: parameters[name] for name in ("dbname", "user", "host", "port") if parameters.get(name)})
    with psycopg.connect(address, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])


def test_one_that_works_is_usable_time_after_time():
    connection.ensure_connection()
    assert connection.is_usable()
    assert connection.is_usable()


def test_one_that_was_hung_up_is_not_though_it_worked_a_moment_ago():
    connection.ensure_connection()
    assert connection.is_usable()

    _hang_up(connection.connection.info.backend_pid)

    deadline = time.monotonic() + 5
    while connection.is_usable() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not connection.is_usable()


def test_one_that_was_closed_here_is_not():
    connection.ensure_connection()
    assert connection.is_usable()
    connection.connection.close()
    assert not connection.is_usable()
