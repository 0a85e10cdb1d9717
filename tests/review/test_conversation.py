"""The turns of a conversation: above the answer and as a page, never more of a turn than its own page shows."""

from __future__ import annotations

from functools import partial

import pytest

from reviewers.accounts.actions import switch_asking_why
from reviewers.accounts.audit import SYSTEM
from reviewers.ledger.models import RedactionBasis
from reviewers.review.page.conversation import PAGE_SIZE
from reviewers.review.redaction.actions import approve, propose
from tests.accounts.outside import make_external
from tests.events import events
from tests.factories import BOTH, NOW, make_item, make_items, make_member, sign_in
from tests.markup import Element, read_markup
from tests.review.desk import open_page
from tests.review.plans.planning import run_blind
from tests.review.redacting.redactable import lead_and_administrator
from tests.review.signed import submit
from tests.statements import statements_of

TALK = "talk 7"


def turn(number, **changes):
    told = {"conversation_id": TALK, "turn_index": number, "user_text": f"question {number}"}
    return BOTH | told | {"answered_at": f"2026-03-03T10:{number:02}:00Z"} | changes


def make_turn(organisation, number, **changes):
    return make_item(organisation, **turn(number, **changes))


def earlier(page: Element) -> list[Element]:
    return page.find("details", class_="turn-before")


def read(member, item, query="") -> Element:
    response = sign_in(member).get(f"/items/{item.pk}/conversation/{query}")
    assert response.status_code == 200
    return read_markup(response).one("main")


def numbers_of(page: Element) -> list[int]:
    return [int(each.one("div", class_="asked").text.rpartition(" ")[2]) for each in page.find("article", class_="one-turn")]


def test_the_last_two_turns_stand_above_the_answer_each_with_its_own_footnotes(organisation, alice, bob):
    turns = [make_turn(organisation, number) for number in range(1, 5)]
    submit(turns[2], bob)
    second, third = earlier(open_page(alice, turns[3]))

    assert ("question 2" in second.text, "question 3" in third.text) == (True, True)
    assert "Reviewed by Bob" in third.text
    assert "Not reviewed yet" in second.text
    assert [link["href"] for link in third.find("a") if link["href"].endswith("#fn-1")] == [f"/items/{turns[2].pk}/#fn-1"] * 2
    assert "Risk level" in third.text
    assert "Asking first" in third.text
    assert "[[SF" not in third.text


def test_a_short_turn_is_open_and_a_long_one_is_folded(organisation, alice):
    make_turn(organisation, 1, response="A long answer. " * 60)
    make_turn(organisation, 2, response="Short.")
    long, short = earlier(open_page(alice, make_turn(organisation, 3)))

    assert ("open" in long.attributes, "open" in short.attributes) == (False, True)


def test_turns_of_others_and_later_ones_are_not_among_them(organisation, alice, charlie):
    first = make_turn(organisation, 5)
    make_turn(organisation, 6)
    make_turn(organisation, 1, conversation_id="another talk")
    make_turn(charlie.organisation, 1)

    assert earlier(open_page(alice, first)) == []
    assert numbers_of(read(alice, first)) == [5, 6]


def test_answers_without_a_conversation_have_no_turns_in_common(organisation, alice):
    make_turn(organisation, 1, conversation_id=None)
    item = make_turn(organisation, 2, conversation_id=None)

    assert earlier(open_page(alice, item)) == []
    assert numbers_of(read(alice, item)) == [2]


def test_turns_of_one_moment_follow_each_other_as_they_came(organisation, alice):
    turns = [make_turn(organisation, number, answered_at="2026-03-03T10:00:00Z") for number in range(1, 5)]

    assert ["question 2" in earlier(open_page(alice, turns[3]))[0].text, len(earlier(open_page(alice, turns[0])))] == [True, 0]


