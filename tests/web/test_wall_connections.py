"""Whose rows a connection shows is said anew in each transaction: nothing of one request is left for the next."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from uuid import UUID

import psycopg
import pytest
from django.db import DataError, ProgrammingError, connection, transaction
from django.test.utils import CaptureQueriesContext

from reviewers.accounts.models import Organisation
from reviewers.review.models import QueueItem
from reviewers.snapshots.models import Snapshot
from reviewers.web.tenancy import tenant
from tests.factories import make_item, make_member, make_organisation, sign_in


def test_two_organisations_on_one_connection_see_their_own(committed):
    """Request by request, as a worker of the site answers them; between them nothing is left on the connection."""
    members = [make_member(make_organisation(name)) for name in ("One House", "Other House")]
    items = [make_item(member.organisation) for member in members]
    browsers = [sign_in(member) for member in members]
    shown, backends = [], set()
    with tenant.outside():
        for _ in range(2):
            for browser in browsers:
                shown.append([row.id for row in browser.get("/queue/").context["page"].rows])
                assert told() == ""
                assert not QueueItem.objects.exists()
                backends.add(connection.connection.info.backend_pid)

    assert shown == [[items[0].pk], [items[1].pk]] * 2
    assert len(backends) == 1


def run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def told() -> str:
    """Return the tenant that the connection itself has, read without Django, which would set it."""
    with psycopg.Cursor(connection.connection) as cursor:
        return cursor.execute("SELECT COALESCE(current_setting('footnote.organisation', true), '')").fetchone()[0]


@pytest.mark.parametrize("end", ["SELECT 1", "SELECT 1/0"], ids=["commit", "rollback"])
def test_a_transaction_that_is_done_leaves_nothing_behind(committed, end):
    organisation = make_organisation()
    make_item(organisation)

    with suppress(DataError), transaction.atomic():
        assert Snapshot.objects.count() == 1
        assert told() == str(organisation.pk)
        run(end)

    assert told() == ""
    assert Snapshot.objects.count() == 1
    assert told() == ""


def test_within_one_transaction_each_statement_sees_what_is_said_then(db):
    one, other = make_organisation(), make_organisation()
    make_item(one)

    def seen(organisation: Organisation) -> int:
        with tenant.within(organisation.pk):
            return Snapshot.objects.count()

    assert [seen(one), seen(other), seen(one)] == [1, 0, 1]
    for end in ("SELECT 1", "SELECT 1/0"):
        with suppress(DataError), transaction.atomic():
            assert seen(other) == 0
            run(end)
            transaction.set_rollback(True)
        assert [seen(other), seen(one)] == [0, 1]


def test_rows_that_come_piece_by_piece_are_ones_own(db):
    one, other = make_organisation(), make_organisation()
    item = make_item(one)
    make_item(other)

    with tenant.within(one.pk):
        assert [each.pk for each in QueueItem.objects.iterator(chunk_size=1)] == [item.pk]


def test_what_cannot_be_told_whose_rows_it_sees_is_refused_not_run(committed):
    make_organisation()

    with pytest.raises(ProgrammingError, match="needs a transaction around it"):
        list(QueueItem.objects.iterator(chunk_size=1))


def test_nested_organisations_are_left_in_order_with_and_without_a_transaction(committed):
    one, other = make_organisation(), make_organisation()
    make_item(one)

    def seen() -> list[int]:
        counts = [Snapshot.objects.count()]
        with tenant.within(other.pk):
            counts.append(Snapshot.objects.count())
            with tenant.outside():
                counts.append(Snapshot.objects.count())
                with tenant.within(one.pk):
                    counts.append(Snapshot.objects.count())
                counts.append(Snapshot.objects.count())
            counts.append(Snapshot.objects.count())
        return [*counts, Snapshot.objects.count()]

    assert seen() == [1, 0, 0, 1, 0, 0, 1]
    with transaction.atomic():
        assert seen() == [1, 0, 0, 1, 0, 0, 1]
    assert told() == ""


@pytest.mark.parametrize("is_undone", [False, True])
def test_a_savepoint_that_ends_takes_no_organisation_with_it(committed, is_undone):
    one, other = make_organisation(), make_organisation()
    make_item(one)

    with transaction.atomic():
        with transaction.atomic(), tenant.within(other.pk):
            assert Snapshot.objects.count() == 0
            transaction.set_rollback(is_undone)
        assert Snapshot.objects.count() == 1
        with transaction.atomic():
            assert Snapshot.objects.count() == 1
            transaction.set_rollback(is_undone)
        with tenant.within(other.pk):
            assert Snapshot.objects.count() == 0


def test_going_back_to_a_savepoint_of_another_organisation_does_not_show_its_rows(committed):
    """The setting goes back with everything else, to what it was when the savepoint was made."""
    one, other = make_organisation(), make_organisation()
    make_item(one)

    with transaction.atomic(), tenant.within(one.pk):
        savepoint = transaction.savepoint()
        with tenant.within(other.pk):
            transaction.savepoint_rollback(savepoint)
            assert Snapshot.objects.count() == 0
        assert Snapshot.objects.count() == 1


def test_each_thread_sees_the_rows_of_its_own_organisation(committed):
    organisations = [make_organisation() for _ in range(4)]
    items = {organisation.pk: make_item(organisation).pk for organisation in organisations}

    def look(organisation: Organisation) -> set[tuple[UUID, ...]]:
        try:
            with tenant.within(organisation.pk):
                return {tuple(QueueItem.objects.values_list("pk", flat=True)) for _ in range(25)}
        finally:
            connection.close()

    with ThreadPoolExecutor(len(organisations)) as threads:
        assert list(threads.map(look, organisations)) == [{(items[each.pk],)} for each in organisations]


def test_a_request_tells_the_database_once(committed):
    client = sign_in(make_member(make_organisation()))
    client.get("/queue/")
    with tenant.outside(), CaptureQueriesContext(connection) as captured:
        client.get("/queue/")

    asked = [query["sql"] for query in captured.captured_queries]
    assert sum(statement.startswith("SET LOCAL footnote") for statement in asked) == 1
    assert asked.count("BEGIN") == asked.count("COMMIT") == 1
