from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from tests.robustness.processes import manage


def test_commands_that_start_at_once_share_a_database_which_ends_with_the_last_of_them(closed_house):
    with ThreadPoolExecutor() as pool:
        checks = list(pool.map(lambda _: manage(closed_house.folder, "check", "--database", "default"), range(2)))

    assert [check.stderr for check in checks if check.returncode] == []
    assert not (closed_house.folder / "postgresql" / "postmaster.pid").exists()


def test_its_log_holds_nothing_of_a_statement_that_fails(house, connection):
    with pytest.raises(psycopg.errors.InvalidTextRepresentation):
        connection.execute("SELECT 'what a client said'::uuid")

    log = (house.folder / "postgresql" / "log").read_text()
    assert "ready to accept connections" in log
    assert "what a client said" not in log


@pytest.mark.parametrize("setting", ["fsync", "synchronous_commit", "full_page_writes"])
def test_what_makes_a_commit_last_is_switched_on(connection, setting):
    assert connection.execute("SELECT current_setting(%s)", [setting]).fetchone() == ("on",)
