"""Search finds the words of the answer, of the user's text and of the names; what was sought is never in an address."""

from __future__ import annotations

import json

import pytest

from reviewers.ledger.models import EventSecret
from reviewers.review.queue.queries import PAGE_SIZE
from reviewers.snapshots.search import search_query, search_vector
from tests.events import events
from tests.factories import make_item, sign_in
from tests.markup import read_markup
from tests.sampling import sampled
from tests.state import state_of_tables


def search(member, words, **filters):
    """The page that a search leads to."""
    return sign_in(member).post("/queue/search/", {"words": words} | filters, follow=True)


def found(member, words) -> list[str]:
    """The external ids of what a search finds, in their order on the page."""
    response = search(member, words)
    assert response.status_code == 200
    return [row.name for row in response.context["page"].rows]


@pytest.fixture
def turns(organisation):
    """Three turns, the later ones named first."""
    common = {"conversation_id": None, "client_reference": None}
    make_item(organisation, id="third", response="An evening by the Rhône.", answered_at="2026-03-05T00:00:00Z", **common)
    make_item(organisation, id="second", user_text="Is there a QUIET evening?", answered_at="2026-03-04T00:00:00Z", **common)
    make_item(organisation, id="first", response="Quietly, in the evening [[SF:risk_level]].", answered_at="2026-03-03T00:00:00Z", **common)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("evening", ["first", "second", "third"]),
        ("EVENING", ["first", "second", "third"]),
        ("quiet", ["first", "second"]),
        ("quietly", ["first"]),
        ("quiet evening", ["first", "second"]),
        ("evening quiet by", []),
        ("rhone", ["third"]),
        ("Rhône", ["third"]),
        ("hone", []),
        ("second", ["second"]),
        ("model-a", ["first", "second", "third"]),
        ("zeppelin", []),
    ],
)
def test_all_words_have_to_begin_some_word_and_the_oldest_comes_first(alice, turns, words, expected):
    assert found(alice, words) == expected


@pytest.mark.parametrize(
    "name", ["id", "conversation_id", "client_reference", "provider", "model", "prompt_version", "schema_version", "user_text", "response"]
)
def test_every_name_and_both_messages_are_searched(alice, organisation, name):
    item = make_item(organisation, **{name: "zeppelin 4711"})
    make_item(organisation)

    rows = search(alice, "Zeppelin").context["page"].rows

    assert [row.id for row in rows] == [item.pk]


def test_values_of_the_context_are_not_searched(alice, organisation):
    make_item(organisation, context={"safety": {"risk_level": "zeppelin"}})

    assert found(alice, "zeppelin") == []


def test_a_marker_is_no_word_of_the_answer(alice, organisation):
    make_item(organisation, response="Good [[SF:risk_level]] morning.")

    assert found(alice, "risk_level") == []


WORDS = [
    *("1e5", "1e5x", "0x1f", "v18", "2026-03-04", "14:30", "3.5", "-5", "9am", "x²", "½", "ⅷ", "١٢"),
    *("risk_level", "e-mail", "don't", "a@b.co", "https://x.example/z?q=1", "R&D", "C++", "50%", "€81"),
    *("हिन्दी", "日本語", "您好", "น้ำ", "السلام", "ﬁt", "Straße", "İstanbul", "ǆ", "e\u0301tude", "co\u00adop", "zero\u200bwidth"),
]


@pytest.mark.parametrize("word", sampled(WORDS, more=10), ids=ascii)
def test_a_word_of_any_kind_is_found_as_it_was_written(alice, organisation, word):
    item = make_item(organisation, response=f"Now {word} here.")
    make_item(organisation, response="Now there.", model=None, prompt_version=None, id="other", conversation_id=None, client_reference=None)

    assert [row.id for row in search(alice, word).context["page"].rows] == [item.pk]


NONE: tuple[str, ...] = ()
ALL = ("first", "second", "third")
SIGNS = {
    **dict.fromkeys(["'", "''", "\\", "<->", "%", "*", "'; --", "\u200b", "👩", "&", "!()"], NONE),
    **dict.fromkeys(["!evening", "( evening", "evening:*", "evening:A", "'evening", "evening\\"], ALL),
    "evening & !quiet": ("first", "second"),
    "evening | rhone": ("third",),
    "quiet <-> evening": ("first", "second"),
}


@pytest.mark.parametrize("words", SIGNS, ids=ascii)
def test_signs_in_a_search_are_no_commands(alice, turns, words):
    """Only its words count; a search without any finds nothing."""
    assert tuple(found(alice, words)) == SIGNS[words]


@pytest.mark.parametrize("words", ["x" * 301, "a\0b", "", "   "])
def test_what_cannot_be_sought_leads_to_the_list_as_it_was(alice, turns, words):
    response = sign_in(alice).post("/queue/search/", {"words": words, "query": "model=model-a"})

    assert response["Location"] == "/queue/?model=model-a"


