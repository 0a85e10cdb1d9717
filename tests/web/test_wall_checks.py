"""A deployment can ask whether the wall between organisations stands, and whether filters still find their index behind it."""

from __future__ import annotations

import pytest
from django.core.checks import Tags, run_checks
from django.db import connections, transaction

from reviewers.web import apps
from reviewers.web.apps import ABOVE, SLOW
from reviewers.web.config import DEFAULT, OWNER
from reviewers.web.tenancy import tenant
from tests.factories import make_item, make_organisation

MANY = 3_000
RARE = 1_000
SNAPSHOTS = """
INSERT INTO snapshots_snapshot SELECT (jsonb_populate_record(s, jsonb_build_object(
    'id', 'ffffffff' || lpad(to_hex(number), 24, '0'), 'external_id', number,
    'search', CASE WHEN number %% %(rare)s = 0 THEN 'zeppelin' ELSE 'elevated' END,
    'provider', CASE WHEN number %% %(rare)s = 0 THEN 'Zeppelin' ELSE 'Quill' END))).*
FROM snapshots_snapshot AS s, generate_series(1, %(many)s) AS number
"""
ITEMS = """
INSERT INTO review_queueitem SELECT (jsonb_populate_record(i, jsonb_build_object('snapshot_id', s.id,
    'facets', ARRAY[CASE WHEN s.search @@ 'zeppelin' THEN 'model:rare' ELSE 'model:common' END]))).*
FROM review_queueitem AS i, snapshots_snapshot AS s WHERE s.id <> i.snapshot_id
"""

BEFORE = """SELECT id FROM snapshots_snapshot WHERE organisation_id = '{own}' AND conversation_id = 'conversation-1' AND NOT
    (conversation_id = '') AND answered_at <= now() ORDER BY answered_at DESC, id DESC LIMIT 2"""
LIST, PAGE = "SELECT * FROM review_queueitem WHERE organisation_id = '{own}'", "ORDER BY answered_at, snapshot_id LIMIT 26"


@pytest.fixture(scope="module")
def many_items(committed_for_module) -> None:
    """In one organisation, a few of them with a word and a facet of their own."""
    organisation = make_organisation()
    make_item(organisation)
    with connections[OWNER].cursor() as cursor:
        cursor.execute(SNAPSHOTS, {"many": MANY, "rare": RARE})
        cursor.execute("ANALYZE snapshots_snapshot")  # otherwise each item's snapshot may be looked for among all, which takes minutes
        cursor.execute(ITEMS)
        cursor.execute("ANALYZE review_queueitem, reports_suggestionnames")


def plan_of(statement: str) -> str:
    with connections[DEFAULT].cursor() as cursor:
        cursor.execute(f"EXPLAIN {statement}")
        return "\n".join(line for (line,) in cursor.fetchall())


@pytest.mark.parametrize(
    ("statement", "index"),
    [
        ("SELECT * FROM review_queueitem WHERE facets && ARRAY['model:rare']", "queue_by_facet"),
        ("SELECT * FROM snapshots_snapshot WHERE search @@ 'zeppelin'::tsquery", "snapshot_search"),
        (BEFORE, "snapshot_by_conversation"),
        (f"{LIST} AND state = 'submitted' {PAGE}", "queue_by_state"),
        (f"{LIST} {PAGE}", "queue_by_time"),
    ],
)
def test_behind_the_wall_the_list_finds_its_indexes(many_items, statement, index):
    assert index in plan_of(statement.format(own=tenant.current()))


def test_behind_the_wall_a_coordinators_search_may_use_its_index(many_items):
    """Without sequential scans, which are cheaper for so few names; what is not LEAKPROOF would be filtered by afterwards all the same."""
    with transaction.atomic():
        with connections[DEFAULT].cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
        assert "reports_by_names" in plan_of("SELECT * FROM reports_suggestionnames WHERE terms @@ reports_query('zeppelin')")


def test_the_embedded_server_has_nothing_to_be_told(db):
    assert run_checks(tags=[Tags.database], include_deployment_checks=True, databases=[DEFAULT]) == []


def test_a_database_that_is_not_to_be_checked_is_not_asked():
    assert apps.check_row_level_security(databases=None) == apps.check_row_level_security(databases=[OWNER]) == []


def test_a_web_that_owns_tables_or_slow_filters_are_told(django_db_setup, django_db_blocker, monkeypatch):
    """As the owner, whom no wall holds, and as if another function were needed that PostgreSQL does not know to tell nothing."""
    with django_db_blocker.unblock():
        monkeypatch.setattr(apps, "DEFAULT", OWNER)
        monkeypatch.setattr(apps, "_MAY_TELL", apps._MAY_TELL.replace("arrayoverlap", "arraycontains"))

        assert apps.check_row_level_security(databases=[OWNER]) == [ABOVE, SLOW]
        connections[OWNER].close()
