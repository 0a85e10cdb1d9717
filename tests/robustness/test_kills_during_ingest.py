from __future__ import annotations

import logging
import time
from concurrent.futures import ThreadPoolExecutor
from random import Random

import psycopg
import pytest

from tests.robustness.clients import post_record
from tests.robustness.keeping import check_is_kept
from tests.robustness.processes import wait_until
from tests.robustness.runtimes import runtimes_at_work

SEED = 20_260_304
LONGEST_QUIET = 0.4
PROGRESS = 100

log = logging.getLogger(__name__)


def kill_again_and_again(web, series, kills):
    """Runtimes send; each kill comes at a moment of its own, and the next one only when the site has taken more records since."""
    chance = Random(SEED)  # noqa: S311 — the same moments in each run
    with runtimes_at_work(web.port, web.house.key, series) as memory:
        for kill in kills:
            time.sleep(chance.uniform(0, LONGEST_QUIET))
            memory.count("kills")
            for what, number in memory.under_way.items():
                memory.count(f"{what} under way at a kill", number)
            kill()
            memory.be_patient()
            enough = len(memory.acknowledged) + PROGRESS
            wait_until(lambda enough=enough: len(memory.acknowledged) >= enough)
    memory.counts["records acknowledged"] = len(memory.acknowledged)
    log.info("%s", dict(memory.counts))
    return memory


def check_was_hit_and_kept(web, memory):
    assert memory.counts["requests broken off"] + memory.counts["requests refused"] > 0
    with psycopg.connect(web.house.url()) as connection:
        check_is_kept(connection, memory)
    wait_until(lambda: not any(orphan.is_running() for orphan in web.orphans))


@pytest.mark.exhaustive
def test_nothing_acknowledged_is_lost_or_doubled_when_web_processes_are_killed(web):
    memory = kill_again_and_again(web, "web", [web.kill_worker, web.kill_master, web.kill_worker])

    check_was_hit_and_kept(web, memory)


@pytest.mark.exhaustive
def test_nothing_acknowledged_is_lost_or_doubled_when_web_processes_are_killed_50_times(web):
    memory = kill_again_and_again(web, "web-50", [web.kill_worker, web.kill_master] * 25)

    check_was_hit_and_kept(web, memory)


def test_nothing_acknowledged_is_lost_or_doubled_when_the_database_is_killed(web):
    memory = kill_again_and_again(web, "database", [web.kill_database])

    check_was_hit_and_kept(web, memory)


@pytest.mark.exhaustive
def test_nothing_acknowledged_is_lost_or_doubled_when_the_database_is_killed_20_times(web):
    memory = kill_again_and_again(web, "database-20", [web.kill_database] * 20)

    check_was_hit_and_kept(web, memory)


@pytest.mark.exhaustive
def test_a_new_master_has_the_port_while_a_worker_of_the_dead_one_finishes_what_it_has_begun(web):
    with ThreadPoolExecutor(1) as pool, psycopg.connect(web.house.url()) as gate:
        gate.execute("LOCK TABLE snapshots_snapshot IN ACCESS EXCLUSIVE MODE")
        begun = pool.submit(post_record, web, "begun")
        wait_until(lambda: gate.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone()[0])

        web.kill_master()
        assert not begun.done()
        gate.rollback()

        assert begun.result().status == 201
        assert post_record(web, "begun").status == 200
