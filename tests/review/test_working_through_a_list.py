"""Whoever works through a filtered list stays in it: what follows an item is what follows it there."""

from __future__ import annotations

import pytest
from django.utils import timezone

from reviewers.review.labels import actions
from tests.factories import make_item, sign_in
from tests.markup import read_markup
from tests.review.desk import act

FILTER = "guardrail=contradicted&model=model-b"
CONTRADICTED = {"response": "The fit score is 75%.", "context": {"therapeutic_fit": {"fit_score": 0.85}}}
LIST = f"/queue/?{FILTER}"


@pytest.fixture
def items(organisation):
    """By turns such that the filter leaves, and others, the oldest first."""
    kinds = ({"model": "model-b", **CONTRADICTED}, {"model": "model-a"})
    return [make_item(organisation, answered_at=f"2026-03-0{day + 1}T00:00:00Z", **kinds[day % 2]) for day in range(7)]


@pytest.fixture
def desk(alice, items):
    """Somebody who has opened the filtered list."""
    browser = sign_in(alice)
    browser.get(LIST)
    return browser


def page_of(item) -> str:
    return f"/items/{item.pk}/"


def test_submitting_and_skipping_lead_through_the_list_and_back_to_it(desk, items):
    first, second, third, fourth = items[::2]

    assert desk.post("/queue/next/", {"query": FILTER})["Location"] == page_of(first)
    act(desk, first, "label-remaining")
    assert act(desk, first, "submit")["Location"] == page_of(second)
    assert act(desk, second, "skip", reason="later")["Location"] == page_of(third)
    assert act(desk, third, "skip", as_fragment=True, reason="later")["HX-Redirect"] == page_of(fourth)
    assert act(desk, fourth, "skip", reason="later")["Location"] == f"{LIST}&nothing=1"


def test_taking_the_next_from_a_page_takes_it_from_the_list(desk, alice, items):
    actions.label_remaining(item_id=items[0].pk, by=alice, now=timezone.now())
    actions.submit(item_id=items[0].pk, by=alice, now=timezone.now())

    assert desk.post("/queue/next/")["Location"] == page_of(items[2])


def test_beside_an_item_lie_its_neighbours_in_the_list(desk, items):
    assert desk.get(page_of(items[2]) + "next/")["Location"] == page_of(items[4])
    assert desk.get(page_of(items[2]) + "previous/")["Location"] == page_of(items[0])
    assert desk.get(page_of(items[3]) + "next/")["Location"] == page_of(items[4]), "an item that the filter leaves out"
    assert desk.get(page_of(items[6]) + "next/")["Location"] == LIST


def test_what_follows_is_what_follows_in_the_order_of_the_list(desk, items):
    desk.get("/queue/?order=newest")
    assert desk.get(page_of(items[3]) + "next/")["Location"] == page_of(items[2])
    assert desk.get(page_of(items[3]) + "previous/")["Location"] == page_of(items[4])
    assert desk.post("/queue/next/", {"query": "order=newest"})["Location"] == page_of(items[6])
    act(desk, items[6], "let-go")

    desk.get("/queue/?order=risk")

    assert desk.get(page_of(items[6]) + "next/")["Location"] == page_of(items[1]), "after the contradicted ones"
    assert desk.get(page_of(items[1]) + "previous/")["Location"] == page_of(items[6])
    assert desk.post("/queue/next/", {"query": "order=risk"})["Location"] == page_of(items[0])


@pytest.mark.parametrize("query", [FILTER, f"{FILTER}&state=to_do", f"{FILTER}&state=held"])
def test_in_a_list_of_what_is_to_do_the_one_just_finished_is_still_the_one_before(desk, items, query):
    desk.get(f"/queue/?{query}")
    act(desk, items[0], "label-remaining")
    act(desk, items[0], "submit")

    assert desk.get(page_of(items[2]) + "previous/")["Location"] == page_of(items[0])


def test_in_a_list_of_what_is_finished_or_skipped_only_that_lies_beside_an_item(desk, items):
    for item in (items[1], items[4]):
        act(desk, item, "skip", reason="later")
    desk.get("/queue/?state=skipped")

    assert desk.get(page_of(items[1]) + "next/")["Location"] == page_of(items[4])


def test_a_page_and_letting_go_lead_back_to_the_list(desk, items):
    act(desk, items[0], "take")

    links = {link["href"] for link in read_markup(desk.get(page_of(items[0]))).find("a", href=True)}

    assert {LIST, f"{LIST}#words"} <= links
    assert not {"/queue/", "/queue/#words"} & links
    assert act(desk, items[0], "let-go")["Location"] == LIST


def test_an_item_taken_from_a_list_in_another_window_is_followed_by_those_of_its_own(desk, items):
    desk.get("/queue/?model=model-a")

    desk.post("/queue/next/", {"query": FILTER})

    assert act(desk, items[0], "skip", reason="later")["Location"] == page_of(items[2])


def test_opening_the_list_without_a_filter_forgets_it(desk, items):
    desk.get("/queue/")

    assert desk.get(page_of(items[0]) + "next/")["Location"] == page_of(items[1])


def test_a_search_is_a_list_as_well(alice, organisation, items):
    found = make_item(organisation, id="zeppelin", answered_at="2026-03-09T00:00:00Z")
    desk = sign_in(alice)
    desk.post("/queue/search/", {"words": "zeppelin"}, follow=True)

    assert desk.get(page_of(items[0]) + "next/")["Location"] == page_of(found)


def test_the_page_of_a_list_and_what_is_no_filter_are_not_remembered(desk, items):
    desk.get(f"{LIST}&after=x&nothing=1&nonsense={'y' * 100}")

    assert act(desk, items[0], "let-go")["Location"] == LIST


def test_a_filter_longer_than_an_address_may_be_is_not_remembered(desk, items):
    desk.post("/queue/next/", {"query": "model=" + "x" * 10_000})

    assert act(desk, items[0], "let-go")["Location"] == LIST


def test_what_one_works_through_is_nobody_elses_business(desk, bob, items):
    assert sign_in(bob).get(page_of(items[0]) + "next/")["Location"] == page_of(items[1])
