"""An answer with many documents: the page draws what is cited, folds the rest, and what is not drawn is there when it is looked at."""

from __future__ import annotations

import json

import pytest

from reviewers.review.items import ReviewItem
from reviewers.review.review_status import ReviewStatus
from tests.events import actions_of, events
from tests.factories import as_seen_by, make_item, sign_in
from tests.markup import Element, read_markup
from tests.review.desk import FRAGMENT, open_page
from tests.statements import statements_of

LEAFLETS = [
    {"id": f"leaflet-{number}", "title": f"Leaflet {number}", "content": f"Whoever takes {number} tablets a day should ask first."}
    for number in range(1, 101)
]
MANY = {
    "response": " ".join(f"Whoever takes {number} tablets should ask first [{number}]." for number in range(1, 61)),
    "documents": LEAFLETS,
}


@pytest.fixture
def many(organisation):
    return make_item(organisation, **MANY)


def rows_of(page: Element) -> list[Element]:
    return page.find("li", tabindex="-1")


def titles_of(rows: list[Element]) -> list[str]:
    return [row.find("b")[0].text for row in rows]


def passages_of(page: Element) -> list[Element]:
    return page.find("blockquote", class_="passage")


def in_full(alice, item) -> Element:
    return read_markup(sign_in(alice).get(f"/items/{item.pk}/?sources=all"))


def test_sources_that_nobody_cites_are_folded_under_their_number(alice, many):
    page = open_page(alice, many)

    assert titles_of(rows_of(page)) == [f"Leaflet {number}" for number in range(1, 81)]
    fold = page.one("details", id="uncited")
    assert fold.one("summary").text == "20 more sources that nothing cites"
    assert fold.one("a")["href"] == f"/items/{many.pk}/?sources=all#sources"
    assert "Sources, cited or not: 100" in page.text
    assert "Documents: 60 of 100 cited" in page.text


def test_what_is_folded_comes_when_it_is_opened(alice, many):
    address = open_page(alice, many).one("details", id="uncited")["hx-get"]

    fragment = read_markup(sign_in(alice).get(address, headers=FRAGMENT))

    assert titles_of(rows_of(fragment)) == [f"Leaflet {number}" for number in range(81, 101)]


def test_a_page_in_full_folds_nothing(alice, many):
    page = in_full(alice, many)

    assert titles_of(rows_of(page)) == [f"Leaflet {number}" for number in range(1, 101)]
    assert not page.find("details", id="uncited")
    assert not page.find(hx_get=True, class_="peek")
    assert [name for name, count in page.ids().items() if count > 1] == []


def test_more_citations_than_a_page_can_show_are_counted(alice, organisation, monkeypatch):
    monkeypatch.setattr("reviewers.review.page.source_rows.MOST_AT_ALL", 30)
    item = make_item(organisation, response="Ask first [1]. " * 40, documents=LEAFLETS[:1])

    page = sign_in(alice).get(f"/items/{item.pk}/?citations=all").content.decode()

    assert page.count("data-citation=") == 30
    assert "10 further citations of this source. They are more than a page can show." in page
    assert "data-more-citations" not in page


def test_few_sources_are_not_folded(alice, organisation):
    page = open_page(alice, make_item(organisation, **MANY | {"documents": LEAFLETS[:80]}))

    assert len(rows_of(page)) == 80
    assert not page.find("details", id="uncited")


def test_a_source_that_a_finding_is_about_is_never_folded(alice, organisation):
    text = "Whoever takes 1 tablet should ask first [1].\n\nSources used:\n[1] Leaflet 1\n[99] Leaflet 99"
    page = open_page(alice, make_item(organisation, **MANY | {"response": text}))

    assert "Leaflet 99" in titles_of(rows_of(page))


def test_a_passage_that_is_not_drawn_is_the_one_that_is_fetched(alice, many):
    drawn = [passage.text for passage in passages_of(in_full(alice, many))]
    page = open_page(alice, many)
    late = [details for details in page.find("details", hx_get=True) if details.find("blockquote")]

    assert len(drawn) == len(passages_of(page)) == 60
    assert [passage.text for passage in passages_of(page)[:50]] == drawn[:50]
    assert len(late) == 10
    assert [read_markup(sign_in(alice).get(each["hx-get"], headers=FRAGMENT)).text for each in late] == drawn[50:]
    assert late[0].one("a")["href"] == f"/items/{many.pk}/?sources=all#source-51"


def test_a_footnote_far_down_fetches_what_its_source_says_when_it_is_pointed_at(alice, many):
    peeks = open_page(alice, many).find("span", class_="peek")

    assert [peek.get("hx-get") for peek in peeks[:50]] == [None] * 50
    assert peeks[50]["hx-get"] == f"/items/{many.pk}/passages/50/51/"
    assert "51 tablets" in read_markup(sign_in(alice).get(peeks[50]["hx-get"], headers=FRAGMENT)).one("mark").text


@pytest.mark.parametrize("address", ["passages/60/1/", "passages/0/101/", "passages/0/0/", "passages/0/2/"])
def test_where_a_source_is_not_cited_there_is_nothing(alice, many, address):
    response = sign_in(alice).get(f"/items/{many.pk}/{address}", headers=FRAGMENT)

    assert read_markup(response).text == "Nothing was found there."


@pytest.mark.parametrize("address", ["sources/", "passages/0/1/"])
def test_what_is_fetched_is_an_event_and_takes_no_more_statements_than_the_page(alice, many, address):
    desk = sign_in(alice)
    whole = len(statements_of(lambda: desk.get(f"/items/{many.pk}/")))

    part = len(statements_of(lambda: desk.get(f"/items/{many.pk}/{address}")))

    assert part <= whole
    assert actions_of(events()[-2:]) == ["snapshot.viewed", "snapshot.viewed"]


def test_a_row_is_shown_without_a_source_being_read(alice, many):
    item = as_seen_by(alice, many)
    record = {name: value for name, value in item.record.items() if name != "documents"}

    assert ReviewItem(item.row, ReviewStatus(), (), record_text=json.dumps(record)).shown == item.shown


def test_of_very_many_claims_the_first_are_shown(organisation, alice):
    claims = [{"text": f"Claim {number}."} for number in range(502)]
    item = make_item(organisation, response="Ask first.", citations={"answer": "Ask first.", "claims": claims})

    page = open_page(alice, item)

    assert len(page.one("ul", class_="claims").find("li")) == 501
    assert [name for name, count in page.ids().items() if count > 1] == []
    assert "2 further claims are in the record." in page.text
