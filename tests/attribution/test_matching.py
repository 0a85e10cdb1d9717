"""Each matcher, by its fixtures."""

from __future__ import annotations

import pytest

from tests.attribution.cases import Case, cases
from tests.attribution.rendering import rows

KINDS = (
    "enum",
    "common_words",
    "numeric",
    "summary",
    "long_text",
    "question",
    "list",
    "boolean",
    "date",
    "time",
    "money",
    "duration",
    "name",
    "identifier",
    "field_value",
)


@pytest.mark.parametrize("case", cases(*KINDS), ids=str)
def test_a_field_is_found_where_its_value_stands(case: Case) -> None:
    assert rows(case.attribute()) == case.expected
