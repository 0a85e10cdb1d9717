"""Terms that pages explain where they stand, and the glossary that has all of them."""

from __future__ import annotations

import pytest

from reviewers.accounts.models import Role
from tests.factories import CITED, claim_words, make_item, make_member, sign_in
from tests.markup import read_markup


@pytest.mark.parametrize("role", Role)
def test_everybody_reads_it_and_each_term_has_its_place(organisation, role):
    page = read_markup(sign_in(make_member(organisation, role)).get("/glossary/"))

    entries = page.one("dl").find("div")
    assert len(entries) > 20
    assert all(each["id"] and each.one("dt").text and each.one("dd").text.endswith(".") for each in entries)
    assert set(page.ids().values()) == {1}


def test_each_term_of_a_page_shows_its_sentence_and_leads_to_its_place(organisation, alice):
    client = sign_in(alice)
    item = make_item(organisation, **CITED)
    claim_words(item, alice)
    entries = read_markup(client.get("/glossary/")).one("dl").find("div")
    glossary = {each["id"]: each.one("dd").text for each in entries}

    for path in (f"/items/{item.pk}/", "/queue/?state=all"):
        page = read_markup(client.get(path))
        terms = page.find("span", class_="term")
        assert terms
        assert set(page.ids().values()) == {1}
        for each in terms:
            link, told = each.one("a"), each.one("span", role="tooltip")
            assert link["aria-describedby"] == told["id"]
            assert told.text == glossary[link["href"].removeprefix("/glossary/#")]
