"""Promises: the labels kept apart for them, the promise, and how it is reported when another profile is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from attribution.calibration import Observation, Scope, Stream
from reviewers.calibration.cutoffs import by_share, choose_cutoff
from reviewers.calibration.fitting import fit_profile
from reviewers.calibration.labels.dataset import Dataset, hold_out
from reviewers.calibration.labels.label_sets import heading, lines_of, read_export
from reviewers.calibration.lifecycle import actions
from reviewers.calibration.wording import compare_guarantees, cutoff_in_words, cutoff_of, guarantee_in_words
from tests.calibration.labelled import combination_of, compare
from tests.calibration.standing import approve
from tests.factories import NOW, make_item, sign_in
from tests.markup import read_markup

SCOPE = Scope("an organisation", "model-a", "prompt 1")


def label(number: int, **changes: Any) -> Observation:
    """One of a rule that is nearly always right, in an answer of its own."""
    usual = {
        "id": f"label {number:04}",
        "message": f"answer {number}",
        "conversation": f"talk {number}",
        "section": "safety",
        "path": f"level_{number % 7}",
        "field_type": "enum",
        "method": "enum",
        "rule": "whole_word",
        "score": 0.95,
        "uncapped_score": 0.95,
        "is_used": True,
        "stream": Stream.BOOST,
        "scope": SCOPE,
    }
    return Observation(**usual | changes)


def boost(count: int = 200) -> list[Observation]:
    return [label(number, is_used=number % 25 != 0) for number in range(count)]


def audit(count: int, wrong: int = 0, first: int = 1_000) -> list[Observation]:
    """All on one field, so that all have one confidence."""
    blind = {"path": "level_0", "stream": Stream.AUDIT, "is_blind": True}
    return [label(first + number, is_used=number >= wrong, **blind) for number in range(count)]


def gathered(*parts: Sequence[Observation]) -> Dataset:
    return Dataset([each for part in parts for each in part], {}, {})


def record_of(found: Dataset) -> dict[str, Any]:
    return fit_profile(found, SCOPE, None).record


@cache
def audited(answers: int, wrong: int = 0, others: int = 200) -> dict[str, Any]:
    """The record of a profile with so many audited answers behind it."""
    return record_of(hold_out(gathered(boost(others), audit(answers, wrong))))


def test_audits_are_kept_apart_once_the_others_are_enough_to_learn_from():
    few, many = hold_out(gathered(boost(199), audit(60))), hold_out(gathered(boost(200), audit(60)))

    assert (len(few.observations), len(few.held)) == (259, 0)
    assert (len(many.observations), len(many.held)) == (200, 60)


def test_what_was_learned_from_or_was_not_blind_is_not_kept_for_a_promise():
    seen = [replace(each, is_blind=False) for each in audit(5, first=2_000)]
    learned = {each.id for each in audit(10)}

    found = hold_out(gathered(boost(), audit(60), seen), learned)

    assert len(found.held) == 50
    assert not learned & {each.id for each in found.held}


@pytest.mark.parametrize(
    ("answers", "wrong", "said"),
    [
        (45, 0, "Precision is at least 0.95 with 90% confidence at a cut-off of 0.30: 45 audit labels, one of each answer, none wrong."),
        (77, 1, "77 audit labels, one of each answer, one wrong."),
        (44, 0, "Cannot be promised yet: that precision is at least 0.95 with 90% confidence. At a cut-off of 0.30 there are 44"),
        (44, 0, "44 audit labels, none wrong; it needs 1 more audit label without an error."),
        (60, 1, "60 audit labels, one wrong; it needs 17 more audit labels without an error."),
    ],
)
def test_a_promise_or_what_it_lacks_is_told_in_words(answers, wrong, said):
    record = audited(answers, wrong)

    assert said in guarantee_in_words(record)
    assert record["audit"]["labels"] == answers


def test_without_audits_a_profile_says_what_it_would_take():
    record = audited(0)

    assert "It needs 45 audit labels without an error, one of each answer; there are none." in guarantee_in_words(record)
    assert "audit" not in record


def test_many_rows_of_one_answer_are_one_label_to_a_promise():
    rows = [replace(each, message=f"answer {number // 20}") for number, each in enumerate(audit(600))]

    record = record_of(hold_out(gathered(boost(), rows)))

    assert record["certificates"][0]["missing"] == {"cutoff": 0.3, "labels": 30, "errors": 0, "more": 15}


def test_what_was_held_is_exported_and_gives_the_same_profile_and_one_flipped_label_another():
    found = hold_out(gathered(boost(), audit(77, 1)))
    fitted = fit_profile(found, SCOPE, "cp_before")
    lines = [heading(SCOPE, "cp_before", fitted.labels.digest), *lines_of(found)]

    read = read_export(lines)

    assert (len(read.gathered.observations), len(read.gathered.held)) == (200, 77)
    assert fit_profile(read.gathered, read.scope, read.parent).profile.id == fitted.profile.id
    held = read.gathered.held
    flipped = replace(read.gathered, held=[replace(held[-1], is_used=not held[-1].is_used), *held[:-1]])
    assert fit_profile(flipped, read.scope, read.parent).profile.id != fitted.profile.id
    turned = replace(read.gathered, observations=read.gathered.observations[::-1], held=held[::-1])
    assert fit_profile(turned, read.scope, read.parent).profile.id == fitted.profile.id


def test_a_cutoff_is_chosen_and_told_with_its_gain():
    """A rule that is wrong two times in three: it is better left below the cut-off."""
    poor = [label(500 + number, rule="separated_words", score=0.85, uncapped_score=0.85, is_used=number % 3 == 0) for number in range(150)]

    kept, changed = audited(0), record_of(gathered(boost(), poor))

    assert (cutoff_of(kept), cutoff_in_words(kept)) == (0.5, "Its cut-off is 0.50: no other is better by more than one standard error.")
    assert cutoff_of(changed) == 0.5  # the poor rule's confidence is a third: it lies below already
    assert cutoff_of({"thresholds": {}}) is None


def test_texts_are_swept_by_the_share_that_they_had_before_a_cap_and_upward_only():
    texts = [
        label(number, field_type="summary", method="summary", rule="content_words", score=0.7, uncapped_score=share, is_used=share > 0.8)
        for number in range(100)
        for share in [0.6 + (number % 5) / 10]
    ]

    swept = by_share([*texts, *boost(20)])

    assert len(swept.forecasts) == 100
    assert swept.cutoffs[0] == swept.present == 0.6
    chosen = choose_cutoff(swept)
    assert chosen.is_changed
    assert 0.8 < chosen.threshold <= 0.9


@pytest.mark.parametrize(
    ("before", "after", "badge", "said"),
    [
        (45, 45, "Promise kept", "as cp_old promises"),
        (45, 44, "Promise withdrawn", "cp_old promises: precision is at least 0.95 with 90% confidence at a cut-off of 0.30. This"),
        (44, 45, "New promise", "45 audit labels"),
        (44, 44, None, ""),
        (None, 45, "New promise", "45 audit labels"),
        (None, 44, None, ""),
    ],
)
def test_a_comparison_says_whether_a_promise_is_kept_or_withdrawn(before, after, badge, said):
    old, new = audited(before) if before else None, audited(after, others=210)

    told = compare_guarantees(old, new, "cp_old")

    assert (told[0].text if told else None) == badge
    assert said in (told[1] if told else "")


def test_a_promise_that_moves_says_from_where_to_where():
    old = {"certificates": [{"precision": 0.95, "risk": 0.1, "cutoff": 0.8, "labels": 45, "errors": 0, "p_value": 0.09}]}
    new = {"certificates": [old["certificates"][0] | {"cutoff": 0.6}]}

    told = compare_guarantees(old, new, "cp_old")

    assert told
    assert told[1].endswith("at a cut-off of 0.60; cp_old promises it at 0.80.")


def test_profiles_of_before_there_were_promises_say_nothing():
    old = {"certificates": [], "thresholds": {}, "evaluation": {}}

    assert (guarantee_in_words(old), cutoff_in_words(old), compare_guarantees(old, old, "cp_old")) == ("", "", None)


def test_the_page_of_a_proposal_says_what_becomes_of_the_active_ones_promise(organisation, lead, other_lead):
    seen = combination_of(make_item(organisation))
    pages = []
    for others, audits in ((200, 45), (210, 44)):
        doubted = [replace(each, score=0.6, uncapped_score=0.6) for each in boost(others)]  # so that a fit is better than scores
        found = hold_out(gathered(doubted, audit(audits)))
        profile = actions.propose_from(seen=seen, gathered=found, by=lead, now=NOW)
        compare(profile)
        pages.append(read_markup(sign_in(lead).get(f"/calibration/profiles/{profile.pk}/")).text)
        seen = approve(profile, other_lead).combination

    first, second = pages
    assert "New promise" in first
    assert "45 audit labels of 45 conversations" in first
    assert "Promise withdrawn" in second
    assert "it needs 1 more audit label without an error" in second
    assert "Before it 1 profile of this combination was proposed" in second
