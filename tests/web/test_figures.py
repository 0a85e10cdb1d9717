"""Figures as pages write them."""

from __future__ import annotations

import pytest

from reviewers.web.jinja import score


@pytest.mark.parametrize(("value", "written"), [(0.955, "0.95"), (1, "1.00"), (0.0, "0.00"), (-0.001, "0.00"), (-0.016, "−0.02")])
def test_a_score_has_two_decimals_and_a_minus_where_it_is_below_nothing(value, written):
    assert score(value) == written
