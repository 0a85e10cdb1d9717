"""The links at the top say where one is."""

from __future__ import annotations

import pytest

from tests.factories import sign_in
from tests.markup import read_markup


@pytest.mark.parametrize(
    ("path", "name", "said"),
    [
        ("/plans/", "Plans", "page"),
        ("/plans/new/", "Plans", "true"),
        ("/calibration/judge/", "Calibration", "true"),
        ("/settings/texts/", "Settings", "true"),
        ("/exports/new/", "Exports", "true"),
    ],
)
def test_the_link_to_a_page_or_to_the_one_above_it_is_marked_and_no_other(lead, path, name, said):
    page = read_markup(sign_in(lead).get(path))

    marked = [(link.text, link["aria-current"]) for link in page.one("nav", aria_label="Main").find("a") if link.get("aria-current")]

    assert marked == [(name, said)]
