"""A reviewer puts a remark to a finding, for a lead to see; the finding stays what the engine found."""

from __future__ import annotations

from uuid import uuid4

import pytest

from reviewers.review.items import finding_name
from reviewers.review.models import Flag
from reviewers.review.policies import MOST_FLAGS
from tests.events import events
from tests.factories import CITED, as_seen_by, flag_form, make_item, sign_in
from tests.markup import read_markup
from tests.review.desk import act, notice_of, open_page

CONTRADICTED = {"response": "The fit score is 75%.", "context": {"therapeutic_fit": {"fit_score": 0.85}}}

INCOMPLETE = "A flag needs a finding, a field, a citation or words of the answer, and a note of at most 2,000 characters."


def finding_of(page):
    return page.one("ul", class_="findings").find("li")[0]


def test_a_remark_stands_beside_its_finding_with_who_wrote_it(organisation, alice, lead):
    item = make_item(organisation, **CONTRADICTED)
    form = finding_of(open_page(alice, item)).one("form")
    named = {name: form.one("input", name=name)["value"] for name in ("finding", "attribution")}

    response = sign_in(alice).post(form["action"], named | {"note": "a <false> alarm"})

    assert response["Location"] == f"/items/{item.pk}/"
    remark = finding_of(open_page(lead, item)).one("p", class_="flagged")
    assert remark.text.startswith("a <false> alarm Alice Aldous, ")
    kept = Flag.objects.get()
    assert (kept.finding, kept.note, kept.reviewer) == ("contradicted:therapeutic_fit.fit_score", "a <false> alarm", alice.user)


def test_a_remark_is_an_event_that_commits_to_it(item, alice):
    act(sign_in(alice), item, "flag", **flag_form(item, "over_cited", "zeppelin"))

    (event,) = events("finding.flagged")
    assert event["details"] == {"flag": str(Flag.objects.get().pk), "code": "over_cited"}
    assert event["parts"]["count"] == 2
    assert "zeppelin" not in str(event)


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"finding": "0", "note": ""}, "A flag needs a note: say what a lead should look at."),
        ({"finding": "0", "note": "  "}, "A flag needs a note: say what a lead should look at."),
        ({"finding": "0", "note": "x" * 2_001}, INCOMPLETE),
        ({"finding": "", "note": "look"}, INCOMPLETE),
        ({"finding": "99", "note": "look"}, "There is no such finding."),
        ({"finding": "-1", "note": "look"}, INCOMPLETE),
        ({"finding": "the client is called Zoë", "note": "look"}, INCOMPLETE),
        ({"finding": "0", "attribution": "", "note": "look"}, INCOMPLETE),
    ],
    ids=str,
)
def test_a_remark_without_words_or_without_a_finding_is_refused(item, alice, form, told):
    response = act(sign_in(alice), item, "flag", as_fragment=True, **{"attribution": str(item.attribution_id)} | form)

    assert (response.status_code, notice_of(read_markup(response))) == (422, told)
    assert not Flag.objects.exists()
    assert not events("finding.flagged")


def test_a_remark_on_a_page_from_before_the_item_was_attributed_again_is_refused(item, alice):
    response = act(sign_in(alice), item, "flag", finding=0, attribution=str(uuid4()), note="look")

    assert response.status_code == 409
    assert notice_of(read_markup(response)).startswith("This item has been attributed again")
    assert not Flag.objects.exists()


def test_a_remark_is_kept_apart_from_that_of_a_field_whose_names_join_to_the_same(organisation, alice):
    """Sections and keys may hold dots and spaces."""
    context = {"fit": {"a": {"accepting_new ": True}}, "fit.a": {"accepting_new ": True}}
    item = make_item(organisation, response="She is not accepting new clients.", context=context)
    named = [finding_name(finding) for finding in as_seen_by(alice, item).attribution.guardrails if finding.path is not None]
    assert len(set(named)) == len(named) == 2

    for number in range(2):
        act(sign_in(alice), item, "flag", finding=number, attribution=str(item.attribution_id), note=f"remark {number}")

    shown = open_page(alice, item).one("ul", class_="findings").find("li")
    assert [[remark.one("bdi").text for remark in each.find("p", class_="flagged")] for each in shown[:2]] == [["remark 0"], ["remark 1"]]


