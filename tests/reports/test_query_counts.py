"""How often the database is asked for the list and the pages: the same whatever is on them."""

from __future__ import annotations

from functools import partial

import pytest

from reviewers.review.labels import actions
from tests.factories import NOW, sign_in
from tests.reports.finding import make_suggestion
from tests.review.test_query_counts import FEW, MANY
from tests.statements import statements_of

MOST = 12


@pytest.fixture
def desk(coordinator):
    return sign_in(coordinator)


def test_the_list_takes_few_statements_however_long_it_is(organisation, desk):
    make_suggestion(organisation, **FEW)
    few = statements_of(partial(desk.get, "/why/"))
    for number in range(60):
        make_suggestion(organisation, **FEW, client_reference=f"client-{number}", provider=f"Provider {number % 7}")
    many = statements_of(partial(desk.get, "/why/"))

    assert len(few) == len(many) <= MOST, many


def test_a_search_takes_no_more(organisation, desk):
    make_suggestion(organisation)
    address = desk.post("/why/search/", {"words": "quill", "since": "2026-01-01"})["Location"]

    assert len(statements_of(partial(desk.get, address))) <= MOST


@pytest.mark.parametrize("address", ["", "compare/"])
def test_a_page_takes_few_statements_whatever_is_on_it(organisation, desk, alice, address):
    few = make_suggestion(organisation, **FEW, conversation_id="few")
    many = [make_suggestion(organisation, **MANY, conversation_id="many", provider=f"Provider {number}") for number in range(5)]
    for item in (few, *many):
        actions.label_remaining(item_id=item.pk, by=alice, now=NOW)
        actions.submit(item_id=item.pk, by=alice, now=NOW)

    counts = [len(statements_of(partial(desk.get, f"/why/{item.pk}/{address}"))) for item in (few, many[0])]

    assert counts[0] == counts[1] <= MOST
