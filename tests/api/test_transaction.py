"""A record, its attribution, its place in the queue and its event are written together or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.db import IntegrityError, connections
from django.test import Client

from reviewers.web.config import OWNER
from tests.api.sending import LINES, as_bytes, post, post_lines, problem_of, program_of, results_of
from tests.factories import make_organisation, make_record
from tests.state import state_of_tables

NOTHING_FOUND = {"response": "Good morning.", "context": {"safety": {"risk_level": "elevated"}}}
REFUSED = "CONSTRAINT refused CHECK (source <> 'none') NOT VALID"
ALWAYS_LOST = """
CREATE FUNCTION always_lost() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE unique_violation; END $$;
CREATE TRIGGER always_lost BEFORE INSERT ON snapshots_snapshot EXECUTE FUNCTION always_lost();
"""


@pytest.fixture
def by_owner(committed) -> Iterator[Callable[[str, str], None]]:
    """Change the database as its owner; undone when the test is done."""
    undo: list[str] = []

    def change(statement: str, undoing: str) -> None:
        undo.append(undoing)
        with connections[OWNER].cursor() as cursor:
            cursor.execute(statement)

    yield change
    with connections[OWNER].cursor() as cursor:
        for statement in undo:
            cursor.execute(statement)


@pytest.fixture
def program(committed) -> Client:
    return program_of(make_organisation())


def refuse_attributions_without_a_find(by_owner) -> None:
    by_owner(
        f"ALTER TABLE snapshots_snapshotattribution ADD {REFUSED}", "ALTER TABLE snapshots_snapshotattribution DROP CONSTRAINT refused"
    )


def test_where_the_attribution_cannot_be_kept_neither_record_nor_event_is(program, by_owner):
    refuse_attributions_without_a_find(by_owner)
    before = state_of_tables()

    with pytest.raises(IntegrityError, match="refused"):
        post(program, make_record(**NOTHING_FOUND))

    assert state_of_tables() == before


def test_of_a_batch_that_cannot_be_kept_nothing_is_acknowledged_and_nothing_is_kept(program, by_owner):
    refuse_attributions_without_a_find(by_owner)
    before = state_of_tables()

    with pytest.raises(IntegrityError, match="refused"):
        post_lines(program, [make_record(), make_record(**NOTHING_FOUND)])

    assert state_of_tables() == before


def test_what_failed_can_be_sent_again(program, by_owner):
    refuse_attributions_without_a_find(by_owner)
    record = make_record(**NOTHING_FOUND)
    with pytest.raises(IntegrityError):
        post(program, record)
    with connections[OWNER].cursor() as cursor:
        cursor.execute("ALTER TABLE snapshots_snapshotattribution DROP CONSTRAINT refused")
        cursor.execute(f"ALTER TABLE snapshots_snapshotattribution ADD {REFUSED.replace('none', 'nothing')}")

    assert post(program, record).status_code == 201


@pytest.mark.parametrize("content_type", ["application/json", LINES])
def test_whoever_loses_every_race_is_told_to_try_again(program, by_owner, content_type):
    by_owner(ALWAYS_LOST, "DROP FUNCTION always_lost CASCADE")
    before = state_of_tables()

    response = post(program, as_bytes(make_record()), content_type)

    reason = "other requests keep sending the same records; try again"
    if content_type == LINES:
        assert results_of(response) == [{"line": 1, "status": 409, "error": {"place": "", "reason": reason}}]
    else:
        assert problem_of(response) == (409, "", reason)
    assert state_of_tables() == before
