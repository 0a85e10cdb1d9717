"""A connection is checked where there is reason to; one that its other end has closed is always noticed."""

from __future__ import annotations

import gc
import time
from types import SimpleNamespace

import psycopg
import pytest
from asgiref.sync import sync_to_async
from django.contrib.sessions.backends.base import UpdateError
from django.db import OperationalError, connection
from psycopg.conninfo import make_conninfo

from reviewers.accounts.sessions import SessionStore
from reviewers.web.http import server
from reviewers.web.management.commands import work

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


def test_a_session_that_cannot_be_saved_for_it_was_not_ended_by_anybody():
    """Otherwise the answer says that the request was malformed, when its act may be done."""
    session = SessionStore()
    session.create()
    connection.ensure_connection()
    _hang_up(connection.connection.info.backend_pid)
    session["said"] = "done"

    with pytest.raises(OperationalError):
        session.save()

    connection.close()
    session.save()
    session.delete(session.session_key)
    with pytest.raises(UpdateError):
        session.save()


def test_no_statement_of_a_request_goes_on_for_ever(monkeypatch):
    """It would hold a thread and a connection, and others would wait for its locks."""
    before = gc.get_threshold()
    monkeypatch.setenv("PGOPTIONS", "")
    try:
        server.post_fork(None, SimpleNamespace(age=1))
    finally:
        gc.set_threshold(*before)
    connection.close()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SHOW statement_timeout")
            assert cursor.fetchone() == ("1min",)
    finally:
        connection.close()


def test_no_statement_of_a_job_goes_on_for_ever(monkeypatch):
    """It would hold its place in the queue, and others would wait for its locks."""
    monkeypatch.setenv("PGOPTIONS", "")
    monkeypatch.setattr(work, "_work", read_limit)
    monkeypatch.setattr(work, "background_loops", [])
    try:
        work.Command().handle(without_sealing=False)
    finally:
        connection.close()


async def read_limit(_: object) -> None:
    assert await sync_to_async(limit_now)() == "30min"


def limit_now() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SHOW statement_timeout")
            return str(cursor.fetchone()[0])
    finally:
        connection.close()
