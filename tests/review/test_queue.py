"""The queue: filtered, counted, paged by key; every number on it is true."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from datetime import timedelta
from operator import itemgetter
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.utils import timezone

from reviewers.accounts.models import Organisation
from reviewers.ledger.models import EventSecret
from reviewers.review.labels import actions
from reviewers.review.models import QueueItem, Verdict
from reviewers.review.queue import counts, queries
from reviewers.review.queue.filters import MOST_CHIPS, Filter, in_states, matching
from reviewers.review.queue.order import Order, in_order, read_key
from reviewers.review.queue.queries import PAGE_SIZE
from reviewers.review.verification import check_queue
from tests.events import events
from tests.factories import NOW, UNCITED, choose, choose_finding, flag_finding, label, make_item, make_items, sign_in
from tests.markup import Element, read_markup
from tests.review.desk import act
from tests.review.measured import freeze_under, measured_as
from tests.review.plans.planning import run_blind
from tests.sampling import sampled

ALL_STATES = "state=to_do&state=skipped&state=submitted"
NAMELESS = {"conversation_id": None, "client_reference": None}


def ask(member, query=""):
    response = sign_in(member).get(f"/queue/?{query}")
    assert response.status_code == 200
    return response


def names(member, query="") -> list[str]:
    """The external ids on a page of the list."""
    return [row.name for row in ask(member, query).context["page"].rows]


def make_named(organisation, turns: Mapping[str, Mapping[str, Any]]) -> dict[str, QueueItem]:
    """Items that the list shows by their external ids."""
    items = make_items(organisation, *({"id": name} | NAMELESS | changes for name, changes in turns.items()))
    return dict(zip(turns, items, strict=True))


@pytest.fixture
def various(organisation, alice, bob):
    """Items that differ in everything that can be filtered by; named by what they are, the oldest first."""
    plain = {"response": "Good morning.", "context": {"safety": {"risk_level": "elevated"}}}
    turns = {
        "cited": {"response": "Risk is elevated [[SF:risk_level]].", "model": "model-b"},
        "mixed": {"prompt_version": "prompt 2"},
        "heuristic": {"response": "The risk is elevated.", "context": {"safety": {"risk_level": "elevated"}}},
        "none": plain,
        "unknown": {"response": "Risk is elevated [[SF:nothing]].", "model": "model-b", "prompt_version": "prompt 2"},
        "nameless": plain | {"model": None, "prompt_version": None},
        "skipped": plain,
        "submitted": plain,
        "held": plain,
        "flagged": {"response": "Not [SF:risk_level] a word."},
    }
    dated = {name: {"answered_at": f"2026-03-{day:02}T12:00:00Z"} | turns[name] for day, name in enumerate(turns, start=1)}
    items = make_named(organisation, dated)
    actions.skip(item_id=items["skipped"].pk, reason="later", by=alice, now=NOW)
    actions.submit(item_id=items["submitted"].pk, by=alice, now=NOW)
    actions.take(item_id=items["held"].pk, by=bob, now=timezone.now())
    flag_finding(choice=choose_finding(items["flagged"], "malformed"), note="look", by=bob, now=NOW)
    return items


TO_DO = ["cited", "mixed", "heuristic", "none", "unknown", "nameless", "held", "flagged"]

FILTERS = {
    "": TO_DO,
    "state=to_do": TO_DO,
    "state=held": ["held"],
    "state=skipped": ["skipped"],
    "state=submitted": ["submitted"],
    "state=skipped&state=submitted": ["skipped", "submitted"],
    "state=skipped&state=held": ["skipped", "held"],
    ALL_STATES: [*TO_DO[:6], "skipped", "submitted", *TO_DO[6:]],
    "state=splendid": TO_DO,
    "source=citation": ["cited"],
    "source=mixed": ["mixed"],
    "source=heuristic": ["heuristic", "unknown"],
    "source=none": ["none", "nameless", "held", "flagged"],
    "source=citation&source=mixed": ["cited", "mixed"],
    "model=model-b": ["cited", "unknown"],
    "model=": ["nameless"],
    "model=model-b&model=": ["cited", "unknown", "nameless"],
    "prompt=prompt+2": ["mixed", "unknown"],
    "model=model-b&prompt=prompt+2": ["unknown"],
    "model=model-b&source=mixed": [],
    "guardrail=unknown": ["unknown"],
    "guardrail=malformed": ["flagged"],
    "guardrail=unknown&guardrail=malformed": ["unknown", "flagged"],
    "section=therapeutic_fit": ["mixed"],
    "section=safety&source=citation": ["cited"],
    "section=nowhere": [],
    "since=2026-03-09": ["held", "flagged"],
    "until=2026-03-02": ["cited", "mixed"],
    "since=2026-03-02&until=2026-03-02": ["mixed"],
    "since=2026-03-03&until=2026-03-02": [],
    "since=soon&until=never": TO_DO,
    "flagged=on": ["flagged"],
    "flagged=on&state=skipped": [],
    "flagged=": TO_DO,
    "colour=blue": TO_DO,
}


def test_a_filter_leaves_what_it_says_the_oldest_first(various, alice):
    pages = {query: ask(alice, query).context["page"] for query in FILTERS}

    assert {query: [row.name for row in page.rows] for query, page in pages.items()} == FILTERS
    assert {query: page.count for query, page in pages.items()} == {query: len(left) for query, left in FILTERS.items()}


def legend(page: Element, title: str) -> Element:
    return next(each for each in page.find("fieldset") if each.find("legend") and each.one("legend").text == title)


def options(page: Element, title: str) -> dict[str, int]:
    """The values of a filter as the page words them, with their counts."""
    told = {}
    for each in legend(page, title).find("label"):
        words, _, count = each.text.rpartition(" ")
        told[words] = int(count)
    return told


def test_each_value_is_offered_with_how_many_answers_have_it(various, alice):
    page = read_markup(ask(alice))

    assert options(page, "Source of attribution") == {"None": 6, "Heuristic": 2, "Citation": 1, "Mixed": 1}
    assert options(page, "Model") == {"model-a": 7, "model-b": 2, "not given": 1}
    assert options(page, "Prompt") == {"prompt 1": 7, "prompt 2": 2, "not given": 1}
    assert options(page, "Guardrail") == {"Malformed marker": 1, "Over-cited": 1, "Unknown citation": 1}
    assert options(page, "Section") == {"Safety": 4, "About the provider provider_genome": 1, "How well they match therapeutic_fit": 1}


def test_offered_counts_are_those_of_the_list_in_all_states(various, alice):
    page = read_markup(ask(alice))
    for title in ("Model", "Prompt", "Section"):
        counts = options(page, title).values()
        for box, count in zip(legend(page, title).find("input"), counts, strict=True):
            chosen = urlencode({box["name"]: box["value"]})
            assert ask(alice, f"{ALL_STATES}&{chosen}").context["page"].count == count


def test_states_are_counted(various, alice):
    page = read_markup(ask(alice))

    states = [label.text for label in legend(page, "Status").find("label")]
    assert states == ["To do 8", "Being reviewed", "Skipped 1", "Submitted 1"]
    assert page.one("progress")["value"] == "1"
    assert page.one("progress")["max"] == "10"
    assert "1 of 10 submitted" in page.one("main").text


def test_counts_follow_what_happens_to_items(organisation, alice):
    first, second = make_item(organisation), make_item(organisation)
    seen = [ask(alice).context["counts"]]
    actions.skip(item_id=first.pk, reason="later", by=alice, now=NOW)
    seen.append(ask(alice).context["counts"])
    actions.take(item_id=first.pk, by=alice, now=NOW)
    actions.label_remaining(item_id=second.pk, by=alice, now=NOW)
    actions.submit(item_id=second.pk, by=alice, now=NOW)
    seen.append(ask(alice).context["counts"])

    assert [{name: count for name, count in each.items() if count} for each in seen] == [
        {"all": 2, "to_do": 2},
        {"all": 2, "to_do": 1, "skipped": 1},
        {"all": 2, "to_do": 1, "submitted": 1},
    ]


def test_what_is_chosen_is_shown_as_chosen_and_can_be_cleared(various, alice):
    page = read_markup(ask(alice, "state=skipped&model=model-b&since=2026-03-01&until=2026-03-04&flagged=on"))

    chosen = {(field["name"], field["value"]) for field in page.find("input", type="checkbox", checked=True)}
    assert chosen == {("state", "skipped"), ("model", "model-b"), ("flagged", "on")}
    assert [field["value"] for field in page.find("input", type="date")] == ["2026-03-01", "2026-03-04"]
    assert [link["href"] for link in page.find("a") if link.text == "Back to what is to do"] == ["/queue/"]


def test_a_rare_value_that_is_chosen_stays_on_the_form(organisation, alice):
    make_items(organisation, *({"model": f"model-{number:02}"} for number in range(31)))

    page = read_markup(ask(alice, "model=model-30"))

    offered = legend(page, "Model").find("input")
    assert len(offered) == 31
    assert [field["value"] for field in offered if "checked" in field.attributes] == ["model-30"]


def walk(member, query, rel):
    """The names on each page, following a link from page to page."""
    browser, address, pages = sign_in(member), f"/queue/?{query}", []
    while address:
        response = browser.get(address)
        pages.append([row.name for row in response.context["page"].rows])
        links = read_markup(response).find("a", rel=rel)
        address = "/queue/" + links[0]["href"] if links else ""
        assert len(pages) < 10
    return pages


@pytest.fixture
def many(organisation):
    """Two pages and a half, most of them answered at the same moments."""
    count = 2 * PAGE_SIZE + PAGE_SIZE // 2
    items = make_named(organisation, {f"turn {number}": {"answered_at": f"2026-03-0{1 + number % 3}T00:00:00Z"} for number in range(count)})
    return sorted(items, key=lambda name: (items[name].answered_at, items[name].pk))


def test_paging_shows_every_item_once_in_both_directions(many, alice):
    forwards = walk(alice, "", "next")

    assert [len(page) for page in forwards] == [PAGE_SIZE, PAGE_SIZE, PAGE_SIZE // 2]
    assert [name for page in forwards for name in page] == many
    last = f"after={many_key(many[2 * PAGE_SIZE - 1])}"
    assert walk(alice, last, "prev") == forwards[::-1]


def many_key(name) -> str:
    item = QueueItem.objects.get(snapshot__external_id=name)
    return f"{item.answered_at.isoformat()}~{item.pk}".replace("+", "%2B")


def test_the_first_page_leads_only_forwards_and_the_last_only_back(many, alice):
    first = read_markup(ask(alice))
    last = read_markup(ask(alice, f"after={many_key(many[2 * PAGE_SIZE - 1])}"))

    assert [len(first.find("a", rel=rel)) for rel in ("prev", "next")] == [0, 1]
    assert [len(last.find("a", rel=rel)) for rel in ("prev", "next")] == [1, 0]
    assert f"{len(many)} answers" in first.one("caption").text
    assert f"{PAGE_SIZE // 2} shown" in last.one("nav", aria_label="Pages").text


def test_a_page_keeps_its_place_while_items_arrive_and_go(organisation, many, alice):
    browser = sign_in(alice)
    second = "/queue/" + read_markup(browser.get("/queue/")).one("a", rel="next")["href"]
    before = [row.name for row in browser.get(second).context["page"].rows]
    make_named(organisation, {"early": {"answered_at": "2026-02-01T00:00:00Z"}, "late": {"answered_at": "2026-04-01T00:00:00Z"}})
    gone = QueueItem.objects.get(snapshot__external_id=many[3])
    actions.skip(item_id=gone.pk, reason="later", by=alice, now=NOW)

    assert [row.name for row in browser.get(second).context["page"].rows] == before


@pytest.mark.parametrize("bound", [10, 10_000])
def test_few_that_are_sorted_and_many_that_are_looked_through_make_the_same_pages(many, alice, monkeypatch, bound):
    monkeypatch.setattr(queries, "COUNTED_UP_TO", bound)

    forwards = walk(alice, "model=model-a&section=safety", "next")

    assert [name for page in forwards for name in page] == many
    last = f"model=model-a&section=safety&after={many_key(many[2 * PAGE_SIZE - 1])}"
    assert walk(alice, last, "prev") == forwards[::-1]


@pytest.fixture
def risky(organisation, many):
    """Many others, of which some contradict the record, some are unsure, and some cite what does not say so; those riskiest first."""
    contradicted = {"response": "The fit score is 75%.", "context": {"therapeutic_fit": {"fit_score": 0.85}}}
    kinds = (("con", contradicted), ("red", UNCITED))
    turns = {f"{name} {day}": kind | {"answered_at": f"2026-03-0{day}T00:00:00Z"} for day in (1, 2) for name, kind in kinds}
    for day in (1, 2):
        make_unsure(organisation, id=f"low {day}", answered_at=f"2026-03-0{day}T00:00:00Z")
    made = make_named(organisation, turns)
    assert all("validity:red" in QueueItem.objects.get(pk=item.pk).facets for name, item in made.items() if name[:3] == "red")
    unsent = {"response": "", "abstention_reason": "no source answers that", "answered_at": "2026-03-09T00:00:00Z"}
    make_named(organisation, {"not sent": unsent})
    return ["con 1", "con 2", "low 1", "low 2", "red 1", "red 2", *many, "not sent"]


def make_unsure(organisation, cutoff=0.9, **record) -> QueueItem:
    """An answer with a name of which reviewers found four in five right."""
    return freeze_under(organisation, NAMELESS | record, calibration=measured_as({"name.full_name": 0.8}, cutoff))


@pytest.mark.parametrize("bound", [10, 10_000])
@pytest.mark.parametrize("query", ["order=risk", "order=risk&model=model-a"])
def test_the_riskiest_first_is_paged_in_both_directions(risky, alice, monkeypatch, query, bound):
    monkeypatch.setattr(queries, "COUNTED_UP_TO", bound)

    forwards = walk(alice, query, "next")

    assert [name for page in forwards for name in page] == risky
    last = f"{query}&after=3~{many_key(forwards[1][-1])}"
    assert walk(alice, last, "prev") == forwards[::-1]


def test_an_answer_with_a_confidence_below_the_cut_off_says_so_in_the_list(organisation, alice):
    make_unsure(organisation, id="low")
    make_unsure(organisation, cutoff=0.7, id="sure")
    make_named(organisation, {"scores": {}})

    badges = {row.name: row.below.text if row.below else "" for row in ask(alice).context["page"].rows}

    assert badges == {"low": "Low confidence", "sure": "", "scores": ""}
    assert read_markup(ask(alice)).text.count("Low confidence") == 1
    assert names(alice, "order=risk")[0] == "low"
    check_queue(organisation.pk)


def test_nothing_is_told_of_confidences_that_are_not_believed(organisation, alice):
    item = make_unsure(organisation, id="low")
    Organisation.objects.filter(pk=organisation.pk).update(suspended_profiles=[item.attribution.profile_id])

    assert "Low confidence" not in read_markup(ask(alice)).text


def test_the_order_by_risk_uses_its_index(organisation, alice):
    make_item(organisation)
    items = in_states(matching(organisation, Filter()), frozenset({"to_do"}), NOW)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
    key = read_key(f"1~{many_key(QueueItem.objects.get().snapshot.external_id).replace('%2B', '+')}", Order.RISK)

    plan = in_order(items, key, Order.RISK, forwards=True).explain()

    assert "queue_by_risk" in plan
    assert "Sort" not in plan


def test_the_newest_first_is_paged_in_both_directions(many, alice):
    forwards = walk(alice, "order=newest", "next")

    assert [name for page in forwards for name in page] == many[::-1]
    last = f"order=newest&after={many_key(forwards[1][-1])}"
    assert walk(alice, last, "prev") == forwards[::-1]


def test_the_order_is_reached_by_keyboard_without_going_through_the_filters(many, alice):
    page = read_markup(ask(alice))

    skip = page.one("div", class_="with-side").find("a")[0]
    target = page.one("div", id=skip["href"].removeprefix("#"))
    assert skip.text == "Skip the filters"
    assert target.find("nav")[1]["aria-label"] == "Order"
    assert not target.find("input", type="checkbox")


def test_the_order_stays_on_and_is_no_filter(various, alice):
    page = read_markup(ask(alice, "state=to_do&model=model-b&order=newest"))

    assert page.one("caption").text == "2 answers newest first"
    assert chips(page) == {"To do": "state=all&model=model-b&order=newest", "Model: model-b": "state=to_do&order=newest"}
    orders = {link.text: link["href"] for link in page.one("nav", aria_label="Order").find("a")}
    assert orders["Oldest first"] == "/queue/?state=to_do&model=model-b"
    assert page.one("input", name="order")["value"] == "newest"


def test_the_order_by_risk_leaves_out_what_it_may_not_tell(various, lead, alice):
    run_blind(lead)

    assert names(alice, "order=risk") == ["held"], "which the plan has not drawn"
    assert "answers under blind review are left out" in read_markup(ask(alice, "order=risk")).text
    assert names(alice, "order=newest") == TO_DO[::-1]


def test_a_filter_stays_on_while_paging(organisation, many, alice):
    make_named(organisation, {f"other {number:02}": {"model": "model-b"} for number in range(PAGE_SIZE + 1)})

    pages = walk(alice, "model=model-b&section=safety", "next")

    assert [len(page) for page in pages] == [PAGE_SIZE, 1]
    assert all(name.startswith("other") for page in pages for name in page)


NO_KEYS = ["x", "~", "2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z~x", "soon~01a1f9c5-30fe-74f3-ae60-7bef9034f7ac", "%00"]
NO_KEYS += [f"{moment}~{'f' * 32}" for moment in ("0001-01-01T00:00:00%2B23:59", "9999-12-31T23:59:59-23:59")]


@pytest.mark.parametrize(("way", "key"), sampled(itertools.product(["after", "before"], NO_KEYS), itemgetter(0), more=2))
def test_a_key_that_is_none_leads_to_the_first_page(many, alice, way, key):
    response = ask(alice, f"{way}={key}")

    assert [row.name for row in response.context["page"].rows] == many[:PAGE_SIZE]
    assert not read_markup(response).find("a", rel="prev")


def test_a_page_that_has_emptied_meanwhile_says_so_and_leads_to_the_first_one(many, alice):
    page = read_markup(ask(alice, f"model=model-a&after={many_key(many[-1])}"))

    empty = page.one("div", class_="empty")
    assert empty.one("h2").text == "Nothing is left on this page"
    assert empty.one("a")["href"] == "/queue/?model=model-a"


def test_a_queue_in_which_nothing_ever_was_says_how_to_fill_it(organisation, alice):
    page = read_markup(ask(alice))

    assert page.one("div", class_="empty").one("h2").text == "The queue is empty"
    assert page.one("div", class_="empty").one("a")["href"] == "/api/"
    assert "0 of 0 submitted" in page.one("main").text


def test_a_queue_in_which_nothing_is_to_do_leads_to_what_is_done(item, alice):
    actions.skip(item_id=item.pk, reason="later", by=alice, now=NOW)

    empty = read_markup(ask(alice)).one("div", class_="empty")

    assert empty.one("h2").text == "Nothing to do"
    assert names(alice, empty.one("a")["href"].removeprefix("?")) == ["conversation-1"]


def test_a_filter_that_leaves_nothing_can_be_cleared(item, alice):
    empty = read_markup(ask(alice, "model=nobody")).one("div", class_="empty")

    assert empty.one("h2").text == "No answer matches"
    assert empty.one("a")["href"] == "/queue/"


def cells(page: Element) -> list[dict[str, str]]:
    return [{cell["data-name"]: cell.text for cell in row.find("td")} for row in page.one("tbody").find("tr")]


def test_a_row_shows_what_stands_in_the_item(organisation, alice):
    item = make_item(organisation, response="One  two\n\nthree [[SF:nothing]] four [[SF:neither]].")

    page = read_markup(ask(alice))

    heading = page.one("tbody").one("th")
    assert heading.one("a")["href"] == f"/items/{item.pk}/"
    assert heading.text == "conversation-1 turn 3 · 4 Mar 2026, 01:42One two three four."
    (row,) = cells(page)
    assert (row["model"], row["source"], row["labelled"], row["state"]) == ("model-aprompt 1", "None", "0 of 0", "Unassigned")
    assert row["findings"] == "Over-cited 2 × Unknown citation"


def test_a_row_is_named_by_conversation_else_client_else_its_own_id(organisation, alice):
    make_item(organisation, id="own", **NAMELESS)
    make_item(organisation, conversation_id=None)
    make_item(organisation)

    assert names(alice) == ["own", "client-1", "conversation-1"]


def test_long_answers_are_cut_to_their_first_words(organisation, alice):
    make_item(organisation, response="quiet evening " * 100)

    excerpt = read_markup(ask(alice)).one("bdi", class_="excerpt").text

    assert excerpt.startswith("quiet evening quiet")
    assert len(excerpt) <= 160


def test_a_row_says_who_holds_it_or_why_it_was_put_aside_or_who_finished_it(organisation, alice, bob):
    mine, theirs, skipped, done, done_by_bob = (make_item(organisation, response="Good morning.") for _ in range(5))
    for item, member in ((mine, alice), (theirs, bob)):
        actions.take(item_id=item.pk, by=member, now=timezone.now())
    actions.skip(item_id=skipped.pk, reason="not <mine>", by=bob, now=NOW)
    for item, member in ((done, alice), (done_by_bob, bob)):
        actions.submit(item_id=item.pk, by=member, now=NOW)

    states = [row["state"] for row in cells(read_markup(ask(alice, ALL_STATES)))]

    assert states == [
        "Yours, 15 min left",
        "Bob Birch, 15 min left",
        "Skipped: not <mine>",
        "Submitted by you",
        "Submitted by Bob Birch",
    ]


def test_a_lease_that_has_run_out_is_shown_as_free(item, alice, bob):
    actions.take(item_id=item.pk, by=bob, now=timezone.now() - timedelta(minutes=16))

    assert cells(read_markup(ask(alice)))[0]["state"] == "Unassigned"
    assert names(alice, "state=held") == []


def labelled(member) -> list[str]:
    return [row["labelled"] for row in cells(read_markup(ask(member, ALL_STATES)))]


def test_labelled_rows_are_counted_for_the_review_that_is_going_on(item, alice, bob, auditor):
    """Labels are counted for whoever holds or submitted the item; for a free one, one's own are counted, with which one would go on."""
    for number in (0, 2):
        actions.save_label(choice=choose(item, number), verdict=Verdict.CORRECT, by=alice, now=NOW)
    actions.save_label(choice=choose(item, 4), verdict=Verdict.WRONG, by=alice, now=NOW)
    free = [labelled(member) for member in (alice, bob, auditor)]
    actions.let_go(item_id=item.pk, by=alice, now=NOW)
    actions.label_remaining(item_id=item.pk, by=bob, now=timezone.now())
    held = [labelled(member) for member in (alice, bob, auditor)]
    actions.submit(item_id=item.pk, by=bob, now=timezone.now())
    submitted = [labelled(member) for member in (alice, bob, auditor)]

    assert free == [["2 of 4"], ["0 of 4"], ["0 of 4"]]
    assert held == submitted == [["4 of 4"]] * 3


