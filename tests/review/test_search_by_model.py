"""The page of an answer for which a model was asked for citations: what it proposed, what holds of it, what was left out, what failed."""

from __future__ import annotations

import pytest

from tests.factories import make_item
from tests.model_endpoint import KEY, NAME, citing, fails, saying, serving
from tests.review.desk import open_page
from tests.snapshots.searches import run, run_all, turn_on, waiting

CLAIM = "Birch House costs 95 pounds."
DOCUMENTS = [
    {"title": "Fees of this year", "content": "Birch House costs 95 pounds. Parking is free."},
    {"title": "Fees of last year", "content": "Birch House costs 90 pounds. Parking is free."},
]


@pytest.fixture
def model(settings):
    with serving(citing((CLAIM, 1, 0.9))) as script:
        settings.MODEL_URL, settings.MODEL_NAME, settings.MODEL_KEY, settings.MODEL_TIMEOUT = script.url, NAME, KEY, 10
        yield script


@pytest.fixture
def frozen(organisation):
    turn_on(organisation, "model")
    return make_item(organisation, response=f"{CLAIM} Parking is free.", documents=DOCUMENTS)


def search_line(page):
    return page.one("div", id="citation-search").one("dd").text


def test_before_it_is_asked_the_page_says_so(frozen, model, alice):
    assert search_line(open_page(alice, frozen)).startswith("Sources are being looked for by a model, in the background.")


def test_what_it_found_says_which_model_and_how_sure_it_says_it_is(frozen, model, alice):
    run_all()
    page = open_page(alice, frozen)

    assert search_line(page) == (
        "Sources of one place of the answer were found by the model careful-1. "
        "The answer itself does not cite them; they change nothing above."
    )
    assert "found afterwards by the model careful-1, score 0.90" in page.text
    assert [sup.text.split(" ")[0] for sup in page.one("div", class_="answer").find("sup", data_afterwards="")] != []


def test_a_source_without_a_figure_of_the_claim_carries_the_failing_check(frozen, model, alice):
    model.say(citing((CLAIM, 1, 0.9), (CLAIM, 2, 0.8)))
    run_all()
    page = open_page(alice, frozen)

    assert page.text.count("‘95’ stands nowhere in the source, in no form") == 1


def test_what_was_left_out_and_not_looked_at_is_told(organisation, model, alice):
    turn_on(organisation, "model")
    long = [{"title": "Long", "content": "Birch House costs 95 pounds. " * 1_000}]
    item = make_item(organisation, response=CLAIM, documents=DOCUMENTS + long)
    model.say(citing((CLAIM, 1, 1), (CLAIM, 1, 1), ("<b>Nobody says this.</b>", 1, 1), (CLAIM, 9, 1), (CLAIM, 1, 2), ("", 1, 1), (3, 1, 1)))
    run_all()

    assert search_line(open_page(alice, item)).endswith(
        "6 that did not hold were left out: 1 with a claim that does not stand in the answer, 1 for a source that there is not, "
        "1 given twice, 1 that cannot be read, 1 without a claim, 1 without a confidence between 0 and 1. "
        "Not everything was looked at: 1 of 3 sources cut."
    )


def test_a_failure_says_why_in_plain_words(frozen, model, alice):
    model.say(saying("Sure!"))
    run_all()

    assert search_line(open_page(alice, frozen)).startswith(
        "Sources were looked for by the model careful-1, and that failed: two replies in a row could not be used, "
        "the last because the reply cannot be read"
    )


def test_and_how_often_it_was_tried(frozen, model, alice):
    model.say(fails(503))
    (search,) = waiting()
    run(search, attempts_before=3)

    assert search_line(open_page(alice, frozen)).startswith(
        "Sources were looked for by the model careful-1, and that failed: the endpoint is busy (503). It was tried 4 times."
    )
