"""Conditions on reviewers before a profile is approved; half of the control rows are right and half are wrong."""

from __future__ import annotations

import pytest

from reviewers.accounts.policies import Refused
from reviewers.calibration.lifecycle.states import ProfileState, state_of
from reviewers.review.models import ControlRow, Verdict
from tests.calibration.labelled import make_answer
from tests.calibration.standing import Standing, approve
from tests.factories import BOTH, NOW, make_item, sign_in
from tests.markup import read_markup
from tests.review.plans.planning import review, run_blind


@pytest.fixture
def standing(organisation):
    return Standing(organisation)


def page_of(standing, by):
    return read_markup(sign_in(by).get(f"/calibration/profiles/{standing.proposed.pk}/"))


def judge(standing, said) -> None:
    """Two review an answer of the combination, blind."""
    item = make_answer(standing.lead, model=standing.model)
    run_blind(standing.lead, overlap=2, candidates={"facets": {"model": [standing.model]}})
    for reviewer, verdict in said.items():
        review(item, reviewer, verdict, now=NOW)


def test_reviewers_who_do_not_agree_on_what_is_wrong_make_no_profile(standing, other_lead, alice, bob):
    judge(standing, {alice: Verdict.CORRECT, bob: Verdict.WRONG})

    assert "Reviewers agree on what is wrong does not hold: 0.00; 0.60 is the least" in page_of(standing, other_lead).text
    with pytest.raises(Refused, match=r"reviewers agree on what is wrong, 0\.00; 0\.60 is the least"):
        approve(standing.proposed, other_lead)
    assert state_of(standing.proposed) is ProfileState.PROPOSED


def test_reviewers_who_agree_do_and_what_cannot_be_told_is_said(standing, other_lead, alice, bob):
    assert "Reviewers agree on what is wrong, cannot tell yet: 0 rows" in page_of(standing, other_lead).text
    judge(standing, {alice: Verdict.WRONG, bob: Verdict.WRONG})

    text = page_of(standing, other_lead).text
    assert "Reviewers agree on what is wrong: 1.00; 0.60 is the least" in text
    assert "Reviewers notice what is known to be wrong, cannot tell yet: 0 attention-check rows" in text
    approve(standing.proposed, other_lead)


def test_an_auditor_is_not_told_of_control_rows(standing, other_lead, auditor):
    told = "Reviewers notice what is known to be wrong"
    assert told in page_of(standing, other_lead).text
    assert told not in page_of(standing, auditor).text
    assert "attention-check" not in page_of(standing, auditor).text


def test_as_many_seeded_rows_are_right_as_are_wrong(organisation, lead):
    make_item(organisation, **BOTH)
    for _ in range(3):
        make_item(organisation, **BOTH | {"response": "Nothing of it is said."})
    run_blind(lead, control_share=0.5)

    rights = list(ControlRow.objects.values_list("is_right", flat=True))
    assert rights.count(True) == rights.count(False)
