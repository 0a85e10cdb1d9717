"""A house from before answers were repaired or searched is brought up to date with what is in it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from reviewers.web import embedded
from tests.robustness.processes import House, manage

BEFORE = ("snapshots", "0002")
ORGANISATION = (
    "INSERT INTO accounts_organisation (id, slug, name, asks_for_citations, requires_second_factor, created_at)"
    " VALUES (gen_random_uuid(), 'old', 'Old House', true, false, now())"
)


@pytest.fixture
def old_house():
    """Its tables are those of then; rights on tables that are to come cannot be set, which is what that command ends with."""
    with TemporaryDirectory(prefix="footnote-", ignore_cleanup_errors=True) as parent:
        house = House(Path(parent) / "old" / "var")
        manage(house.folder, "migrate", *BEFORE)
        house.start_database()
        yield house
        house.stop_database()


def test_what_was_there_stays_with_both_switches_off_and_the_new_records_are_records(old_house):
    with psycopg.connect(old_house.url(), autocommit=True) as owner:
        assert owner.execute("SELECT to_regclass('snapshots_citationsearch')").fetchone() == (None,)
        owner.execute(ORGANISATION)

        upgrade = manage(old_house.folder, "migrate")

        assert upgrade.returncode == 0, upgrade.stderr
        switches = "SELECT slug, asks_for_citations, repairs_answers, citation_search FROM accounts_organisation"
        assert owner.execute(switches).fetchall() == [("old", True, False, "off")]
    with psycopg.connect(old_house.url(embedded.WEB)) as web:
        for statement in ("DELETE FROM snapshots_citationsearch", "DELETE FROM snapshots_citationsearchresult"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), web.transaction():
                web.execute(statement)
