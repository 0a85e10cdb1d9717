"""A worker is killed while it looks for citations: another one does it again, and the result is there once."""

from __future__ import annotations

import psycopg
import pytest

from tests.factories import UNCITED
from tests.robustness.clients import post_record
from tests.robustness.processes import managing, wait_until
from tests.robustness.test_worker import RETRY, enqueue, is_blocked, let_work_age

SEARCH = "reviewers.snapshots.jobs.look_for_citations"


def jobs_of(connection, *states):
    query = "SELECT count(*) FROM procrastinate_jobs WHERE task_name = %s AND status::text = ANY(%s)"
    return connection.execute(query, [SEARCH, list(states)]).fetchone()[0]


def outcomes_of(connection, snapshot):
    query = (
        "SELECT result.outcome FROM snapshots_citationsearchresult result JOIN snapshots_citationsearch search ON search.id = search_id"
        " JOIN snapshots_snapshotattribution attribution ON attribution.id = attribution_id WHERE snapshot_id = %s"
    )
    return [outcome for (outcome,) in connection.execute(query, [snapshot])]


def ends_of(connection, snapshot):
    query = "SELECT count(*) FROM ledger_auditevent WHERE action = 'citation_search.ended' AND object_id = %s"
    return connection.execute(query, [snapshot]).fetchone()[0]


@pytest.mark.exhaustive
def test_a_search_survives_its_worker_and_ends_once(house, web, connection):
    answer = post_record(web, "killed-search", **UNCITED)
    snapshot = answer.body["id"]
    with psycopg.connect(house.url()) as gate:
        gate.execute("LOCK TABLE ledger_auditevent IN EXCLUSIVE MODE")  # the result is written, its event cannot be
        with managing(house.folder, "work"):
            wait_until(lambda: is_blocked(connection) and jobs_of(connection, "doing"))
    assert (outcomes_of(connection, snapshot), ends_of(connection, snapshot)) == ([], 0)

    let_work_age(connection)
    enqueue(connection, RETRY)
    with managing(house.folder, "work"):
        wait_until(lambda: jobs_of(connection, "doing") == 0)
        enqueue(connection, RETRY)  # wakes the worker before it looks by itself
        wait_until(lambda: outcomes_of(connection, snapshot))
        wait_until(lambda: jobs_of(connection, "todo", "doing") == 0)

    assert (outcomes_of(connection, snapshot), ends_of(connection, snapshot)) == (["found"], 1)
