"""Contradictions, by their fixtures: a false alarm is as bad as a miss."""

from __future__ import annotations

import pytest

from attribution import GuardrailCode
from tests.attribution.cases import Case, cases
from tests.attribution.rendering import contradictions


@pytest.mark.parametrize("case", cases("contradiction"), ids=str)
def test_another_value_of_the_same_field_is_a_contradiction(case: Case) -> None:
    assert contradictions(case.attribute()) == case.expected


@pytest.mark.parametrize("case", cases("contradiction"), ids=str)
def test_every_contradiction_is_a_finding_of_its_own(case: Case) -> None:
    attribution = case.attribute()
    contradicted = [(row.field.section, row.field.path) for row in attribution.fields if row.contradiction]
    assert [(each.section, each.path) for each in attribution.guardrails if each.code is GuardrailCode.CONTRADICTED] == contradicted
