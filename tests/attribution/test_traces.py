"""Traces, by their fixtures: each says what was found, where and why it counts."""

from __future__ import annotations

import pytest

from tests.attribution.cases import Case, cases
from tests.attribution.rendering import traces


@pytest.mark.parametrize("case", cases("traces"), ids=str)
def test_a_trace_can_be_checked_by_eye(case: Case) -> None:
    assert traces(case.attribute()) == case.expected
