"""A reviewer puts a remark to a guardrail finding, for a lead to see; the finding stays what the engine found."""

from __future__ import annotations

import pytest

from reviewers.review.models import Flag
from tests.events import events
from tests.factories import make_item, sign_in
from tests.markup import read_markup
from tests.review.desk import act, notice_of, open_page

CONTRADICTED = {"response": "The fit score is 75%.", "context": {"therapeutic_fit": {"fit_score": 0.85}}}


def finding_of(page):
    return page.one("ul", class_="findings").find("li")[0]


def test_a_remark_stands_beside_its_finding_with_who_wrote_it(organisation, alice, lead):
    item = make_item(organisation, **CONTRADICTED)
    form = finding_of(open_page(alice, item)).one("form")
    named = form.one("input", name="finding")["value"]

    response = sign_in(alice).post(form["action"], {"finding": named, "note": "a <false> alarm"})

    assert response["Location"] == f"/items/{item.pk}/"
    remark = finding_of(open_page(lead, item)).one("p", class_="flagged")
    assert remark.text.startswith("a <false> alarm Alice Aldous, ")
    kept = Flag.objects.get()
    assert (kept.finding, kept.note, kept.reviewer) == ("contradicted:therapeutic_fit.fit_score", "a <false> alarm", alice.user)


def test_a_remark_is_an_event_that_commits_to_it(item, alice):
    act(sign_in(alice), item, "flag", finding="over_cited", note="zeppelin")

    (event,) = events("finding.flagged")
    assert event["details"] == {"flag": str(Flag.objects.get().pk), "code": "over_cited"}
    assert event["parts"]["count"] == 2
    assert "zeppelin" not in str(event)


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"finding": "over_cited", "note": ""}, "A flag needs a note: say what a lead should look at."),
        ({"finding": "over_cited", "note": "  "}, "A flag needs a note: say what a lead should look at."),
        ({"finding": "over_cited", "note": "x" * 2_001}, "A flag needs a finding and a note of at most 2,000 characters."),
        ({"finding": "", "note": "look"}, "A flag needs a finding and a note of at most 2,000 characters."),
        ({"finding": "contradicted:safety.risk_level", "note": "look"}, "There is no such finding."),
        ({"finding": "the client is called Zoë", "note": "look"}, "There is no such finding."),
    ],
    ids=str,
)
def test_a_remark_without_words_or_without_a_finding_is_refused(item, alice, form, told):
    response = act(sign_in(alice), item, "flag", as_fragment=True, **form)

    assert (response.status_code, notice_of(read_markup(response))) == (422, told)
    assert not Flag.objects.exists()
    assert not events("finding.flagged")


def test_remarks_stand_in_the_order_in_which_they_were_made(item, alice, bob):
    for member, note in ((alice, "one"), (bob, "two"), (alice, "three")):
        act(sign_in(member), item, "flag", finding="over_cited", note=note)

    remarks = finding_of(open_page(alice, item)).find("p", class_="flagged")
    assert [remark.one("bdi").text for remark in remarks] == ["one", "two", "three"]


def test_a_remark_needs_no_lease_and_takes_none(item, alice, bob):
    act(sign_in(alice), item, "take")

    assert act(sign_in(bob), item, "flag", finding="over_cited", note="look").status_code == 302


def test_the_findings_say_what_and_how_often(organisation, alice):
    answer = "A [[SF:nothing]] b [[SF:neither]] c [[SF:this]] d [[SF:that]]."
    page = open_page(alice, make_item(organisation, response=answer))

    unknown = finding_of(page)
    assert unknown.one("strong").text == "4 × Unknown citation"
    assert unknown.find("p")[0].text == ("cites a field that does not exist: [[SF:nothing]], [[SF:neither]], [[SF:this]] and 1 more")
