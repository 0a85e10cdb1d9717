"""The engine's codes in words: none is shown as it is called in the code."""

from __future__ import annotations

from attribution import DEFAULT_PROFILE, GuardrailCode
from reviewers.review.wording import GUARDRAILS, METHODS, RULES


def test_every_rule_of_the_profile_has_words() -> None:
    """A rule is a method's and its own name; the method has words too."""
    names = {rule for _, rule in DEFAULT_PROFILE.scores}
    assert names - RULES.keys() == set()
    assert {method for method, _ in DEFAULT_PROFILE.scores} - METHODS.keys() == set()


def test_every_guardrail_has_words() -> None:
    """A finding is headed by them."""
    assert {code.value for code in GuardrailCode} == GUARDRAILS.keys()
