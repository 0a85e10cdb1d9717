"""What the database has prepared is read as it is where it is sent whole, and stands behind the same wall."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from reviewers.accounts.models import Membership
from reviewers.review.models import QueueItem
from reviewers.web import walls
from reviewers.web.postgresql.preparing import Prepared, is_worth_it, type_of
from tests.factories import make_item, make_member, make_organisation

pytestmark = pytest.mark.django_db

OFTEN = 8
TYPES = "SELECT pg_typeof(%s)::text AS type, %s AS value"
VALUES = (
    st.none()
    | st.booleans()
    | st.integers(min_value=-(2**70), max_value=2**70)
    | st.floats(allow_nan=False)
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
    | st.binary()
    | st.uuids()
    | st.dates()
    | st.datetimes(timezones=st.just(dt.UTC), min_value=dt.datetime(1900, 1, 1))  # noqa: DTZ001 — the strategy adds the zone
    | st.timedeltas(min_value=dt.timedelta(days=-9_000), max_value=dt.timedelta(days=9_000))
    | st.lists(st.uuids())
    | st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
    | st.dictionaries(st.sampled_from("abc"), st.integers()).map(Jsonb)
)


def run(query: str, params: object) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, params)
        return list(cursor.fetchall())


def prepared_count() -> int:
    return run("SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'footnote%%'", ())[0][0]  # type: ignore[return-value]


@pytest.fixture
def fresh():
    """The connection has prepared nothing yet."""
    connection.ensure_connection()
    kept = connection.connection.prepared
    connection.connection.pgconn.exec_(b"DEALLOCATE ALL")
    connection.connection.prepared = Prepared()
    yield connection.connection.prepared
    connection.connection.pgconn.exec_(b"DEALLOCATE ALL")
    kept.forget()
    connection.connection.prepared = kept


@settings(deadline=None, max_examples=40)  # the database may be busy with other tests
@given(value=VALUES)
def test_a_value_has_the_type_and_the_content_that_it_has_in_a_statement_sent_whole(value):
    query = "SELECT pg_typeof(%s)::text, %s"
    whole = run(f"{query} -- {uuid.uuid4()}", (value, value))

    with_types = [run(f"{TYPES} WHERE %s", (value, value, True)) for _ in range(OFTEN)]

    assert all(each == with_types[0] for each in with_types)
    assert with_types[0][0][1] == whole[0][1]
    assert with_types[0][0][0] in {whole[0][0], "text"}  # a literal without a type becomes text where it is a parameter


def test_what_is_sent_often_is_prepared_once_and_what_is_sent_seldom_is_not(fresh):
    for number in range(OFTEN):
        assert run("SELECT 40 + %s", (number,)) == [(40 + number,)]
    run("SELECT 41 + %s", (1,))

    assert prepared_count() == 1


def test_what_is_said_of_a_prepared_statement_is_the_statement(fresh):
    with CaptureQueriesContext(connection) as captured:
        for number in range(OFTEN):
            run("SELECT 40 + %s", (number,))

    assert [each["sql"] for each in captured] == [f"SELECT 40 + {number}" for number in range(OFTEN)]


def test_values_by_name_and_percent_signs_stay_what_they_are(fresh):
    for number in range(OFTEN):
        assert run("SELECT %(a)s + %(b)s + %(a)s, 'x' LIKE '%%x%%', '100%%'", {"a": number, "b": 1}) == [(2 * number + 1, True, "100%")]

    assert prepared_count() == 1


@pytest.mark.parametrize(
    "query",
    [
        "SELECT jsonb_build_object('a', %s)::text",  # the type of the parameter cannot be told
        "SELECT DISTINCT ON (left('abc', %s)) left('abc', %s) FROM generate_series(1, 2) ORDER BY left('abc', %s)",
    ],
)
def test_what_cannot_be_prepared_is_sent_whole_and_its_transaction_goes_on(fresh, query):
    values = ("b",) if "jsonb" in query else (1, 1, 1)

    answers = [run(query, values) for _ in range(OFTEN)]

    assert all(each == answers[0] for each in answers)
    assert prepared_count() == 0


def test_a_number_that_outgrows_its_type_is_another_statement(fresh):
    numbers = [1] * OFTEN + [2**40] * OFTEN + [2**70, Decimal("0.5")]

    assert [run("SELECT pg_typeof(%s)::text, %s", (number, number))[0] for number in numbers] == [
        *[("integer", 1)] * OFTEN,
        *[("bigint", 2**40)] * OFTEN,
        ("numeric", 2**70),
        ("numeric", Decimal("0.5")),
    ]


def test_a_prepared_statement_shows_the_rows_of_whoever_asks(fresh):
    items = [make_item(make_organisation(name)) for name in ("north", "south")]

    for _ in range(OFTEN):
        for item in items:
            with walls.within(item.organisation_id):
                assert [each.pk for each in QueueItem.objects.all()] == [item.pk]
        with walls.outside():
            assert not QueueItem.objects.all()
    assert prepared_count() > 0


@pytest.mark.parametrize(("terms", "left"), [({"lifetime": -1.0}, 1), ({"most": 5}, 5), ({}, 20)])
def test_statements_are_let_go_of_after_a_while_and_when_they_are_many(fresh, terms, left):
    connection.connection.prepared = Prepared(**terms)

    for number in range(20):
        assert [run(f"SELECT {number} + %s", (1,)) for _ in range(OFTEN)] == [[(number + 1,)]] * OFTEN

    run("SELECT 1", ())
    assert 0 < prepared_count() <= left


def test_a_statement_that_fails_fails_as_it_does_when_sent_whole(fresh):
    for _ in range(OFTEN):
        run("SELECT 1 / %s", (1,))
    with pytest.raises(Exception, match="division by zero"), transaction.atomic():
        run("SELECT 1 / %s", (0,))

    assert run("SELECT 1 / %s", (1,)) == [(1,)]


def test_rows_are_inserted_returned_and_refused_by_prepared_statements_too(fresh):
    organisation = make_organisation("north")
    with walls.within(organisation.pk):
        members = [make_member(organisation) for _ in range(OFTEN)]
        assert Membership.objects.filter(pk__in=[each.pk for each in members]).count() == OFTEN
        with pytest.raises(IntegrityError), transaction.atomic():
            Membership.objects.create(
                organisation=organisation, user=members[0].user, role=members[0].role, created_at=members[0].created_at
            )


def test_statements_that_go_over_without_waiting_are_sent_as_they_are(fresh):
    organisation = make_organisation("north")
    with walls.within(organisation.pk):
        Membership.objects.exists()
        with connection.connection.pipeline():
            for _ in range(OFTEN):
                Membership.objects.update(is_external=False)
    assert prepared_count() == 0


@pytest.mark.parametrize("query", ["SET LOCAL x = %s", "CREATE TABLE a (b int)", "SAVEPOINT a", "COPY a FROM STDIN", b"SELECT 1"])
def test_commands_are_not_prepared(query):
    assert not is_worth_it(query, ())


@pytest.mark.parametrize(
    ("literal", "expected"),
    [(b"ARRAY[1]", b""), (b"'a'", b"unknown"), (b" E'a\\\\b'", b"unknown"), (b"'a'::b'", b"unknown"), (b"'{}'::uuid[]", b"uuid[]")],
)
def test_the_type_of_a_literal(literal, expected):
    assert type_of(literal) == expected
