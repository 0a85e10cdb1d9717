"""The rows to check first are named above all rows, and nowhere where a reviewer may not know them."""

from __future__ import annotations

from reviewers.review.labels import actions
from reviewers.review.models import Verdict
from tests.factories import CITED, NOW, choose, make_item
from tests.markup import Element
from tests.review.desk import open_page
from tests.review.plans.planning import run_blind

CONTRADICTED = {"response": "The fit score is 75% [[TF:fit_score]].", "context": {"therapeutic_fit": {"fit_score": 0.85}}}
DENIED = {"response": "The fit score is 75%.", "context": {"therapeutic_fit": {"fit_score": 0.85}}}


def entries(page: Element) -> list[tuple[str, str]]:
    return [(link["href"], link.text) for nav in page.find("nav", class_="first") for link in nav.find("a")]


def test_a_row_that_contradicts_the_record_is_named_and_linked(organisation, alice):
    page = open_page(alice, make_item(organisation, **CONTRADICTED))

    ((address, words),) = entries(page)
    assert words == "Match score answer says 75%"
    assert page.one("tbody", id=address.removeprefix("#")).get("data-used") is not None


def test_a_row_that_is_folded_away_is_linked_with_its_fold_open(organisation, alice):
    item = make_item(organisation, **DENIED)

    ((address, words),) = entries(open_page(alice, item))
    assert (address, words) == ("?unfound=1#row-0", "Match score answer says 75%")
    assert open_page(alice, item, unfound=True).one("tbody", id="row-0")


def test_a_citation_whose_check_failed_is_named_and_linked(organisation, alice):
    page = open_page(alice, make_item(organisation, **CITED))

    ((address, words),) = entries(page)
    assert address == "#citation-0"
    assert words.startswith("Citation 1, Melatonin for adults ")
    assert page.one("div", id="citation-0")


def test_what_is_labelled_is_named_no_more(organisation, alice):
    item = make_item(organisation, **CONTRADICTED)
    actions.save_label(choice=choose(item), verdict=Verdict.MISSTATED, by=alice, now=NOW)

    assert entries(open_page(alice, item)) == []


def test_nothing_is_named_where_nothing_stands_out_or_who_reads_cannot_label(organisation, alice, auditor):
    assert entries(open_page(alice, make_item(organisation))) == []
    assert entries(open_page(auditor, make_item(organisation, **CONTRADICTED))) == []


def test_a_blind_reviewer_is_told_of_none_of_them(organisation, lead, alice):
    items = [make_item(organisation, **{"id": str(number), **turn}) for number, turn in enumerate((CONTRADICTED, DENIED, CITED))]
    run_blind(lead)

    for item in items:
        page = open_page(alice, item)
        assert entries(page) == []
        assert "Check these first" not in page.text
