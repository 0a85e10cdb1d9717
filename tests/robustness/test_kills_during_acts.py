"""Processes are killed while people accept invitations, sign, redact and place holds: no act is there by half, none is lost."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, wait
from random import Random

import psycopg
import pytest

from tests.robustness.acts import ACTS, People
from tests.robustness.processes import PATIENCE, Web, manage, wait_until
from tests.robustness.wholeness import check_halves_would_be_found, check_redactions, find_halves

SEED = 20_261_123
A_ROUND = 6
"""Of each act, how often it is done around each kill."""

log = logging.getLogger(__name__)


def kill_in_each_round(people: People, kills: list[Callable[[], None]]) -> None:
    """In each round all acts are done a few times, and the kill comes at a moment of its own among them."""
    chance = Random(SEED)  # noqa: S311 — the same moments in each run
    total = A_ROUND * len(ACTS)
    with people.at_work() as begin:
        for number, kill in enumerate(kills):
            working = begin(A_ROUND)
            enough = number * total + chance.randrange(total // 2)
            wait_until(lambda enough=enough: count_acknowledged(people) >= enough or people.surprises, 5 * PATIENCE)
            people.counts["acts under way at a kill"] += count_running(working)
            refused = people.counts["refused"]
            kill()
            for each in working:
                each.result()
            assert people.counts["refused"] == refused or kill == people.web.kill_database
    log.info("%s", dict(people.counts))


def count_acknowledged(people: People) -> int:
    return sum(map(len, people.acknowledged.values()))


def count_running(working: list[Future[None]]) -> int:
    return len(wait(working, timeout=0).not_done)


def check(web: Web, people: People, kills: int) -> None:
    assert people.surprises == []
    assert {act: len(done) for act, done in people.acknowledged.items()} == dict.fromkeys(ACTS, kills * A_ROUND)
    assert sum(people.counts[f"{act} broken off"] for act in ACTS) > 0
    with psycopg.connect(web.house.url()) as connection:
        assert find_halves(connection) == {}
        check_halves_would_be_found(connection)
        assert check_redactions(connection, people.prepared["redactions"]) == kills * A_ROUND
        signed = {str(key) for (key,) in connection.execute("SELECT review_id FROM review_signature")}
        assert {each["review"] for each in people.prepared["reviews"]} <= signed
        held = {name for (name,) in connection.execute("SELECT reference FROM review_hold")}
        assert set(people.acknowledged["hold"]) <= held
    for command in ("seal", "verify"):
        done = manage(web.house.folder, command)
        assert done.returncode == 0, done.stdout + done.stderr


def run(web: Web, kills: list[Callable[[], None]]) -> None:
    people = People(web, len(kills) * A_ROUND)
    kill_in_each_round(people, kills)
    check(web, people, len(kills))


@pytest.mark.exhaustive
def test_no_act_is_there_by_half_when_processes_are_killed(own_web):
    run(own_web, [own_web.kill_workers, own_web.kill_master, own_web.kill_database])


@pytest.mark.exhaustive
def test_no_act_is_there_by_half_when_processes_are_killed_48_times(own_web):
    run(own_web, [*[own_web.kill_workers] * 10, own_web.kill_master, own_web.kill_database] * 4)
