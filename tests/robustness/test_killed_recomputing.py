"""Recomputing on Spark that is told to end, or killed: no file stays for long, and what is missing is done by running it again."""

from __future__ import annotations

import signal
from pathlib import Path

import psycopg
import pytest

from attribution import ENGINE_VERSION
from tests.robustness.processes import PATIENCE, House, copy_of, manage, managing, wait_until
from tests.spark import with_spark

pytestmark = pytest.mark.exhaustive

EARLIER = """
ALTER TABLE snapshots_snapshotattribution DISABLE TRIGGER USER;
UPDATE snapshots_snapshotattribution SET engine_version = '1.9.0';
ALTER TABLE snapshots_snapshotattribution ENABLE TRIGGER USER;
"""
ENTERED = "SELECT count(*), count(DISTINCT snapshot_id) FROM snapshots_snapshotattribution WHERE engine_version = %s"
COMMAND = ("recompute", "--organisation", "harbor-lights", "--engine", "spark", "--master", "local[2]")


@pytest.fixture(scope="module")
def spark() -> dict[str, str]:
    """The variables by which a process has Spark."""
    environment = with_spark()
    return {name: environment[name] for name in ("PYTHONPATH",) if name in environment}


def files_of(house: House) -> list[Path]:
    return list((house.folder / "recomputing").glob("turns-*"))


def is_at_work(house: House) -> bool:
    """Return True if turns are in files and Spark has begun."""
    return any((each / "engine.zip").exists() for each in files_of(house))


def test_it_leaves_no_files_when_told_to_end_and_the_next_run_removes_those_of_one_that_was_killed(loaded_folder, spark):
    with copy_of(loaded_folder) as folder:
        house = House(folder)
        house.start_database()
        with psycopg.connect(house.url(), autocommit=True) as connection:
            connection.execute(EARLIER)
            (turns,) = connection.execute("SELECT count(*) FROM snapshots_snapshot").fetchone()

            with managing(folder, *COMMAND, **spark) as told:
                wait_until(lambda: is_at_work(house), 5 * PATIENCE)
                told.send_signal(signal.SIGTERM)
                assert told.wait(5 * PATIENCE) == 128 + signal.SIGTERM
            assert not files_of(house)

            with managing(folder, *COMMAND, **spark):
                wait_until(lambda: is_at_work(house), 5 * PATIENCE)
            (left,) = files_of(house)
            assert left.stat().st_mode & 0o077 == 0

            done = manage(folder, *COMMAND, **spark)
            assert done.returncode == 0, done.stderr
            assert not files_of(house)
            assert connection.execute(ENTERED, [ENGINE_VERSION]).fetchone() == (turns, turns)
        house.stop_database()
