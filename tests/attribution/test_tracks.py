"""Both tracks side by side, by their fixtures."""

from __future__ import annotations

import pytest

from tests.attribution.cases import Case, cases
from tests.attribution.rendering import tracks


@pytest.mark.parametrize("case", cases("tracks"), ids=str)
def test_what_the_model_reports_stands_beside_what_a_reader_can_see(case: Case) -> None:
    assert tracks(case.attribute()) == case.expected
