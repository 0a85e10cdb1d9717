from __future__ import annotations

import signal
import time
from contextlib import ExitStack
from random import Random

import psycopg
import pytest

from tests.robustness.processes import PATIENCE, managing, wait_until

EXPIRE = "reviewers.review.jobs.expire_leases"
RETRY = "reviewers.web.jobs.retry_stalled"
AGE = "UPDATE procrastinate_workers SET last_heartbeat = last_heartbeat - interval '1 minute'"


@pytest.fixture
def expired(connection):
    """An item, of those that one review is enough for and that nobody has finished, whose first lease has run out."""
    (item,) = connection.execute(
        "INSERT INTO review_lease (organisation_id, item_id, overlap, slot, holder_id, taken_at, expires_at)"
        " SELECT organisation_id, snapshot_id, overlap, 1, (SELECT id FROM accounts_user LIMIT 1),"
        " now() - interval '1 hour', now() - interval '1 minute'"
        " FROM review_queueitem AS item WHERE state = 'to_do' AND overlap = 1"
        " AND NOT EXISTS (SELECT FROM review_submission AS finished WHERE finished.snapshot_id = item.snapshot_id)"
        " AND NOT EXISTS (SELECT FROM ledger_auditevent WHERE action = 'lease.expired' AND object_id = item.snapshot_id)"
        " ORDER BY snapshot_id LIMIT 1 RETURNING item_id"
    ).fetchone()
    return item


def enqueue(connection, task):
    """As the worker does once a minute; it may just have done it."""
    connection.execute(
        "INSERT INTO procrastinate_jobs (task_name, queue_name, queueing_lock, args)"
        " VALUES (%s, 'default', split_part(%s, '.', 4), '{\"timestamp\": 0}') ON CONFLICT DO NOTHING",
        [task, task],
    )


def count_jobs(connection, *states):
    query = "SELECT count(*) FROM procrastinate_jobs WHERE task_name = %s AND status::text = ANY(%s)"
    return connection.execute(query, [EXPIRE, list(states)]).fetchone()[0]


def is_blocked(connection):
    (blocked,) = connection.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)").fetchone()
    return blocked


def workers(connection):
    """Return the workers, one a queue, that have not said that they ended."""
    return {pk for (pk,) in connection.execute("SELECT id FROM procrastinate_workers")}


def let_work_age(connection):
    """A worker counts as dead when it has not been heard of for half a minute."""
    connection.execute(AGE)


def expirations_of(connection, item):
    query = "SELECT count(*) FROM ledger_auditevent WHERE action = 'lease.expired' AND object_id = %s"
    return connection.execute(query, [item]).fetchone()[0]


@pytest.mark.exhaustive
def test_a_job_survives_its_worker(house, connection, expired):
    enqueue(connection, EXPIRE)
    with psycopg.connect(house.url()) as gate:
        gate.execute("LOCK TABLE review_lease IN ACCESS EXCLUSIVE MODE")
        with managing(house.folder, "work"):
            wait_until(lambda: is_blocked(connection) and count_jobs(connection, "doing"))
    assert count_jobs(connection, "doing") >= 1
    assert expirations_of(connection, expired) == 0

    let_work_age(connection)
    enqueue(connection, RETRY)
    with managing(house.folder, "work"):
        wait_until(lambda: count_jobs(connection, "doing") == 0)
        enqueue(connection, RETRY)  # wakes the worker before it looks by itself
        wait_until(lambda: expirations_of(connection, expired))
        wait_until(lambda: count_jobs(connection, "todo", "doing") == 0)

    assert expirations_of(connection, expired) == 1
    assert connection.execute("SELECT count(*) FROM review_lease WHERE item_id = %s", [expired]).fetchone() == (0,)


