"""The record of a calibrated profile; the profile's name is its content."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from attribution import DEFAULT_PROFILE, attribute, calibrated, canonical_bytes, encode, read_profile
from attribution.calibration import (
    Calibration,
    Observation,
    Record,
    Scope,
    ShadowRow,
    Staleness,
    agreement,
    attention,
    cells,
    certify,
    changes,
    compare,
    cross_validated,
    evaluate,
    fit,
    fit_gates,
    forecasts_of,
    label_digest,
    label_set,
    path_of_row,
    reasons_to_doubt,
    reviewer_gates,
)
from attribution.errors import ProfileError
from tests.attribution.calibration.labels import label, labels, seeded

SCOPE = Scope("clinic", "model-1", "prompt-7", "schema-3", "engine-12")
UNCALIBRATED = Calibration({})


def record_of(known: list[Observation], **changes: Any) -> Record:
    return Record(**{"scope": SCOPE, "calibrator": fit(known), "labels": label_set(known)} | changes)


def profile_id(known: list[Observation], **changes: Any) -> str:
    return calibrated(DEFAULT_PROFILE, record_of(known, **changes).document()).id


def test_the_same_labels_in_another_order_give_the_same_profile() -> None:
    known = labels(300)
    shuffled = known.copy()
    seeded(1).shuffle(shuffled)
    assert profile_id(shuffled) == profile_id(known)
    assert profile_id(known).startswith("cp_")


def test_one_flipped_label_gives_another_profile() -> None:
    known = labels(300)
    flipped = [replace(known[0], is_used=not known[0].is_used), *known[1:]]
    assert profile_id(flipped) != profile_id(known)
    assert label_digest(flipped) != label_digest(known)


@pytest.mark.parametrize(
    "change",
    [
        {"scope": replace(SCOPE, prompt="prompt-8")},
        {"parent": "cp_1"},
        {"is_transfer": True},
        {"thresholds": {"common_word_cap": 0.4}},
        {"staleness": Staleness(oldest_days=30)},
        {"certificates": [certify([(0.9, True)] * 50, [0.9])]},
        {"shadow": {"messages": 10}},
    ],
)
def test_whatever_a_record_says_is_in_its_name(change: dict[str, Any]) -> None:
    known = labels(200)
    assert profile_id(known, **change) != profile_id(known)


def test_a_record_read_back_from_json_gives_the_same_profile() -> None:
    document = record_of(labels(300)).document()
    again = json.loads(canonical_bytes(document))
    assert again == document
    assert calibrated(DEFAULT_PROFILE, again).id == calibrated(DEFAULT_PROFILE, document).id
    stored = json.loads(canonical_bytes(calibrated(DEFAULT_PROFILE, document).data))
    assert read_profile(stored).id == calibrated(DEFAULT_PROFILE, document).id


def test_labels_exported_as_json_give_the_same_digest() -> None:
    assert label_digest([label(score=1.0, inclusion=1.0)]) == label_digest([label(score=1, inclusion=1)])


def test_an_attribution_under_a_record_is_the_same_each_time_and_says_what_its_table_says() -> None:
    fitted = fit(labels(400))
    profile = calibrated(DEFAULT_PROFILE, record_of(labels(400)).document())
    turn: dict[str, Any] = {"response": "Risk level: elevated.", "context": {"safety": {"risk_level": "elevated"}}, "profile": profile}
    first, second = attribute(**turn), attribute(**turn)
    assert canonical_bytes(encode(first)) == canonical_bytes(encode(second))
    (row,) = first.fields
    assert row.confidence == fitted.table.confidence(path_of_row(row), row.score) != row.score
    assert first.profile == profile.id


def test_a_provisional_record_leaves_scores() -> None:
    profile = calibrated(DEFAULT_PROFILE, record_of(labels(99)).document())
    assert not profile.is_calibrated
    (row,) = attribute(response="Risk level: elevated.", context={"safety": {"risk_level": "elevated"}}, profile=profile).fields
    assert row.confidence == row.score


def test_what_was_left_out_is_named_with_its_reason() -> None:
    known = [label(1), label(2, is_used=None), label(3)]
    found = label_set(known, {"label-3": "the reviewer did not pass"})
    assert found.excluded == (("label-2", "cannot judge"), ("label-3", "the reviewer did not pass"))
    assert (found.labels, found.conversations, found.digest) == (1, 1, label_digest([label(1)]))
    assert found.streams == {"audit": 1}


def test_two_labels_of_one_name_are_refused_and_none_are_a_set() -> None:
    with pytest.raises(ValueError, match="two labels have one name"):
        label_set([label(1), label(1)])
    assert (label_set([]).labels, label_set([]).streams) == (0, {})


def test_a_certificate_stands_in_the_record_with_its_proof() -> None:
    proven, unproven = certify([(0.9, True)] * 50, [0.9]), certify([], [0.9])
    first, second = record_of(labels(200), certificates=[proven, unproven]).document()["certificates"]
    assert (first["cutoff"], first["labels"], first["errors"]) == (0.9, 50, 0)
    missing = {"cutoff": 0.9, "labels": 0, "errors": 0, "more": 45}
    assert second == {"precision": 0.95, "risk": 0.1, "cutoff": None, "missing": missing}


def test_labels_that_only_certify_are_named_apart() -> None:
    kept = label_set([label(number) for number in range(300, 350)])
    document = record_of(labels(200), audit=kept).document()
    assert (document["audit"]["labels"], document["labels"]["labels"]) == (50, 200)
    assert "audit" not in record_of(labels(200)).document()


def test_a_cutoff_is_read_from_a_record_and_changes_no_row() -> None:
    plain, cut = (calibrated(DEFAULT_PROFILE, record_of(labels(200), thresholds=each).document()) for each in ({}, {"confidence": 0.95}))
    assert (plain.cutoff, cut.cutoff) == (None, 0.95)
    turn = {"response": "Risk level: elevated.", "context": {"safety": {"risk_level": "elevated"}}}
    assert attribute(**turn, profile=cut).fields == attribute(**turn, profile=plain).fields
    with pytest.raises(ProfileError, match=r"thresholds.confidence: 2 is not between 0 and 1"):
        calibrated(DEFAULT_PROFILE, record_of(labels(200), thresholds={"confidence": 2}).document())


def test_labels_are_tested_by_calibrators_that_have_not_seen_their_conversation() -> None:
    known = labels(400)
    tested, forecasts = cross_validated(known)
    assert sorted(each.id for each in tested) == sorted(each.id for each in known)
    of_conversation = {each.id: forecast for each, forecast in zip(tested, forecasts, strict=True)}
    gone = {known[0].conversation}
    flipped = [replace(each, is_used=not each.is_used) if each.conversation in gone else each for each in known]
    again = {each.id: forecast for each, forecast in zip(*cross_validated(flipped), strict=True)}
    assert all(again[each.id].probability == of_conversation[each.id].probability for each in known if each.conversation in gone)


def test_a_fitted_table_is_worth_more_than_scores() -> None:
    tested, after = cross_validated(labels(600))
    found = evaluate(forecasts_of(tested, UNCALIBRATED), after, seeded(1))
    assert found.log_loss_gain is not None
    assert found.log_loss_gain.value > 0.1
    assert found.brier_gain is not None
    assert found.brier_gain.value > 0
    document = found.document()
    assert json.loads(json.dumps(document)) == document
    assert document["cox"]["verdict"] == "not_rejected"


def test_gates_say_what_holds_and_why() -> None:
    known = labels(600)
    tested, after = cross_validated(known)
    before = forecasts_of(tested, UNCALIBRATED)
    found = {each.name: each for each in fit_gates(evaluate(before, after, seeded(1)), cells(known, UNCALIBRATED, fit(known).table))}
    assert all(each.is_passed for each in found.values())
    turned = {each.name: each for each in fit_gates(evaluate(after, before, seeded(1)), cells(known, fit(known).table, UNCALIBRATED))}
    assert not turned["log loss"].is_passed
    assert not turned["cells"].is_passed
    assert "citation.cited_only" in turned["cells"].because


def test_of_no_labels_no_gate_of_a_fit_is_passed_but_that_of_cells() -> None:
    found = fit_gates(evaluate([], [], seeded(1)), cells([], UNCALIBRATED, UNCALIBRATED))
    assert [each.is_passed for each in found] == [False, False, True]


def test_reviewers_have_to_agree_on_what_is_wrong_and_to_see_it() -> None:
    agreed = agreement([("right", "right")] * 80 + [("wrong", "wrong")] * 15 + [("right", "wrong")] * 5)
    gold = attention([(True, True)] * 19 + [(True, False)] + [(False, False)] * 18 + [(False, True)] * 2)
    assert (gold.sensitivity, gold.specificity) == (0.95, 0.9)
    assert [each.is_passed for each in reviewer_gates("wrong", agreed, gold)] == [True, True]
    split = agreement([("right", "right")] * 90 + [("right", "wrong")] * 10)
    assert [each.is_passed for each in reviewer_gates("wrong", split, attention([(False, True)]))] == [False, False]
    assert [each.is_passed for each in reviewer_gates("wrong", agreement([]), attention([]))] == [False, False]


def test_old_and_unwatched_calibrations_are_doubted() -> None:
    rules = Staleness()
    assert reasons_to_doubt(rules, 10, 0) == reasons_to_doubt(rules, 90, 30) == ()
    assert reasons_to_doubt(rules, 91, 30) == ("91 days old, and 90 are the most",)
    assert reasons_to_doubt(rules, 30, 29) == ("29 audit labels in 30 days, and 30 are the fewest",)


def corpus(messages: int) -> list[ShadowRow]:
    rows = labels(messages * 2, seed=9)
    return [ShadowRow(each.message, each.node_path, each.score) for each in rows]


def test_a_shadow_counts_what_crosses_a_threshold() -> None:
    proposed = fit(labels(400)).table
    rows = corpus(500)
    found = compare(rows, UNCALIBRATED, proposed)
    crossing = list(changes(rows, UNCALIBRATED, proposed))
    assert (found.messages, found.rows) == (500, 1_000)
    assert found.changed_rows == len(crossing) == sum(found.by_rule.values()) == sum(found.by_field.values())
    assert found.changed_messages == len({each.row.message for each in crossing})
    fell = {each.row.message for each in crossing if each.before >= 0.8 > each.after}
    assert found.fallen[0.8] == len(fell) > 0
    assert found.document()["fallen"]["0.8"] == len(fell)


def test_the_same_table_changes_nothing_and_no_rows_are_no_messages() -> None:
    table = fit(labels(400)).table
    assert compare(corpus(50), table, table).changed_rows == 0
    assert compare([], UNCALIBRATED, table).messages == 0
    assert list(changes(corpus(50), table, table)) == []


def test_a_corpus_may_be_read_once_only() -> None:
    table = fit(labels(400)).table
    assert compare(iter(corpus(50)), UNCALIBRATED, table) == compare(corpus(50), UNCALIBRATED, table)


def test_cells_are_worse_only_with_labels_enough() -> None:
    right = [label(number, is_used=True) for number in range(20)]
    lower = Calibration({each.node_path: replace_confidence(each) for each in right[:1]})
    assert all(each.is_worse for each in cells(right, UNCALIBRATED, lower))
    assert not any(each.is_worse for each in cells(right[1:], UNCALIBRATED, lower))
    assert not any(each.is_worse for each in cells(right, lower, UNCALIBRATED))


def replace_confidence(each: Observation) -> Any:
    estimate = fit([label(number) for number in range(200)]).table.estimate(each.node_path)
    assert estimate is not None
    return estimate._replace(confidence=0.6)
