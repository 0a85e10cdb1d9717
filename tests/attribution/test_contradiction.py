"""Contradictions, by their fixtures: a false alarm is as bad as a miss."""

from __future__ import annotations

from attribution import GuardrailCode
from tests.attribution.cases import cases, misread
from tests.attribution.rendering import contradictions


def test_another_value_of_the_same_field_is_a_contradiction() -> None:
    assert misread(cases("contradiction"), contradictions) == []


def test_every_contradiction_is_a_finding_of_its_own() -> None:
    for case in cases("contradiction"):
        attribution = case.attribute()
        contradicted = [(row.field.section, row.field.path) for row in attribution.fields if row.contradiction]
        told = [(each.section, each.path) for each in attribution.guardrails if each.code is GuardrailCode.CONTRADICTED]
        assert told == contradicted, case
