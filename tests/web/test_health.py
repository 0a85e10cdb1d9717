"""When the database is away the site says so: to whoever watches it, and to people in words."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client


@pytest.fixture
def database_away(django_db_setup, django_db_blocker, monkeypatch):
    """Nothing answers where the database is looked for."""
    with django_db_blocker.unblock():
        connection.close()
        monkeypatch.setitem(connection.settings_dict, "HOST", str(settings.VAR / "nowhere"))
        yield
        connection.close()


def test_health_is_good_while_the_database_answers(client, db):
    response = client.get("/health/")

    assert (response.status_code, response.content, response["Content-Type"]) == (200, b"ok\n", "text/plain")


def test_health_is_bad_while_it_does_not(client, database_away):
    response = client.get("/health/")

    assert (response.status_code, response.content) == (503, b"the database does not answer\n")


def test_health_is_good_again_afterwards(client, database_away, monkeypatch):
    away = client.get("/health/").status_code
    monkeypatch.undo()

    assert (away, client.get("/health/").status_code) == (503, 200)


@pytest.mark.parametrize("path", ["/health/live", "/health/ready", "/health/"])
def test_a_process_is_live_and_ready_while_the_database_answers(client, db, path):
    assert (client.get(path).status_code, client.get(path).content) == (200, b"ok\n")


def test_a_process_without_its_database_is_live_but_not_ready(client, database_away):
    assert [client.get(f"/health/{question}").status_code for question in ("live", "ready")] == [200, 503]


def test_a_page_says_in_words_that_something_failed(database_away):
    client = Client(raise_request_exception=False)
    client.cookies["sessionid"] = "a" * 32

    response = client.get("/queue/")

    text = response.content.decode()
    assert response.status_code == 500
    assert "<h1>Something failed on our side</h1>" in text
    assert "Nothing that was acknowledged is lost." in text
    assert 'rel="stylesheet"' in text
    assert "nowhere" not in text
    assert "Traceback" not in text
