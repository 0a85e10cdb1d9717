"""Who opened what: the page for auditors and administrators, read out of the record of what was done."""

from __future__ import annotations

import pytest
from django.test import Client

from reviewers.accounts.models import Role
from reviewers.ledger.events import Action
from reviewers.snapshots.access_log import WORDS
from tests.events import events
from tests.factories import make_item, make_key, make_member, sign_in
from tests.statements import statements_of

PAGE = "/access/"


@pytest.fixture
def other_item(organisation):
    return make_item(organisation, client_reference="client-2", conversation_id="conversation-2")


def rows(browser: Client, **query: str):
    return browser.get(PAGE, query).context["page"].rows


def open_(member, *items) -> None:
    client = sign_in(member)
    for item in items:
        client.get(f"/items/{item.pk}/")


def test_it_says_who_opened_what_newest_first(alice, bob, auditor, item, other_item):
    open_(alice, item)
    open_(bob, other_item)
    sign_in(bob).get(f"/items/{other_item.pk}/record/")

    found = rows(sign_in(auditor))

    assert [(row.who, row.words, row.record_name, row.client) for row in found] == [
        ("Bob Birch", "read the original record of", "conversation-2", "client-2"),
        ("Bob Birch", "opened", "conversation-2", "client-2"),
        ("Alice Aldous", "opened", "conversation-1", "client-1"),
    ]


def test_by_person_by_record_and_by_time(alice, bob, auditor, item, other_item):
    open_(alice, item, other_item)
    open_(bob, item)
    client = sign_in(auditor)

    assert {row.who for row in rows(client, person=str(alice.user_id))} == {"Alice Aldous"}
    assert [row.who for row in rows(client, record=str(item.pk))] == ["Bob Birch", "Alice Aldous"]
    assert rows(client, until="2020-01-01") == []
    assert len(rows(client, since="2020-01-01")) == 3


def test_by_client_whose_reference_stands_in_no_address(alice, auditor, item, other_item):
    open_(alice, item, other_item)
    client = sign_in(auditor)

    sent = client.post(f"{PAGE}client/", {"client": "client-2"})
    found = client.get(sent["Location"])

    assert "client-2" not in sent["Location"]
    assert [row.client for row in found.context["page"].rows] == ["client-2"]
    (event,) = events("access.viewed")
    assert event["details"]["filters"] == ["client"]
    assert "client-2" not in str(event)
    assert event["parts"]["count"] == 1


def test_lists_and_searches_are_under_the_person_who_saw_them(alice, auditor, item):
    sign_in(alice).get("/queue/")
    sign_in(alice).post("/queue/search/", {"words": "somebody soon"}, follow=True)

    found = rows(sign_in(auditor), person=str(alice.user_id))

    assert [(row.words, row.count, row.record_id) for row in found] == [("searched", 1, None), ("saw first words in the queue", 1, None)]


def test_a_program_is_named_by_its_key(organisation, auditor, item):
    secret = make_key(organisation)
    Client(headers={"Authorization": f"Bearer {secret}"}).get(f"/api/v1/snapshots/{item.pk}")

    assert [row.who for row in rows(sign_in(auditor))] == ["the program “runtime”"]


def test_looking_is_itself_written_down_with_what_it_named(alice, auditor, item):
    open_(alice, item)
    rows(sign_in(auditor))

    (event,) = events("access.viewed")
    assert event["actor"]["id"] == str(auditor.user_id)
    assert event["details"] == {"filters": [], "shown": [str(item.pk)]}


def test_earlier_ones_are_on_further_pages_each_once(alice, auditor, item, monkeypatch):
    monkeypatch.setattr("reviewers.snapshots.access_log.PAGE_SIZE", 2)
    open_(alice, *[item] * 5)
    client, seen, address = sign_in(auditor), [], PAGE
    while address:
        response = client.get(address)
        seen += [row.at for row in response.context["page"].rows]
        address = f"{PAGE}?{response.context['earlier']}" if response.context["page"].earlier else ""

    assert len(seen) == len(set(seen)) == 5
    assert seen == sorted(seen, reverse=True)


def test_nothing_of_another_organisation_is_listed(alice, charlie, auditor, item):
    theirs = make_item(charlie.organisation)
    open_(charlie, theirs)
    client = sign_in(auditor)

    assert rows(client) == []
    assert rows(client, record=str(theirs.pk)) == []
    assert rows(client, person=str(charlie.user_id)) == []
    assert "Charlie" not in client.get(PAGE).content.decode()


@pytest.mark.parametrize("query", [{"person": "x"}, {"record": "1"}, {"since": "yesterday"}, {"before": "?"}, {"client": "x"}])
def test_what_makes_no_sense_is_passed_over(alice, auditor, item, query):
    open_(alice, item)

    assert len(rows(sign_in(auditor), **query)) == 1


def test_it_takes_few_queries_however_many_rows(alice, auditor, item, other_item):
    open_(alice, *[item, other_item] * 5)
    client = sign_in(auditor)
    rows(client)

    assert len(statements_of(lambda: rows(client))) <= 12


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.LEAD, Role.COORDINATOR])
def test_nobody_else_sees_it(organisation, role):
    client = sign_in(make_member(organisation, role))

    assert client.get(PAGE).status_code == 403
    assert f'href="{PAGE}"' not in client.get("/", follow=True).content.decode()


def test_whatever_shows_protected_text_counts_as_access():
    """A new kind of view has to be put into words here, or it would be missing from the page."""
    viewing = {action for action in Action if action.value.endswith((".viewed", ".searched"))} - {Action.ACCESS_VIEWED}

    assert viewing <= WORDS.keys()