def test_remarks_stand_in_the_order_in_which_they_were_made(item, alice, bob):
    for member, note in ((alice, "one"), (bob, "two"), (alice, "three")):
        act(sign_in(member), item, "flag", **flag_form(item, "over_cited", note))

    remarks = finding_of(open_page(alice, item)).find("p", class_="flagged")
    assert [remark.one("bdi").text for remark in remarks] == ["one", "two", "three"]


def test_a_remark_needs_no_lease_and_takes_none(item, alice, bob):
    act(sign_in(alice), item, "take")

    assert act(sign_in(bob), item, "flag", **flag_form(item, "over_cited", "look")).status_code == 302


def test_the_findings_say_what_and_how_often(organisation, alice):
    answer = "A [[SF:nothing]] b [[SF:neither]] c [[SF:this]] d [[SF:that]]."
    page = open_page(alice, make_item(organisation, response=answer))

    unknown = finding_of(page)
    assert unknown.one("strong").text == "4 × Unknown citation"
    assert unknown.find("p")[0].text == ("cites a field that does not exist: [[SF:nothing]], [[SF:neither]], [[SF:this]] and 1 more")


TWO_FIGURES = CITED | {"response": "Adults start with 3 mg, then 4 mg in the evening [1]. Your risk is low [[SF:risk_level]]."}


def issues_of(page):
    return {each.find("p")[0].text: each for each in page.find("li") if (each.get("id") or "").startswith("issue-")}


def flag_issue(member, item, message, note):
    form = issues_of(open_page(member, item))[message].one("form")
    named = {name: form.one("input", name=name)["value"] for name in ("finding", "attribution")}
    return sign_in(member).post(form["action"], named | {"note": note})


def test_a_remark_on_what_is_wrong_with_a_citation_stands_beside_it_and_nothing_else(organisation, alice, lead):
    item = make_item(organisation, **TWO_FIGURES)
    three, four = (f"[1]: ‘{figure}’ stands nowhere in the source, in no form" for figure in "34")

    assert flag_issue(alice, item, four, "a false alarm, the leaflet has it in a table").status_code == 302

    shown = issues_of(open_page(lead, item))
    remark = shown[four].one("p", class_="flagged").text
    assert remark.startswith("a false alarm, the leaflet has it in a table Alice Aldous, ")
    assert not shown[three].find("p", class_="flagged")
    assert not any(
        finding.find("p", class_="flagged") for finding in open_page(lead, item).find("li") if "finding-" in (finding.get("id") or "")
    )


def test_that_remark_is_an_event_with_the_code_of_what_is_wrong(organisation, alice):
    item = make_item(organisation, **TWO_FIGURES)
    flag_issue(alice, item, "[1]: ‘3’ stands nowhere in the source, in no form", "zeppelin")

    (event,) = events("finding.flagged")
    assert event["details"] == {"flag": str(Flag.objects.get().pk), "code": "figure_not_found"}
    assert event["parts"]["count"] == 2
    assert "zeppelin" not in str(event)


def test_findings_of_guardrails_are_counted_before_those_about_citations(organisation, alice):
    item = as_seen_by(alice, make_item(organisation, **TWO_FIGURES))

    codes = [code for code, _ in item.findings]
    assert codes[: len(item.attribution.guardrails)] == [finding.code.value for finding in item.attribution.guardrails]
    assert codes[len(item.attribution.guardrails) :] == ["figure_not_found", "figure_not_found", "opposite"]
    assert len(item.attribution.guardrails) > 0


def test_who_may_not_label_is_shown_remarks_on_citations_and_no_form(organisation, alice, auditor):
    item = make_item(organisation, **TWO_FIGURES)
    message = "[1]: ‘3’ stands nowhere in the source, in no form"
    flag_issue(alice, item, message, "look")

    issue = issues_of(open_page(auditor, item))[message]
    assert issue.one("p", class_="flagged")
    assert not issue.find("form")


def test_one_person_flags_an_answer_so_often_at_most(item, alice, bob):
    desk, form = sign_in(alice), flag_form(item, "over_cited", "look")
    for _ in range(MOST_FLAGS):
        act(desk, item, "flag", **form)

    refused = act(desk, item, "flag", **form)
    act(sign_in(bob), item, "flag", **form)

    assert refused.status_code == 409
    assert notice_of(read_markup(refused)) == "You have put 50 flags on this answer. A lead will look at them."
    assert Flag.objects.count() == MOST_FLAGS + 1