def test_the_longest_search_is_answered(alice, turns):
    assert found(alice, " ".join(["evening"] * 37)) == ["first", "second", "third"]
    assert found(alice, "e" * 300) == []


def test_the_words_stand_on_the_page_and_in_no_address(alice, turns):
    response = search(alice, "quiet <evening>")

    page = read_markup(response)
    assert page.one("input", id="words")["value"] == "quiet <evening>"
    assert page.one("caption").text == "2 answers oldest first, with “quiet <evening>”"
    assert response.redirect_chain[0][0].startswith("/queue/?search=")
    addresses = [each[name] for each in page.walk() for name in ("href", "action") if name in each.attributes]
    assert not [address for address in [*addresses, response.redirect_chain[0][0]] if "quiet" in address]


def test_a_search_narrows_what_is_chosen_and_can_be_taken_back(alice, organisation, turns):
    make_item(organisation, id="other model", response="Another evening.", model="model-b", conversation_id=None, client_reference=None)
    browser = sign_in(alice)

    both = browser.post("/queue/search/", {"words": "evening", "query": "model=model-b"}, follow=True)
    again = browser.post("/queue/search/", {"words": "", "query": both.redirect_chain[0][0].partition("?")[2]}, follow=True)

    assert [row.name for row in both.context["page"].rows] == ["other model"]
    assert again.redirect_chain[0][0] == "/queue/?model=model-b"


def test_a_new_search_takes_the_place_of_the_one_before(alice, turns):
    browser = sign_in(alice)
    first = browser.post("/queue/search/", {"words": "quiet"})["Location"]

    second = browser.post("/queue/search/", {"words": "rhone", "query": first.partition("?")[2]}, follow=True)

    assert [row.name for row in second.context["page"].rows] == ["third"]


def test_earlier_searches_stay_in_reach(alice, turns):
    browser = sign_in(alice)
    addresses = [browser.post("/queue/search/", {"words": words})["Location"] for words in ("rhone", "quiet")]

    assert [browser.get(address).context["page"].count for address in addresses] == [1, 2]


def test_a_search_that_is_forgotten_shows_everything(alice, turns):
    response = sign_in(alice).get("/queue/?search=0123abcd")

    assert response.context["page"].count == 3
    assert "with “" not in read_markup(response).one("caption").text


def test_what_is_found_is_paged(alice, organisation):
    for number in range(PAGE_SIZE + 1):
        make_item(organisation, response=f"evening {number}")
    browser = sign_in(alice)
    first = browser.post("/queue/search/", {"words": "evening"}, follow=True)

    later = browser.get("/queue/" + read_markup(first).one("a", rel="next")["href"])

    assert [len(each.context["page"].rows) for each in (first, later)] == [PAGE_SIZE, 1]
    assert later.context["chosen"].words == "evening"


def test_the_next_item_is_taken_from_what_was_found(alice, turns):
    browser = sign_in(alice)
    page = read_markup(browser.post("/queue/search/", {"words": "rhone"}, follow=True))

    form = {
        field["name"]: field["value"] for field in page.one("form", id="take-next").find("input") if field["name"] != "csrfmiddlewaretoken"
    }
    response = browser.post("/queue/next/", form, follow=True)

    assert "Rhône" in response.content.decode()


def test_a_search_is_an_event_that_commits_to_its_words_and_names_what_was_shown(alice, turns):
    response = search(alice, "quiet")

    (event,) = events("queue.searched")
    assert event["actor"]["id"] == str(alice.user_id)
    assert event["details"]["shown"] == [str(row.id) for row in response.context["page"].rows]
    assert event["parts"]["count"] == 2
    assert "quiet" not in json.dumps(event)
    kept = EventSecret.objects.get(event_id=event["id"])
    assert json.loads(bytes(kept.payload))["words"] == "quiet"


def test_keeping_the_words_of_a_search_shows_nothing_yet(alice, turns):
    browser = sign_in(alice)
    before = state_of_tables()

    browser.post("/queue/search/", {"words": "quiet"})

    assert state_of_tables() == before


def test_of_a_text_too_long_for_the_index_the_beginning_is_searched(alice, organisation):
    words = " ".join(f"{'я' * 55}{number}" for number in range(12_000))
    item = make_item(organisation, id="zeppelin", response=f"zebra {words} zither")

    assert [row.id for row in search(alice, "zebra zeppelin").context["page"].rows] == [item.pk]
    assert found(alice, "zither") == []


def test_an_index_entry_holds_each_word_once_and_nothing_that_could_be_read_as_a_sign():
    assert search_vector({"model": "B-1"}, "it's b 1", "c\\d 'e' b") == "'b' '1' 'it' 's' 'c' 'd' 'e'"


def test_a_query_asks_for_each_word_once():
    assert search_query("It's it, IT") == "'it':* & 's':*"
    assert search_query(" - ") == ""
