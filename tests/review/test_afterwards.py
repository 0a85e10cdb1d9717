"""The page of an answer that cites nothing: what was found or attached afterwards stands apart, and a search says how it stands."""

from __future__ import annotations

import pytest
from django.urls import reverse

from attribution import FoundCitations, FoundReference, RefusalReason, RefusedCitation, SearchMethod
from reviewers.accounts.models import Organisation, Role
from reviewers.review.citation_search import search_status
from reviewers.review.queries import load_item
from reviewers.snapshots import citation_search as searching
from tests.events import events
from tests.factories import CITED, NOW, UNCITED, label, make_item, make_member, sign_in
from tests.markup import Element, read_markup
from tests.review.desk import FRAGMENT, act, notice_of, open_page, rows_of
from tests.snapshots.searches import failing, make_searched, run_all, turn_on
from tests.statements import statements_of


@pytest.fixture
def way(monkeypatch):
    """Sets how the method by words is gone."""
    return lambda function: monkeypatch.setitem(searching.WAYS, SearchMethod.WORDS, function)


@pytest.fixture
def failed(organisation, way):
    """An item whose search has failed."""
    item = make_searched(organisation)
    way(failing("the key was refused (401)", may_pass=False))
    run_all()
    return item


def line_of(page: Element) -> Element:
    return page.one("div", id="citation-search")


def told_by(line: Element) -> tuple[str, str]:
    return line.one("dt").text, line.one("dd").text


def fragment(member, item) -> Element:
    return line_of(read_markup(sign_in(member).get(reverse("citation_search", args=[item.pk]), headers=FRAGMENT)))


def test_where_nothing_was_asked_for_there_is_no_such_line(alice, organisation):
    for changes in (UNCITED, {}):
        assert not open_page(alice, make_item(organisation, **changes)).find(id="citation-search")


def test_a_pending_search_says_so_and_asks_again_by_itself(alice, organisation):
    item = make_searched(organisation)
    line = line_of(open_page(alice, item))

    assert told_by(line)[0] == "Looking for sources"
    assert (line["hx-get"], line["hx-swap"]) == (reverse("citation_search", args=[item.pk]), "outerHTML")
    assert line["hx-trigger"].startswith("every ")
    assert line.one("a")["href"] == f"/items/{item.pk}/"
    assert fragment(alice, item)["hx-get"] == line["hx-get"]


@pytest.mark.parametrize(("age", "wait"), [(0, 2), (60, 15), (3600, 30)])
def test_the_longer_it_waits_the_more_seldom_it_asks(alice, organisation, age, wait):
    search = load_item(alice, make_searched(organisation).pk).search

    assert search_status(search, NOW.fromtimestamp(search.asked_at.timestamp() + age, NOW.tzinfo)).wait == wait


def test_found_ones_have_their_own_mark_words_and_numbers_behind_all_others(alice, organisation):
    item = make_searched(organisation)
    before = open_page(alice, item)
    run_all()
    page = open_page(alice, item)

    sups = page.one("div", class_="answer").find("sup")
    assert [(sup["id"], sup.get("data-afterwards") is not None) for sup in sups] == [("fn-2", True), ("fn-1", False)]
    assert sups[0].one("a")["aria-label"] == "Footnote 2: source Asking first, found afterwards"
    assert "found afterwards, not cited by the model" in sups[0].one("span", role="tooltip").text
    assert "found afterwards" in page.one("p", class_="key").text
    assert rows_of(page)["risk_level"].find("a", class_="fn")[0].text == rows_of(before)["risk_level"].find("a", class_="fn")[0].text == "1"
    source = page.one("ol", class_="sources").find("li", tabindex="-1")[0]
    assert "found afterwards by words, score 0." in source.text
    assert told_by(line_of(page)) == (
        "Found afterwards",
        "Sources of one place of the answer were found by words. The answer itself does not cite them; they change nothing above.",
    )


def test_they_never_count_as_the_model_s_and_validity_stays_red(alice, organisation):
    item = make_searched(organisation)
    run_all()
    grounds = {each.one("dt").text: each.one("dd").text for each in open_page(alice, item).one("dl", class_="grounds").find("div")}

    assert grounds["Validity red"] == "the answer cites nothing"
    assert "Trust unverified" in grounds
    assert load_item(alice, item.pk).documents.cited == ()


def test_once_it_is_done_the_page_that_waited_offers_to_show_it(alice, organisation):
    item = make_searched(organisation)
    run_all()
    line = fragment(alice, item)

    assert line.get("hx-get") is None
    assert (line.one("a").text, line.one("a")["href"]) == ("Show them in the answer", f"/items/{item.pk}/")
    assert not line_of(open_page(alice, item)).find("a")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"response": "Ask your insurer about the deductible and the ceiling."},
            ("Nothing found", "Sources were looked for by words; none"),
        ),
        ({"response": "```\nls\n```"}, ("Not searched", "The answer is code alone")),
        ({"response": ""}, ("Not searched", "The answer is empty")),
        ({"documents": [{"title": "A leaflet without a text"}]}, ("Not searched", "No source has a text")),
    ],
)
def test_nothing_found_and_not_searched_are_told_apart(alice, organisation, changes, told):
    item = make_searched(organisation, **changes)
    run_all()
    badge, words = told_by(line_of(open_page(alice, item)))

    assert (badge, words[: len(told[1])]) == told


