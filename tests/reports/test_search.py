"""A suggestion is found by client, provider, conversation and day, however these are typed; what was sought is in no address."""

from __future__ import annotations

import json

import pytest

from reviewers.accounts.models import Role
from reviewers.ledger.models import EventSecret
from reviewers.reports.why.queries import MOST_BESIDE
from reviewers.reports.why.search import PAGE_SIZE
from tests.events import events
from tests.factories import make_item, make_member, sign_in
from tests.markup import read_markup
from tests.reports.finding import found, make_suggestion, search


@pytest.fixture
def suggestions(organisation):
    """Three, the first one latest."""
    for day, provider, client, conversation in (
        (3, "Жанна O'Brien-Ødegård", "MB20714", "talk 9"),
        (4, "Dr. Renée Nwosu-Brandt, LPC", "NR-3021", "NR-3021"),
        (5, "林晓岚", "NR-3044", "evening/7"),
    ):
        make_suggestion(
            organisation, provider=provider, client_reference=client, conversation_id=conversation, answered_at=f"2026-03-0{day}T12:00:00Z"
        )


RENEE, ZHANNA, LIN = "Dr. Renée Nwosu-Brandt, LPC", "Жанна O'Brien-Ødegård", "林晓岚"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", [LIN, RENEE, ZHANNA]),
        ("renee", [RENEE]),
        ("RENÉE", [RENEE]),
        ("ren", [RENEE]),
        ("nwosu brandt", [RENEE]),
        ("nwosubrandt", [RENEE]),
        ("brandt renee", [RENEE]),
        ("Dr Nwosu", [RENEE]),
        ("Prof. Renee", [RENEE]),
        ("enee", [RENEE]),
        ("nr3021", [RENEE]),
        ("NR 3021", [RENEE]),
        ("nr-30-21", [RENEE]),
        ("NR – 3021", [RENEE]),
        ("3021", [RENEE]),
        ("NR", [LIN, RENEE]),
        ("ｎｒ３０", [LIN, RENEE]),
        ("mb-20714", [ZHANNA]),
        ("20714", [ZHANNA]),
        ("жан", [ZHANNA]),
        ("ЖАННА", [ZHANNA]),
        ("obrien", [ZHANNA]),
        ("o’brien", [ZHANNA]),
        ("odegard", [ZHANNA]),
        ("林", [LIN]),
        ("晓岚", [LIN]),
        ("talk", [ZHANNA]),
        ("evening 7", [LIN]),
        ("renee 3044", []),
        ("nobody", []),
        ("--", []),
        ("' & | ! :* ( \\", []),
    ],
)
def test_names_are_found_as_people_type_them(suggestions, coordinator, words, expected):
    assert found(coordinator, words) == expected


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ({"since": "2026-03-04"}, [LIN, RENEE]),
        ({"until": "2026-03-04"}, [RENEE, ZHANNA]),
        ({"since": "2026-03-04", "until": "2026-03-04"}, [RENEE]),
        ({"since": "2026-03-06"}, []),
        ({"since": "yesterday", "until": "9999-12-31"}, [LIN, RENEE, ZHANNA]),
    ],
)
def test_so_are_days(suggestions, coordinator, days, expected):
    assert found(coordinator, "", **days) == expected


def test_names_and_days_narrow_each_other(suggestions, coordinator):
    assert found(coordinator, "nr", until="2026-03-04") == [RENEE]


def test_an_answer_that_suggests_nobody_is_not_here(organisation, coordinator):
    item = make_item(organisation, provider="")

    assert found(coordinator, "") == found(coordinator, "conversation") == []
    assert sign_in(coordinator).get(f"/why/{item.pk}/").status_code == 404


def test_what_another_organisation_has_is_not_found(suggestions, charlie):
    assert found(make_member(charlie.organisation, Role.COORDINATOR), "nr") == []


def test_the_words_stand_in_no_address_and_in_no_log(suggestions, coordinator):
    response = search(coordinator, "renee", since="2026-03-01")
    ((address, status),) = response.redirect_chain

    assert status == 302
    assert address.startswith("/why/?since=2026-03-01&search=")
    assert "renee" not in address
    assert read_markup(response).one("input", name="words")["value"] == "renee"


def test_a_number_of_somebody_elses_search_is_no_search(suggestions, coordinator, auditor):
    address = search(coordinator, "renee").redirect_chain[0][0]

    assert len(sign_in(auditor).get(address).context["page"].rows) == 3


