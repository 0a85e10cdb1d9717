"""A section that was too incomplete was withheld from the prompt: it is not matched, a marker into it does not count, the page says so."""

from __future__ import annotations

import json
import zlib

import pytest

from attribution import DEFAULT_PROFILE
from reviewers.ledger.verification.organisation import verify
from reviewers.snapshots.models import Snapshot, SnapshotAttribution
from tests.factories import make_item, sign_in
from tests.markup import read_markup

THRESHOLD = DEFAULT_PROFILE.thresholds.section_completeness
HIDES_SAFETY = {"completeness": {"safety": 0.2, "therapeutic_fit": 0.9}}


def hidden_sections(organisation, **changes) -> list[str]:
    make_item(organisation, **changes)
    return Snapshot.objects.get().hidden_sections


def fields() -> dict[str, dict]:
    document = json.loads(zlib.decompress(bytes(SnapshotAttribution.objects.get().document)))
    return {f"{row['section']}.{row['path']}": row for row in document["fields"]}


def page_of(alice, item):
    return read_markup(sign_in(alice).get(f"/items/{item.pk}/?unfound=1"))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"completeness": {"safety": THRESHOLD - 0.01}}, ["safety"]),
        ({"completeness": {"safety": THRESHOLD}}, []),
        ({"completeness": {"safety": 0.7}, "completeness_threshold": 0.8}, ["safety"]),
        ({"completeness": {"safety": 0.7}, "completeness_threshold": 0.7}, []),
        ({"completeness": {"safety": 0}, "completeness_threshold": 0}, []),
        ({"completeness": {"safety": None}}, []),
        ({"completeness_threshold": 0.9}, []),
        ({"hidden_sections": ["safety"]}, ["safety"]),
        ({"hidden_sections": ["therapeutic_fit"], "completeness": {"safety": 0.1}}, ["safety", "therapeutic_fit"]),
        ({"hidden_sections": ["safety"], "completeness": {"safety": 1}}, ["safety"]),
        ({"hidden_sections": ["nowhere"]}, ["nowhere"]),
    ],
    ids=str,
)
def test_a_section_below_the_threshold_or_named_by_the_runtime_is_hidden(organisation, changes, expected):
    assert hidden_sections(organisation, **changes) == expected


def test_completeness_and_threshold_are_kept_as_they_were_reported(organisation):
    make_item(organisation, completeness={"safety": 0.25, "elsewhere": 1, "unmeasured": None}, completeness_threshold=0.3)

    kept = Snapshot.objects.get()
    assert kept.completeness == {"safety": 0.25, "elsewhere": 1}
    assert kept.completeness_threshold == 0.3


def test_a_negative_zero_agrees_with_its_event(organisation):
    make_item(organisation, completeness={"safety": -0.0})

    assert verify(organisation_id=organisation.pk).waiting


def test_without_a_threshold_of_the_runtime_the_profiles_is_kept(organisation):
    make_item(organisation, completeness={"safety": 0.9})

    assert Snapshot.objects.get().completeness_threshold == THRESHOLD


def test_where_nothing_was_measured_there_is_no_threshold(organisation):
    make_item(organisation)

    assert Snapshot.objects.get().completeness_threshold is None


def test_fields_of_a_hidden_section_are_not_matched_and_a_marker_into_it_does_not_count(organisation):
    make_item(organisation)
    shown = fields()["safety.risk_level"]
    other = make_item(organisation, **HIDES_SAFETY)

    hidden = json.loads(zlib.decompress(bytes(other.attribution.document)))["fields"][0]

    assert shown["track"] == "cited_and_found"
    assert (hidden["path"], hidden["track"], hidden["hidden"]) == ("risk_level", "neither", True)
    assert other.attribution.guardrails["hidden"] == 1
    assert "safety" not in other.attribution.sections


def test_the_other_sections_are_matched_as_before(organisation):
    make_item(organisation, **HIDES_SAFETY)

    assert fields()["therapeutic_fit.fit_score"]["track"] == "cited_and_found"


def test_the_page_says_what_was_measured_and_what_was_withheld(organisation, alice):
    item = make_item(organisation, hidden_sections=["provider_genome"], completeness_threshold=0.4, **HIDES_SAFETY)

    told = page_of(alice, item).one("details", class_="sections")

    assert told.one("summary").text == "Context completeness (under 0.4 not sent)"
    assert {each.one("dt").text: each.one("dd").text for each in told.find("div")} == {
        "safety": "0.2 withheld",
        "therapeutic_fit": "0.9",
        "provider_genome": "not measured withheld",
    }


def test_the_page_says_nothing_of_completeness_where_nothing_was_reported(organisation, alice):
    assert page_of(alice, make_item(organisation)).find("details", class_="sections") == []


def test_rows_of_a_hidden_section_say_why_they_were_not_found(organisation, alice):
    item = make_item(organisation, **HIDES_SAFETY)

    rows = page_of(alice, item).one("div", id="unfound-rows").find("tbody", data_row=True)

    withheld = [row for row in rows if "withheld from the prompt" in row.one("td", class_="how").text]
    assert [row.one("b").text for row in withheld] == ["Risk level", "Crisis plan on file"]
    assert all("This section was withheld from the prompt" in row.one("tr", class_="trace").text for row in withheld)


def test_a_marker_into_a_hidden_section_is_shown_where_it_stood_and_among_the_findings(organisation, alice):
    page = page_of(alice, make_item(organisation, **HIDES_SAFETY))

    (dropped,) = page.find("span", class_="dropped")
    assert dropped["title"] == "hidden: safety was withheld from the prompt"
    finding = next(each for each in page.one("ul", class_="findings").find("li") if "Hidden section cited" in each.text)
    assert "[[SF:risk_level]]" in finding.text
    assert page.find(id=finding.one("a")["href"].removeprefix("#"))


def test_names_of_sections_that_cannot_be_stored_as_they_are_are_shown_by_signs(organisation, alice):
    item = make_item(organisation, hidden_sections=["a\0b"], completeness={"\ud800": 0.1})

    told = page_of(alice, item).one("details", class_="sections")

    assert [each.text for each in told.find("dt")] == ["U+FFFD", "a␀b"]
