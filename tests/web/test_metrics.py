"""Metrics: behind a token, true to what is in the database, over all processes, and without a word of anybody."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from reviewers.accounts.models import Organisation
from reviewers.ledger.sequencer import seal_all
from reviewers.web.http.request_counts import BUCKETS, KINDS, RequestCounts
from tests.api.sending import post, program_of
from tests.factories import make_item, make_organisation, make_record
from tests.ledger.deeds import PROTECTED, RECORD

TOKEN = "a-token-of-this-test"
SAMPLE = re.compile(r'^(footnote_[a-z_]+)(?:\{((?:[a-z]+="[A-Za-z0-9_.+]+",?)*)\})? (\S+)$')


@pytest.fixture
def token(settings):
    settings.METRICS_TOKEN = TOKEN
    return TOKEN


def scrape(given: str = TOKEN):
    return Client(headers={"Authorization": f"Bearer {given}"}).get("/metrics")


def values() -> dict[str, float]:
    """The samples by name and labels; every line that is not a comment must be one."""
    lines = [line for line in scrape().content.decode().splitlines() if not line.startswith("# ")]
    found = [SAMPLE.fullmatch(line) for line in lines]
    assert all(found), lines
    return {f"{match[1]}{{{match[2]}}}" if match[2] else match[1]: float(match[3]) for match in found if match}


def test_without_a_token_in_the_settings_there_is_no_such_page(db, settings):
    settings.METRICS_TOKEN = ""
    assert [scrape(given).status_code for given in ("", TOKEN)] == [404, 404]


@pytest.mark.parametrize("header", [None, "", "Bearer ", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", "Bearer é"])
def test_without_the_token_nothing_is_told(db, token, header):
    refused = Client().get("/metrics", headers={} if header is None else {"Authorization": header})

    assert (refused.status_code, refused["WWW-Authenticate"]) == (401, "Bearer")
    assert b"footnote_" not in refused.content


def test_the_format_is_prometheus_text(db, token):
    response = scrape()

    assert (response.status_code, response["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    text = response.content.decode()
    names = re.findall(r"^# TYPE (\S+) (?:counter|gauge|histogram)$", text, re.MULTILINE)
    assert len(names) == len(set(names)) >= 13
    assert re.findall(r"^# HELP (\S+) \S", text, re.MULTILINE) == names
    assert text.endswith("\n")


def test_the_queue_is_that_of_all_organisations(db, token):
    for organisation in (make_organisation(), make_organisation()):
        make_item(organisation)
    before = values()
    post(program_of(Organisation.objects.first()), make_record(answered_at=(timezone.now() - timedelta(hours=2)).isoformat()))

    after = values()
    assert (before["footnote_queue_depth"], after["footnote_queue_depth"]) == (2, 3)
    assert after["footnote_snapshots_recent"] == before["footnote_snapshots_recent"] + 1
    assert after["footnote_queue_age_seconds"] >= 7_200


def test_the_sealing_lag_is_that_of_the_oldest_event(organisation, token, settings, tmp_path):
    settings.LEDGER_FOLDER = tmp_path
    post(program_of(organisation), make_record())

    waiting = values()
    assert waiting["footnote_events_unsealed"] > 0
    assert 0 <= waiting["footnote_sealing_lag_seconds"] < 60
    seal_all(now=timezone.now())
    assert [values()[name] for name in ("footnote_events_unsealed", "footnote_sealing_lag_seconds")] == [0, 0]


def test_open_alarms_and_failed_jobs_are_counted(organisation, token):
    Organisation.objects.filter(pk=organisation.pk).update(open_alarms=2)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO procrastinate_jobs (queue_name, task_name, status) VALUES ('long', 'a', 'failed'), ('long', 'b', 'todo')"
        )

    found = values()

    assert found["footnote_alarms_open"] == 2
    assert found['footnote_jobs{queue="long",state="failed"}'] == 1
    assert found['footnote_jobs{queue="long",state="todo"}'] >= 1


def test_requests_are_counted_by_kind_and_status(organisation, token):
    before = values()
    post(program_of(organisation), make_record())
    Client().get("/nowhere/")

    after = values()
    grown = {name for name, value in after.items() if name.startswith("footnote_requests_total") and value > before[name]}
    assert {'footnote_requests_total{kind="ingest",status="2xx"}', 'footnote_requests_total{kind="page",status="4xx"}'} <= grown
    for kind in KINDS:
        buckets = [
            after[f'footnote_request_seconds_bucket{{kind="{kind}",le="{bound}"}}'] for bound in [*(f"{b:g}" for b in BUCKETS), "+Inf"]
        ]
        assert buckets == sorted(buckets)
        assert buckets[-1] == after[f'footnote_request_seconds_count{{kind="{kind}"}}']


def count_and_die(counts: RequestCounts, row: int) -> None:
    counts.take_row(row)
    for _ in range(1_000):
        counts.add("api", 200, 0.02)
    os.kill(os.getpid(), signal.SIGKILL)


def test_counts_of_several_processes_add_up_and_outlive_a_kill():
    counts = RequestCounts()
    forked = [multiprocessing.get_context("fork").Process(target=count_and_die, args=(counts, row)) for row in (1, 2, 65)]
    for process in forked[:2]:
        process.start()
    for process in forked[:2]:
        process.join()
    forked[2].start()  # it takes the row of one that is gone
    forked[2].join()

    (api,) = (each for each in counts.read() if each.kind == "api")
    assert api.by_status == {"1xx": 0, "2xx": 3_000, "3xx": 0, "4xx": 0, "5xx": 0}
    assert (sum(api.by_bucket), api.by_bucket[1], round(api.seconds)) == (3_000, 3_000, 60)


def test_nothing_of_a_record_or_an_organisation_is_told(organisation, token):
    post(program_of(organisation), make_record(**RECORD))

    text = scrape().content.decode()

    assert not [word for word in [*PROTECTED.values(), str(organisation.pk), organisation.name, organisation.slug] if word in text]


def test_without_a_database_that_is_told(token, django_db_setup, django_db_blocker, monkeypatch, settings):
    with django_db_blocker.unblock():
        connection.close()
        monkeypatch.setitem(connection.settings_dict, "HOST", str(settings.VAR / "nowhere"))
        found = values()
        connection.close()

    assert found["footnote_database_up"] == 0
    assert 'footnote_requests_total{kind="page",status="2xx"}' in found