def test_labels_that_were_taken_back_or_given_again_do_not_count_twice(item, alice):
    desk = sign_in(alice)
    for verdict in ("correct", "wrong", "misstated"):
        label(desk, item, 0, verdict)
    label(desk, item, 2)
    act(desk, item, "undo")

    assert labelled(alice) == ["1 of 4"]


def test_flagged_items_are_marked(various, alice):
    rows = dict(zip(names(alice), cells(read_markup(ask(alice))), strict=True))

    assert [name for name, row in rows.items() if "flagged" in row["findings"]] == ["flagged"]


def test_looking_at_the_list_is_an_event_that_names_what_was_shown(various, alice):
    response = ask(alice, "model=model-b")

    (event,) = events("queue.viewed")
    assert event["object"] == {"type": "organisation", "id": str(alice.organisation_id)}
    assert event["details"] == {"shown": [str(row.id) for row in response.context["page"].rows], "filters": ["model"]}
    assert "model-b" not in json.dumps(event)
    assert event["parts"]["count"] == 1
    kept = json.loads(bytes(EventSecret.objects.get(event_id=event["id"]).payload))
    assert json.loads(kept["filter"]) == {
        "states": ["to_do"],
        "facets": {"model": ["model-b"]},
        "since": None,
        "until": None,
        "flagged": False,
        "plans": [],
        "signed": [],
    }