@pytest.mark.exhaustive
def test_another_worker_does_the_job_of_one_that_is_killed_beside_it(house, connection, expired):
    let_work_age(connection)
    enqueue(connection, EXPIRE)
    with ExitStack() as running:
        with psycopg.connect(house.url()) as gate:
            gate.execute("LOCK TABLE review_lease IN ACCESS EXCLUSIVE MODE")
            killed = running.enter_context(managing(house.folder, "work"))
            wait_until(lambda: is_blocked(connection) and count_jobs(connection, "doing"))
            of_killed = workers(connection)
            running.enter_context(managing(house.folder, "work"))
            wait_until(lambda: workers(connection) - of_killed)
            killed.kill()
        connection.execute(f"{AGE} WHERE id = ANY(%s)", [list(of_killed)])
        enqueue(connection, RETRY)
        wait_until(lambda: expirations_of(connection, expired))
        wait_until(lambda: count_jobs(connection, "todo", "doing") == 0)

    assert expirations_of(connection, expired) == 1
    assert count_jobs(connection, "aborted", "failed") == 0


def test_a_worker_that_is_told_to_stop_finishes_its_job_first(house, connection, expired):
    let_work_age(connection)
    killed_before = workers(connection)
    with managing(house.folder, "work") as worker:
        with psycopg.connect(house.url()) as gate:
            gate.execute("LOCK TABLE review_lease IN ACCESS EXCLUSIVE MODE")
            enqueue(connection, EXPIRE)
            wait_until(lambda: is_blocked(connection) and count_jobs(connection, "doing"))
            worker.send_signal(signal.SIGTERM)
            wait_until(lambda: len(workers(connection) - killed_before) == 1)
            time.sleep(1)
        assert worker.wait(PATIENCE) == 0

    assert workers(connection) <= killed_before
    assert count_jobs(connection, "doing", "aborted", "failed") == 0
    assert expirations_of(connection, expired) == 1


def test_the_worker_seals_what_is_written(house, connection):
    """Also what several workers find at once, and what one that was killed had begun."""
    with managing(house.folder, "work"), managing(house.folder, "work") as other:
        wait_until(lambda: connection.execute("SELECT count(*) FROM ledger_pending").fetchone() == (0,))
        other.kill()
        write_events_like_others(connection, 2_500)
        wait_until(lambda: connection.execute("SELECT count(*) FROM ledger_pending").fetchone() == (0,))

    check_places(connection)


def write_events_like_others(connection, count):
    connection.execute("DROP TABLE IF EXISTS copies")
    connection.execute(
        "CREATE TEMPORARY TABLE copies AS SELECT e.* FROM ledger_auditevent AS e, generate_series(1, %s) LIMIT %s", [count, count]
    )
    connection.execute("UPDATE copies SET id = gen_random_uuid(), action = 'queue.viewed'")
    connection.execute("INSERT INTO ledger_auditevent SELECT * FROM copies")


def check_places(connection):
    """Every event has one place, without a gap, and no size has two roots."""
    places = "SELECT count(*), count(DISTINCT leaf.index), max(leaf.index) + 1 FROM ledger_leaf AS leaf GROUP BY log_id"
    assert all(len(set(row)) == 1 for row in connection.execute(places).fetchall())
    placed = "SELECT id FROM ledger_leaf UNION ALL SELECT event_id FROM ledger_pending"
    (missing,) = connection.execute(f"SELECT count(*) FROM ledger_auditevent WHERE id NOT IN ({placed})").fetchone()  # noqa: S608 — our own
    assert missing == 0


def kill_sequencer(house, connection, kills):
    """Each comes at a moment of its own, while there is much to be sealed."""
    chance = Random(20_260_304)  # noqa: S311 — the same moments in each run
    for _ in range(kills):
        write_events_like_others(connection, 3_000)
        with managing(house.folder, "seal") as process:
            wait_until(lambda: is_sealing(connection) or process.poll() is not None)
            time.sleep(chance.uniform(0, 0.3))
            process.kill()
        check_places(connection)


def is_sealing(connection):
    return connection.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted)").fetchone()[0]


@pytest.mark.exhaustive
def test_a_sequencer_that_is_killed_leaves_no_gap(house, connection):
    kill_sequencer(house, connection, 2)


@pytest.mark.exhaustive
def test_a_sequencer_that_is_killed_50_times_leaves_no_gap(house, connection):
    kill_sequencer(house, connection, 50)
