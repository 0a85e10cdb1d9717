"""Each matcher, by its fixtures."""

from __future__ import annotations

import pytest

from tests.attribution.cases import cases, misread
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


@pytest.mark.parametrize("kind", KINDS)
def test_a_field_is_found_where_its_value_stands(kind: str) -> None:
    assert misread(cases(kind), rows) == []