def test_the_next_item_is_taken_from_the_list_as_it_is_filtered(various, alice):
    desk = sign_in(alice)
    page = read_markup(desk.get("/queue/?model=model-b&prompt=prompt+2&after=x"))
    fields = page.one("form", id="take-next").find("input")
    form = {field["name"]: field["value"] for field in fields if field["name"] != "csrfmiddlewaretoken"}

    assert form == {"query": "model=model-b&prompt=prompt+2"}
    assert desk.post("/queue/next/", form)["Location"] == f"/items/{various['unknown'].pk}/"


def test_an_auditor_sees_the_list_and_can_take_nothing(various, auditor):
    page = read_markup(ask(auditor))

    assert len(cells(page)) == 8
    assert page.find("form", id="take-next") == []


def test_the_list_is_drawn_from_its_template_with_every_name_once(various, alice):
    response = ask(alice)

    assert "review/queue.html" in [template.name for template in response.templates]
    assert [name for name, count in read_markup(response).ids().items() if count > 1] == []


def test_of_very_many_names_the_most_frequent_and_the_chosen_are_read(organisation, alice, monkeypatch):
    monkeypatch.setattr(counts, "_MOST_READ", 2)
    for model in ("a", "b", "b", "c", "c", "c"):
        make_item(organisation, model=model)

    found, states, _ = counts.count_options(alice, Filter(facets={"model": frozenset("a")}), NOW)
    assert [(each.value, each.count) for each in found["model"]] == [("c", 3), ("b", 2), ("a", 1)]
    assert states["all"] == 6


