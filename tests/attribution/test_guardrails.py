"""Findings, by their fixtures."""

from __future__ import annotations

import pytest

from attribution import attribute
from tests.attribution.cases import Case, cases
from tests.attribution.rendering import findings


@pytest.mark.parametrize("case", cases("guardrails"), ids=str)
def test_what_is_wrong_is_counted_by_kind(case: Case) -> None:
    assert findings(case.attribute()) == case.expected


def test_a_finding_shows_its_first_twenty_places_and_counts_all() -> None:
    found = attribute(response="so [[SF:mood]] " * 30, context={}).guardrails[0]
    assert (found.code, found.count, len(found.spans)) == ("unknown", 30, 20)
    assert found.spans[:2] == ((2, 2), (5, 5))
