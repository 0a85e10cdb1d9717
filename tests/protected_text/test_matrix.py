"""Who is shown which text where: each cell of the table is looked at, with a word of each kind on each surface as each viewer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reviewers import accounts
from reviewers.accounts.texts import MATRIX, Surface, TextViewer, document
from reviewers.calibration.lifecycle.actions import propose, retire
from reviewers.calibration.lifecycle.active_profiles import lift_suspension, suspend_by_hand
from tests.accounts.outside import make_external
from tests.calibration.imported import bring, lines, turn
from tests.calibration.standing import Standing
from tests.factories import NOW, make_organisation, sign_in
from tests.protected_text.canaries import CANARIES, FILES, PAGES, World

ELSEWHERE = {Surface.CHANGES, Surface.LABELS, Surface.WEBHOOK}
"""Of calibration: looked at where there are profiles. Messages of webhooks are looked at where they are received."""


@pytest.fixture(scope="module")
def world(committed_for_module) -> World:
    return World(make_organisation())


def test_every_surface_is_looked_at():
    assert set(MATRIX) == set(Surface) == {*PAGES, *FILES, Surface.API, *ELSEWHERE}


@pytest.mark.parametrize("surface", [each for each in Surface if each not in ELSEWHERE], ids=lambda surface: surface.name.lower())
def test_each_cell_is_as_the_table_has_it(world, surface):
    wrong = {}
    for viewer in TextViewer:
        shown = world.shown(surface, viewer)
        expected = MATRIX[surface].get(viewer)
        if (shown is None) != (expected is None):
            wrong[viewer.name] = "can be opened" if shown else "cannot be opened"
            continue
        found = {text for text, words in CANARIES.items() if shown and any(word.lower() in shown.lower() for word in words)}
        if expected is not None and found != expected:
            wrong[viewer.name] = {"too much": sorted(t.name for t in found - expected), "not": sorted(t.name for t in expected - found)}
    assert wrong == {}


def test_no_page_of_a_profile_tells_somebody_from_outside_why_people_changed_it(organisation, lead, auditor):
    """The page of one that was rejected is among those above."""
    outside, profile = make_external(organisation), Standing(organisation).active
    because: dict[str, Any] = {"profile_id": profile.pk, "reason": "a trombone", "by": lead, "now": NOW}

    def told(member):
        return sign_in(member).get(f"/calibration/profiles/{profile.pk}/").content.decode().count("a trombone")

    for change, count in ((suspend_by_hand, 2), (lift_suspension, 2), (retire, 3)):
        change(**because)
        assert [told(auditor), told(outside)] == [count, 0]


def test_nobody_from_outside_is_told_where_labels_were_brought_in_from(organisation, lead, auditor):
    outside = make_external(organisation)
    imported = bring(organisation, lines(*map(turn, range(12))), source="a trombone")
    profile = propose(combination_id=imported.combination_id, by=lead, now=NOW, imports=[imported.pk])

    def told(member):
        pages = ("/calibration/imports/", f"/calibration/profiles/{profile.pk}/", f"/calibration/{imported.combination_id}/")
        return [sign_in(member).get(page).content.decode().count("a trombone") for page in pages]

    assert [told(auditor), told(outside)] == [[1, 1, 0], [0, 0, 0]]


def test_the_page_about_it_is_drawn_from_the_table():
    assert (Path(accounts.__file__).parent / "texts.md").read_text(encoding="utf-8") == document(), "Run manage.py texts."
