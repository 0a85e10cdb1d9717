"""Rows that are written and read by statements written out: as querysets would, in fewer round trips."""

from __future__ import annotations

import json

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone

from reviewers.accounts.models import Organisation, ServiceKey
from reviewers.accounts.queries import list_memberships
from reviewers.review.models import QueueItem
from reviewers.review.queries import load_item
from reviewers.snapshots.models import Snapshot, SnapshotAttribution
from reviewers.web.models import uuid7
from reviewers.web.statements import Columns, insert, read_joined
from tests.factories import make_item, make_key, make_record
from tests.statements import statements_of

MOST_FOR_A_RECORD = 5
"""The key, what is known of the record, its profile, all rows at once, and opening the transaction in a test."""


def copy_of(row, **changes):
    columns = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    return type(row)(**columns | changes)


def test_what_is_inserted_is_read_as_it_was(organisation):
    item = make_item(organisation)
    snapshot = copy_of(Snapshot.objects.get(pk=item.pk), id=uuid7(), external_id="another")
    attribution = copy_of(SnapshotAttribution.objects.get(snapshot=item.pk), id=uuid7(), snapshot_id=snapshot.id, guardrails={"a": 1})

    (statement,) = statements_of(lambda: insert([snapshot, attribution]))

    assert statement.count("INSERT INTO") == 2
    for row in (snapshot, attribution):
        again = type(row).objects.get(pk=row.pk)
        assert all(getattr(again, field.attname) == getattr(row, field.attname) for field in row._meta.concrete_fields)


def test_a_refused_insert_is_an_integrity_error(organisation):
    known = Snapshot.objects.get(pk=make_item(organisation).pk)

    with pytest.raises(IntegrityError), transaction.atomic():
        insert([copy_of(known, id=uuid7())])


def test_nothing_to_insert_asks_nothing():
    assert statements_of(lambda: insert([])) == []


def test_a_record_that_comes_alone_takes_few_statements(organisation):
    client = Client(headers={"Authorization": f"Bearer {make_key(organisation)}"})

    def send(name: str) -> None:
        response = client.post("/api/v1/snapshots", json.dumps(make_record(id=name)), content_type="application/json")
        assert response.status_code == 201

    send("first")
    statements = statements_of(lambda: send("second"))

    assert len(statements) <= MOST_FOR_A_RECORD, statements


def test_rows_of_several_tables_are_read_as_their_models(organisation):
    make_key(organisation)
    key, its = Columns(ServiceKey, "key", without=["name"]), Columns(Organisation, "its")
    statement = f"SELECT {key}, {its}, 7 FROM accounts_servicekey AS key JOIN accounts_organisation AS its ON its.id = key.organisation_id"  # noqa: S608 — names of our own

    ((found, owner, seven),) = read_joined(statement, [], key, its)

    assert (found, owner, seven) == (ServiceKey.objects.get(), organisation, 7)
    assert found.get_deferred_fields() == {"name"}
    assert owner.suspended_profiles == organisation.suspended_profiles


def test_an_item_is_what_a_queryset_would_read(organisation, alice):
    item = make_item(organisation)
    related = QueueItem.objects.select_related("snapshot", "attribution", "submitted_by", "skipped_by", "plan").get(pk=item.pk)

    with transaction.atomic():
        loaded = load_item(alice, item.pk, lock=True)

    assert statements_of(lambda: (loaded.row.snapshot, loaded.row.plan, loaded.row.submitted_by, loaded.grounds)) == []
    for found, expected in ((loaded.row, related), (loaded.row.attribution, related.attribution)):
        assert all(getattr(found, each.attname) == getattr(expected, each.attname) for each in found._meta.concrete_fields)
    assert loaded.row.snapshot.get_deferred_fields() == {"record"}
    assert json.loads(loaded.record_text) == json.loads(bytes(related.snapshot.record))


def test_memberships_come_with_their_organisations_in_one_statement(alice):
    found = []
    statements = statements_of(lambda: found.extend(list_memberships(alice.user_id)))

    assert len(statements) == 1
    assert statements_of(lambda: [(each.organisation.name, each.user.name) for each in found]) == []
    assert [each.has_second_factor for each in found] == [False]
    assert connection.alias == found[0]._state.db
    assert found[0].created_at <= timezone.now()
