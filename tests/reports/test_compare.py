"""Several suggestions of one conversation stand side by side, the same rows for each."""

from __future__ import annotations

import pytest

from reviewers.reports.why import queries
from reviewers.review.labels import actions
from tests.events import events
from tests.factories import CONTEXT, NOW, sign_in
from tests.markup import Element
from tests.reports.finding import make_suggestion, open_sheet


@pytest.fixture
def several(organisation):
    """Ada first, then Bo, who is named twice, then an answer of another conversation."""
    common = {"context": {**CONTEXT, "provider_genome": {"provider_name": "Bo Reed", "fee_range": "$50", "license_type": "counselor"}}}
    return [
        make_suggestion(organisation, answered_at="2026-03-01T00:00:00Z"),
        make_suggestion(
            organisation, provider="Bo Reed", response="Bo Reed costs $50 [[PG:fee_range]].", answered_at="2026-03-02T00:00:00Z", **common
        ),
        make_suggestion(organisation, provider="Bo Reed", response="She is a counselor.", answered_at="2026-03-03T00:00:00Z", **common),
        make_suggestion(organisation, provider="Cy Stone", conversation_id="conversation-2"),
    ]


def columns_of(page: Element) -> list[str]:
    return [each.text for each in page.one("thead").find("a")]


def row_of(page: Element, name: str) -> list[str]:
    """The cells of a row by the beginning of its name."""
    (row,) = [each for each in page.one("tbody").find("tr") if each.one("th").text.startswith(name)]
    return [cell.text for cell in row.find("td")]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_each_provider_has_a_column_with_the_answer_that_named_them_first(several, coordinator, number):
    page = open_sheet(coordinator, several[number], "compare/")

    assert columns_of(page) == ["Ada Quill", "Bo Reed"]
    assert [each["href"] for each in page.one("thead").find("a")] == [f"/why/{item.pk}/" for item in several[:2]]


def test_the_last_suggestion_of_a_long_conversation_is_compared_too(organisation, coordinator, monkeypatch):
    monkeypatch.setattr(queries, "MOST_BESIDE", 2)
    names = ["Ada Quill", "Bo Reed", "Cy Stone", "Di Vale"]
    items = [make_suggestion(organisation, provider=name, answered_at=f"2026-03-0{day}T00:00:00Z") for day, name in enumerate(names, 1)]

    assert columns_of(open_sheet(coordinator, items[-1], "compare/")) == ["Ada Quill", "Bo Reed", "Di Vale"]
    assert open_sheet(coordinator, items[-1])


def test_a_row_says_of_each_what_the_answer_does_with_it(several, coordinator):
    page = open_sheet(coordinator, several[0], "compare/")

    assert row_of(page, "Risk level") == [
        "elevated the assistant said it used this Your risk is elevated at the moment, so I looked for somebody soon.",
        "elevated not mentioned",
    ]
    assert row_of(page, "Fee") == ["$81-$110 not mentioned", "$50 the assistant said it used this Bo Reed costs $50."]
    assert row_of(page, "Taking new clients") == ["yes in the answer", "not in the record then"]


def test_another_value_than_the_records_is_told(organisation, coordinator):
    item = make_suggestion(organisation, response="Ada Quill. Your risk level is low.", context={"safety": {"risk_level": "elevated"}})

    assert row_of(open_sheet(coordinator, item, "compare/"), "Risk level") == ["elevated the answer says “low”"]


def test_what_no_answer_speaks_of_has_no_row(several, coordinator):
    page = open_sheet(coordinator, several[0], "compare/")

    assert not [each for each in page.one("tbody").find("th") if "Crisis plan" in each.text]


def test_warnings_and_who_checked_come_before_all_rows(several, coordinator, alice):
    actions.label_remaining(item_id=several[0].pk, by=alice, now=NOW)
    actions.submit(item_id=several[0].pk, by=alice, now=NOW)
    page = open_sheet(coordinator, several[0], "compare/")

    assert [each.one("th").text for each in page.one("tbody").find("tr")][:2] == ["Before you rely on it", "Checked by"]
    assert row_of(page, "Checked by") == ["Alice Aldous", "nobody yet"]
    assert row_of(page, "Before you rely on it")[1].endswith("No reviewer has finished checking this answer.")


def test_one_suggestion_alone_is_told_to_be_alone(several, coordinator):
    page = open_sheet(coordinator, several[3], "compare/")

    assert page.one("h1").text == "One suggestion"
    assert columns_of(page) == ["Cy Stone"]


def test_of_many_providers_four_are_compared_and_the_own_is_one_of_them(organisation, coordinator):
    items = [make_suggestion(organisation, provider=f"Provider {n}", answered_at=f"2026-03-0{n}T00:00:00Z") for n in range(1, 7)]

    page = open_sheet(coordinator, items[-1], "compare/")
    assert columns_of(page) == ["Provider 1", "Provider 2", "Provider 3", "Provider 6"]


def test_what_is_kept_from_the_assistant_in_one_answer_is_not_shown_there(organisation, coordinator):
    context = {"safety": {"risk_level": "zirconium"}}
    make_suggestion(organisation, response="A zirconium risk.", context=context, answered_at="2026-03-01T00:00:00Z", provider="Bo Reed")
    item = make_suggestion(organisation, response="Nothing.", context=context, hidden_sections=["safety"])

    assert row_of(open_sheet(coordinator, item, "compare/"), "Risk level")[1] == "kept from the assistant or empty"


def test_each_answer_that_is_shown_has_its_event(several, coordinator):
    open_sheet(coordinator, several[0], "compare/")

    assert [event["object"]["id"] for event in events("why.viewed")] == [str(item.pk) for item in several[:2]]


def test_it_is_found_in_no_other_organisation(several, charlie):
    assert sign_in(charlie).get(f"/why/{several[0].pk}/compare/").status_code == 404