def test_a_failed_one_says_why_and_a_lead_can_look_again(lead, alice, failed, monkeypatch):
    assert told_by(line_of(open_page(alice, failed)))[0] == "Search failed"
    assert "the key was refused (401)." in line_of(open_page(alice, failed)).text
    assert not line_of(open_page(alice, failed)).find("form")
    assert line_of(open_page(lead, failed)).one("form")["action"] == f"/items/{failed.pk}/look-again/"

    monkeypatch.undo()
    assert act(sign_in(lead), failed, "look-again").status_code == 302
    assert told_by(line_of(open_page(alice, failed)))[0] == "Looking for sources"
    run_all()

    assert told_by(line_of(open_page(alice, failed)))[0] == "Found afterwards"
    assert [(event["details"]["number"], event["actor"]["id"]) for event in events("citation_search.asked")][1] == (2, str(lead.user_id))


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.AUDITOR, Role.ADMINISTRATOR, Role.COORDINATOR])
def test_nobody_else_can(organisation, failed, role):
    assert act(sign_in(make_member(organisation, role)), failed, "look-again").status_code == 403
    assert len(events("citation_search.asked")) == 1


def test_a_second_press_finds_nothing_that_failed(lead, failed):
    client = sign_in(lead)
    act(client, failed, "look-again")
    response = act(client, failed, "look-again")

    assert (response.status_code, notice_of(read_markup(response))) == (409, "There is no search here that failed.")
    assert len(events("citation_search.asked")) == 2


def test_while_the_switch_is_off_nothing_is_looked_for_again(lead, failed):
    Organisation.objects.update(citation_search="off")
    response = act(sign_in(lead), failed, "look-again")

    assert response.status_code == 409
    assert "turned off" in notice_of(read_markup(response))


def test_what_a_model_proposed_and_was_refused_is_counted_and_its_name_is_said(alice, organisation, way):
    item = make_searched(organisation)
    refused = RefusedCitation("x", 7, RefusalReason.SOURCE_OUT_OF_RANGE)
    found = FoundReference((0, 47), 1, None, 0.9, "")
    way(lambda *_: FoundCitations(SearchMethod.MODEL, (found,), (refused,), "model-a"))
    run_all()
    page = open_page(alice, item)

    assert told_by(line_of(page))[1] == (
        "Sources of one place of the answer were found by the model model-a. "
        "The answer itself does not cite them; they change nothing above. "
        "1 that did not hold was left out: 1 for a source that there is not."
    )
    assert "found afterwards by the model model-a, score 0.90" in page.one("ol", class_="sources").text


def test_attached_sources_are_told_apart_and_lift_validity_no_further_than_yellow(alice, organisation):
    organisation.repairs_answers = True
    page = open_page(alice, make_item(organisation, **UNCITED))

    grounds = {each.one("dt").text: each.one("dd").text for each in page.one("dl", class_="grounds").find("div")}
    assert grounds["Validity yellow"] == "the answer cites nothing; sources were attached afterwards"
    assert grounds["Sources added later"].endswith("not by the model.")
    assert page.one("ol", class_="sources").text.count("attached afterwards") >= 3
    assert not page.find("sup", data_source=True)


def test_a_stranger_learns_nothing_of_a_search(charlie, organisation):
    item = make_searched(organisation)

    assert sign_in(charlie).get(reverse("citation_search", args=[item.pk]), headers=FRAGMENT).status_code == 404


def test_the_page_and_a_label_take_as_many_statements_with_a_search_as_without(alice, organisation):
    cited = make_item(organisation, **CITED)
    found = make_searched(organisation)
    run_all()
    client = sign_in(alice)
    for item in (cited, found):
        label(client, item, headers=FRAGMENT)

    pages = [len(statements_of(lambda item=item: client.get(f"/items/{item.pk}/"))) for item in (cited, found)]
    labels = [len(statements_of(lambda item=item: label(client, item, verdict="wrong", headers=FRAGMENT))) for item in (cited, found)]

    assert pages[0] == pages[1] <= 12
    assert labels[0] == labels[1] <= 8


def test_asking_how_it_stands_takes_few_statements(alice, organisation):
    item = make_searched(organisation)
    client = sign_in(alice)

    assert len(statements_of(lambda: client.get(reverse("citation_search", args=[item.pk]), headers=FRAGMENT))) <= 4
    turn_on(organisation, "off")
