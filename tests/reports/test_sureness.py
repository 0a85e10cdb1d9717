"""How sure a row is is on the sheet in words and as a figure where labels follow it, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from reviewers.review.models import QueueItem
from tests.factories import sign_in
from tests.markup import read_markup
from tests.reports.finding import PROVIDER, open_sheet, part
from tests.review.measured import freeze_under, measured_as


def freeze_with(organisation, **changes: Any) -> QueueItem:
    """A suggestion that a profile other than the shipped one has attributed."""
    return freeze_under(organisation, {"provider": PROVIDER}, **changes)


@pytest.fixture
def measured(organisation):
    """Measured are references that are seen in the answer, and names; nothing is known of the rest."""
    return freeze_with(organisation, calibration=measured_as({"citation.cited_and_found": 0.97, "name.full_name": 0.8}))


def test_words_and_figure_stand_beside_each_measured_row(measured, coordinator):
    used = part(open_sheet(coordinator, measured), "used")

    assert [row.find("td")[-1].text for row in used.one("tbody").find("tr")] == ["almost certain 97 in 100"] * 2
    assert "how often reviewers found such a reference to be right" in used.text


def test_what_was_not_measured_has_no_figure_in_a_calibrated_profile_either(measured, coordinator):
    also = part(open_sheet(coordinator, measured), "also")

    assert [each.text for each in also.find("li")] == ["Taking new clients: yes", "Provider’s name: Dr. Ada Quill (likely, 80 in 100)"]


def test_the_words_are_the_profiles_own(organisation, coordinator):
    calibration = measured_as({"citation.cited_and_found": 0.999})
    item = freeze_with(organisation, calibration=calibration, confidence_words={"as good as sure": 0.5})

    row = part(open_sheet(coordinator, item), "used").one("tbody").find("tr")[0]
    assert row.find("td")[-1].text == "as good as sure 99 in 100"


@pytest.fixture
def cut(organisation):
    """As ``measured``, with a cut-off between the two."""
    return freeze_with(organisation, calibration=measured_as({"citation.cited_and_found": 0.97, "name.full_name": 0.8}, cutoff=0.9))


def test_what_lies_below_the_cutoff_of_the_profile_is_shown_and_says_so(cut, coordinator):
    page = open_sheet(coordinator, cut)

    used, also = part(page, "used"), part(page, "also")
    assert [row.find("td")[-1].text for row in used.one("tbody").find("tr")] == ["almost certain 97 in 100"] * 2
    assert also.find("li")[1].text == "Provider’s name: Dr. Ada Quill (likely, 80 in 100, below the cut-off of 90 in 100)"
    assert "What lies below the cut-off of 90 in 100 is shown, too" in used.text


def test_the_review_page_says_so_on_the_row(cut, alice):
    page = read_markup(sign_in(alice).get(f"/items/{cut.pk}/"))

    below = [row.text for row in page.find("tbody") if "below the cut-off" in row.text]
    assert len(below) == 1
    assert "provider_name" in below[0]
    assert "this row lies below the cut-off of its profile, 0.90" in below[0]


def test_without_a_cutoff_nothing_is_said_of_one(measured, coordinator, alice):
    assert "cut-off" not in open_sheet(coordinator, measured).text
    assert "cut-off" not in read_markup(sign_in(alice).get(f"/items/{measured.pk}/")).text
