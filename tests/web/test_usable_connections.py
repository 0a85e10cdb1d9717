"""A connection is asked whether it is there no more often than it takes; one that was ended is found out at once."""

from __future__ import annotations

import time

import psycopg
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reviewers.web.postgresql import base
from tests.factories import make_member, make_organisation, sign_in


def end(pid: int) -> None:
    """As when the server is restarted."""
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor}, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [pid])
        while other.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", [pid]).fetchone():
            time.sleep(0.01)


def backend() -> int:
    connection.ensure_connection()
    return connection.connection.info.backend_pid


def test_a_connection_that_was_ended_is_replaced_before_the_next_request(committed):
    browser = sign_in(make_member(make_organisation()))
    assert browser.get("/queue/").status_code == 200
    assert connection.is_usable()
    before = backend()
    end(before)

    assert not connection.is_usable()
    connection.close()
    assert browser.get("/queue/").status_code == 200
    assert backend() != before


def test_one_that_answered_a_moment_ago_is_not_asked_again(committed, monkeypatch):
    backend()
    asked = []
    is_usable = base.base.DatabaseWrapper.is_usable
    monkeypatch.setattr(base.base.DatabaseWrapper, "is_usable", lambda self: asked.append(1) or is_usable(self))
    connection._answered_at = float("-inf")

    assert [connection.is_usable() for _ in range(3)] == [True] * 3
    assert len(asked) == 1
    connection._answered_at -= base._TRUSTED_FOR
    assert connection.is_usable()
    assert len(asked) == 2


def test_a_page_finds_who_is_signed_in_in_two_statements(organisation, alice):
    browser = sign_in(alice)
    with CaptureQueriesContext(connection) as captured:
        browser.get("/queue/")

    about_people = [each["sql"] for each in captured if '"accounts_user"."password"' in each["sql"] or "django_session" in each["sql"]]
    assert len(about_people) == 2