def test_beside_a_blind_review_turns_show_their_texts_and_nothing_that_was_found_or_labelled(organisation, alice, bob, lead):
    first = make_turn(organisation, 1)
    submit(first, bob)
    item = make_turn(organisation, 2, model="model-b")
    run_blind(lead, candidates={"facets": {"model": ["model-b"]}})

    for page in (earlier(open_page(alice, item))[0], read(alice, item)):
        assert "question 1" in page.text
        assert "Your risk is elevated at the moment" in page.text
        assert "Reviewed by" not in page.text
        assert page.find("ul", class_="footnotes") == []
        assert page.find("sup") == []


def test_a_turn_under_blind_review_shows_its_text_only_beside_any_other(organisation, alice, lead, auditor):
    make_turn(organisation, 1, model="model-b")
    item = make_turn(organisation, 2)
    run_blind(lead, candidates={"facets": {"model": ["model-b"]}})

    assert earlier(open_page(alice, item))[0].find("sup") == []
    assert "Your risk is elevated at the moment" in earlier(open_page(alice, item))[0].text
    assert earlier(open_page(auditor, item))[0].find("sup") != []


def test_what_was_redacted_of_a_turn_is_gone_here_as_well(organisation, alice):
    first, item = make_turn(organisation, 1), make_turn(organisation, 2)
    lead, administrator = lead_and_administrator(alice)
    asked = propose(item_id=first.pk, parts=["user_text", "response"], basis=RedactionBasis.ERASURE, reason="She asked.", by=lead, now=NOW)
    approve(redaction_id=asked.pk, by=administrator, now=NOW)

    for page in (earlier(open_page(alice, item))[0], read(alice, item)):
        assert "question 1" not in page.text
        assert page.text.count("Redacted 4 Mar 2026") == 2
    assert "elevated" not in earlier(open_page(alice, item))[0].text


def test_somebody_from_outside_sees_masks_and_only_what_they_revealed_of_each_turn(organisation):
    first, item = make_turn(organisation, 1), make_turn(organisation, 2)
    outsider = make_external(organisation)
    desk = sign_in(outsider)
    path = f"/items/{item.pk}/conversation/"

    page = desk.get(path).content.decode()
    assert not any(word in page for word in ("question", "elevated", TALK, "client-1", "Ada Quill"))
    desk.post(f"/items/{first.pk}/reveal/", {"text": "QUESTION", "reason": "the complaint"})
    page = desk.get(path).content.decode()
    assert ("question 1" in page, "question 2" in page, "elevated" in page) == (True, False, False)


def test_a_turn_that_asks_for_a_reason_stays_closed(organisation, alice, bob):
    first, item = make_turn(organisation, 1), make_turn(organisation, 2)
    submit(first, bob)
    switch_asking_why(organisation=organisation, on=True, at=NOW, by=SYSTEM)
    desk = sign_in(alice)

    (turn,) = earlier(read_markup(desk.get(f"/items/{item.pk}/")))
    assert "question 1" not in turn.text
    assert "elevated" not in turn.text
    assert events("turn.viewed") == []
    desk.post(f"/items/{first.pk}/why/", {"kind": "audit", "reason": "the turn before"})
    (turn,) = earlier(read_markup(desk.get(f"/items/{item.pk}/")))
    assert "question 1" in turn.text


def test_reading_a_turn_is_written_down_for_each(organisation, alice):
    first, item = make_turn(organisation, 1), make_turn(organisation, 2)

    open_page(alice, item)
    assert [event["object"]["id"] for event in events("snapshot.viewed")] == [str(item.pk)]
    assert [event["object"]["id"] for event in events("turn.viewed")] == [str(first.pk)]
    read(alice, item)
    assert [event["object"]["id"] for event in events("turn.viewed")][1:] == [str(first.pk), str(item.pk)]


def test_pages_of_a_conversation_follow_each_other_and_lead_back(organisation, alice):
    turns = make_items(organisation, *map(turn, range(1, 2 * PAGE_SIZE + 6)))
    page = read(alice, turns[-1])
    found = [numbers_of(page)]
    while back := [link["href"] for link in page.find("a", rel="prev")]:
        page = read(alice, turns[-1], "?" + back[0].partition("?")[2])
        found.insert(0, numbers_of(page))

    assert [number for numbers in found for number in numbers] == list(range(1, 2 * PAGE_SIZE + 6))
    assert max(map(len, found)) <= PAGE_SIZE
    (later,) = {link["href"] for link in page.find("a", rel="next")}
    assert numbers_of(read(alice, turns[-1], "?" + later.partition("?")[2])) == found[1]
    assert numbers_of(read(alice, turns[12])) == list(range(8, 18))