def chips(page: Element) -> dict[str, str]:
    """The filters that are on, with the query that is left when one is taken off."""
    return {link.find("span")[0].text: link["href"].partition("?")[2] for link in page.find("a", class_="filter-chip")}


def test_each_filter_that_is_on_can_be_taken_off_alone(various, alice):
    page = read_markup(ask(alice, "state=skipped&model=model-b&since=2026-03-01&flagged=on"))

    assert chips(page) == {
        "Skipped": "state=all&model=model-b&since=2026-03-01&flagged=on",
        "Model: model-b": "state=skipped&since=2026-03-01&flagged=on",
        "from 1 Mar 2026": "state=skipped&model=model-b&flagged=on",
        "With an open flag": "state=skipped&model=model-b&since=2026-03-01",
    }


def test_of_very_many_filters_the_last_ones_are_taken_off_together(various, alice):
    """An address of eight kilobytes has a thousand, and a link for each with all the others would be a page of ten megabytes."""
    query = "state=all&" + "&".join(f"model={number:03}" for number in range(700))
    response = sign_in(alice).get(f"/queue/?{query}")
    found = chips(read_markup(response))

    assert len(found) == MOST_CHIPS + 1
    assert found["650 more"] == "state=all&" + "&".join(f"model={number:03}" for number in range(50))
    assert len(response.content) < 1_500_000


def test_the_last_state_taken_off_leads_to_all_answers(various, alice):
    page = read_markup(ask(alice))
    assert chips(page) == {"To do": "state=all"}

    assert names(alice, "state=all") == names(alice, ALL_STATES)
    everything = read_markup(ask(alice, "state=all"))
    assert chips(everything) == {}
    assert not everything.find("input", type="checkbox", checked=True)


def test_a_form_without_a_ticked_state_asks_for_all_and_one_with_a_state_for_that(various, alice):
    assert read_markup(ask(alice)).one("form", aria_label="Filters").one("input", type="hidden")["value"] == "all"

    assert names(alice, "state=all&state=skipped") == names(alice, "state=skipped")