def test_pages_follow_each_other_and_lead_back(organisation, coordinator):
    for number in range(2 * PAGE_SIZE + 3):
        make_suggestion(organisation, answered_at=f"2026-03-03T10:{number // 2:02}:00Z", turn_index=number)
    client = sign_in(coordinator)
    first = client.get("/why/").context["page"]
    second = client.get("/why/", {"after": first.after}).context["page"]
    third = client.get("/why/", {"after": second.after}).context["page"]
    back = client.get("/why/", {"before": third.before}).context["page"]

    shown = [row.id for page in (first, second, third) for row in page.rows]
    assert len(set(shown)) == len(shown) == 2 * PAGE_SIZE + 3
    assert [row.answered_at for row in first.rows] == sorted((row.answered_at for row in first.rows), reverse=True)
    assert (first.before, third.after) == ("", "")
    assert [row.id for row in back.rows] == [row.id for row in second.rows]


@pytest.mark.parametrize(
    "key",
    [
        "nonsense",
        "2026-03-03T10:00:00~x",
        "~",
        "2026-03-03T10:00:00~01a2008f-3da2-7d9a-a775-f7b9f8f85ae5",
        "0001-01-01T00:00:00+23:59~01a2008f-3da2-7d9a-a775-f7b9f8f85ae5",
    ],
)
def test_what_is_no_key_means_the_first_page(suggestions, coordinator, key):
    assert len(sign_in(coordinator).get("/why/", {"after": key}).context["page"].rows) == 3


def test_a_row_says_whether_the_provider_was_named_before_and_whether_there_are_others(organisation, coordinator):
    for day, provider, conversation in (
        (1, "Ada Quill", "a"),
        (2, "Bo Reed", "a"),
        (3, "Ada Quill", "a"),
        (4, "Ada Quill", "b"),
        (5, "Ada Quill", ""),
    ):
        make_suggestion(organisation, provider=provider, conversation_id=conversation or None, answered_at=f"2026-03-0{day}T00:00:00Z")

    rows = sign_in(coordinator).get("/why/").context["page"].rows

    assert [(row.is_again, row.has_others) for row in rows] == [(False, False), (False, False), (True, True), (False, True), (False, True)]


def test_a_row_is_told_by_the_first_suggestions_of_its_conversation(organisation, coordinator):
    """Those that its page lists: however many a program sends of one conversation, the list does not read them all for each row."""
    for number in range(MOST_BESIDE + 2):
        provider = "Bo Reed" if number >= MOST_BESIDE else "Ada Quill"
        make_suggestion(organisation, provider=provider, conversation_id="a", answered_at=f"2026-03-01T00:{number:02}:00Z")

    last, before, *rows = sign_in(coordinator).get("/why/").context["page"].rows

    assert [(row.is_again, row.has_others) for row in (last, before)] == [(False, True), (False, True)]
    assert {(row.is_again, row.has_others) for row in rows} == {(True, False)}


def test_each_list_is_an_event_that_commits_to_what_was_sought(suggestions, coordinator):
    search(coordinator, "renee", since="2026-03-01")

    (event,) = events("why.searched")
    assert event["actor"]["id"] == str(coordinator.user_id)
    assert len(event["details"]["shown"]) == 1
    assert "renee" not in json.dumps(event)
    payload = json.loads(bytes(EventSecret.objects.get(pk=event["id"]).payload))
    assert payload == {"filter": '{"since":"2026-03-01"}', "words": "renee"}


def test_the_list_leads_to_the_page_and_nowhere_a_coordinator_may_not_go(organisation, coordinator):
    item = make_suggestion(organisation)
    client = sign_in(coordinator)
    page = read_markup(client.get("/", follow=True))
    links = {link["href"] for link in page.find("a") if link["href"].startswith("/")}

    assert f"/why/{item.pk}/" in links
    assert {client.get(link).status_code for link in links} <= {200, 302}


def test_a_list_of_nothing_says_how_something_comes_here(coordinator):
    page = read_markup(sign_in(coordinator).get("/why/"))

    assert "No provider has been suggested yet" in page.one("main").text


def test_a_search_without_result_says_how_to_find_more(organisation, coordinator):
    make_item(organisation, provider="Ada Quill")

    without, within = (read_markup(search(coordinator, "zebra", **days)).one("main").text for days in ({}, {"since": "2026-01-01"}))
    assert "Nothing found" in without
    assert "without the days" not in without
    assert "Or look without the days." in within