def test_a_page_has_fewer_turns_where_they_are_very_long(organisation, alice):
    for number in range(1, 8):
        last = make_turn(organisation, number, response="Nothing more to say. " * 21_000)
    page = read(alice, last)
    found = [numbers_of(page)]
    while back := [link["href"] for link in page.find("a", rel="prev")]:
        page = read(alice, last, "?" + back[0].partition("?")[2])
        found.insert(0, numbers_of(page))

    assert [number for numbers in found for number in numbers] == list(range(1, 8))
    assert max(map(len, found)) == 3
    assert len(sign_in(alice).get(f"/items/{last.pk}/conversation/").content) < 400_000


@pytest.mark.exhaustive
def test_a_page_has_fewer_turns_where_they_cite_very_often(organisation, alice, lead):
    """Beside a blind review the number of turns tells nothing of the citations: there the length of the record alone counts."""
    often = {"response": "Ask first " + "[1]" * 5_000, "documents": ["Ask first."], "context": {}}
    for number in range(1, 8):
        last = make_turn(organisation, number, model=f"model-{number}", **often)
    page = read(alice, last)
    found = [numbers_of(page)]
    while back := [link["href"] for link in page.find("a", rel="prev")]:
        page = read(alice, last, "?" + back[0].partition("?")[2])
        found.insert(0, numbers_of(page))
    run_blind(lead, candidates={"facets": {"model": ["model-7"]}})

    assert [number for numbers in found for number in numbers] == list(range(1, 8))
    assert max(map(len, found)) < 5
    assert numbers_of(read(alice, last)) == list(range(2, 8))


@pytest.mark.parametrize("key", ["nonsense", "2026-03-03T10:00:00~x", "~"])
def test_what_is_no_key_means_the_turns_around_the_answer(organisation, alice, key):
    item = make_turn(organisation, 1)

    assert numbers_of(read(alice, item, f"?before={key}")) == [1]


def test_a_long_conversation_costs_no_further_statement(organisation, alice):
    first = make_turn(organisation, 1)
    desk = sign_in(alice)
    few = [len(statements_of(partial(desk.get, f"/items/{first.pk}/{part}"))) for part in ("", "conversation/")]
    last = make_items(organisation, *map(turn, range(2, 2 * PAGE_SIZE)))[-1]
    many = [len(statements_of(partial(desk.get, f"/items/{last.pk}/{part}"))) for part in ("", "conversation/")]

    assert few == many


def test_the_client_is_a_link_to_their_answers_with_no_reference_in_an_address(organisation, alice):
    item, _ = make_turn(organisation, 1), make_turn(organisation, 2, client_reference="client-11", user_text="like client-1")
    desk = sign_in(alice)
    page = read_markup(desk.get(f"/items/{item.pk}/"))
    (link,) = [each for each in page.find("a") if each.text == "client-1"]

    response = desk.get(link["href"], follow=True)
    ((address, _),) = response.redirect_chain
    assert "client-1" not in address
    assert [row.id for row in response.context["page"].rows] == [item.pk]
    assert [chip.words for chip in response.context["chips"]] == ["Client client-1"]
    assert [row.id for row in desk.get(f"{address}&model=model-a").context["page"].rows] == [item.pk]


def test_for_whoever_may_not_search_the_client_is_no_link(organisation):
    item, desk = make_turn(organisation, 1), sign_in(make_external(organisation))

    assert f"/items/{item.pk}/client/" not in desk.get(f"/items/{item.pk}/").content.decode()
    assert desk.get(f"/items/{item.pk}/client/").status_code == 403
    assert sign_in(make_member(organisation, "coordinator")).get(f"/items/{item.pk}/conversation/").status_code == 403
