"""Profiles: what is shipped holds together; what cannot be used is refused with its place."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from attribution import (
    DEFAULT_PROFILE,
    Counted,
    Estimate,
    ProfileError,
    attribute,
    calibrated,
    context_values,
    decode,
    encode,
    read_profile,
)

SHIPPED: dict[str, Any] = dict(DEFAULT_PROFILE.data)


def changed(*keys: Any, value: Any) -> dict[str, Any]:
    data = deepcopy(SHIPPED)
    place = data
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    return data


def node(*path: str, right: int = 62, labels: int = 100, confidence: float = 0.62, low: float = 0.5, high: float = 0.7) -> dict[str, Any]:
    counts = {"path": list(path), "right": right, "labels": labels, "prior": 0.9, "worth": 8.0}
    return counts | {"confidence": confidence, "low": low, "high": high}


def table(*nodes: dict[str, Any]) -> dict[str, Any]:
    return {"calibrator": {"nodes": list(nodes)}}


def test_the_shipped_profile_is_the_default_and_uncalibrated() -> None:
    assert read_profile(SHIPPED).id == DEFAULT_PROFILE.id
    assert not DEFAULT_PROFILE.is_calibrated


def test_any_change_changes_the_identity() -> None:
    assert read_profile(changed("scores", "enum.whole_word", value=0.94)).id != DEFAULT_PROFILE.id


@pytest.mark.parametrize("rule", SHIPPED["scores"])
def test_every_rule_stays_below_one(rule: str) -> None:
    assert 0 < SHIPPED["scores"][rule] < 1


@pytest.mark.parametrize("name", SHIPPED["enum_values"])
def test_known_values_belong_to_an_enum(name: str) -> None:
    assert name in SHIPPED["types"]["enum"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "KeyError: 'name'"),
        (changed("scores", value={}), "scores.boolean.answered: is missing"),
        (changed("scores", "enum.whole_word", value=1.5), "scores.enum.whole_word: 1.5 is not between 0 and 1"),
        (changed("scores", "enum.whole_word", value=float("nan")), "scores.enum.whole_word: nan is not between 0 and 1"),
        (changed("cited_score", value=-1), "cited_score: -1 is not between 0 and 1"),
        (changed("calibration", value=table(node("a.b", high=2.0))), "nodes.0: 0.5, 0.62 and 2.0 are no interval of a probability"),
        (changed("calibration", value=table(node("a.b", low=0.7))), "nodes.0: 0.7, 0.62 and 0.7 are no interval of a probability"),
        (changed("calibration", value=table(node())), "nodes.0.path: must be one to 3 texts"),
        (changed("calibration", value=table(node("a.b", "enum", "s.f"))), "KeyError: ('a.b',)"),
        (changed("calibration", value=table({"path": ["a.b"]})), "KeyError: 'right'"),
        (changed("calibration", value={"thresholds": []}), "calibration.thresholds: must be an object"),
        (changed("calibration", value={"thresholds": {"summary_share": 7}}), "thresholds.summary_share: 7 is not between 0 and 1"),
        (changed("confidence_words", value={"sure": 2}), "confidence_words.sure: 2 is not between 0 and 1"),
        (changed("types", "mood", value=["tone"]), "'mood' is not a valid FieldType"),
        (changed("thresholds", "summary_share", value=60), "thresholds.summary_share: 60 is not between 0 and 1"),
        (changed("thresholds", "tokens_per_marker", value=0), "thresholds.tokens_per_marker: 0 is not a whole number from 1 up"),
        (changed("thresholds", "summary_length", value=4.5), "thresholds.summary_length: 4.5 is not a whole number from 1 up"),
        (changed("sections", 0, "prefix", value="C+"), "sections.client_signal: 'C+' is no prefix"),
        (changed("sections", 0, "prefix", value="pg"), "sections: the prefix PG is used twice"),
        (changed("sections", 0, "name", value="safety"), "sections: the name safety is used twice"),
        (changed("sections", value={}), "sections: must be a list"),
        (changed("sections", 0, value="safety"), "sections.0: must be an object"),
        (changed("sections", 0, "prefix", value=5), "sections.0.prefix: must be text"),
        (changed("sections", 0, "title", value=None), "sections.0.title: must be text"),
        (changed("sections", 0, "fields", value="flags"), "sections.0.fields: must be a list of texts"),
        (changed("types", value=[]), "types: must be an object"),
        (changed("types", "enum", value="risk_level"), "types.enum: must be a list of texts"),
        (changed("concepts", value=[]), "concepts: must be an object of objects"),
        (changed("concepts", "pets", "words", value=[1]), "concepts.pets.words: must be a list of texts"),
        (changed("concepts", "pets", "signs", value=["…"]), "concepts.pets.signs: must be a list of texts"),
        (changed("concepts", "pets", "together", value="dog"), "concepts.pets.together: must be a list of lists of texts"),
        (changed("stances", "allow", "said", value="may"), "stances.allow.said: must be a list of texts"),
        (changed("common_words", value="low"), "common_words: must be a list of texts"),
        (changed("evaluating_words", value="good"), "evaluating_words: must be a list of texts"),
        (changed("synonyms", value="tea ~ infusion"), "synonyms: must be a list of texts"),
        (changed("synonyms", value=["tea"]), "synonyms: line 1: must be a head"),
        (changed("generic_label_words", value="level"), "generic_label_words: must be a list of texts"),
        (changed("scores", value=[]), "scores: must be an object"),
        (changed("thresholds", value=3), "thresholds: must be an object"),
        (changed("calibration", value=[]), "calibration: must be an object"),
        (changed("cited_score", value=True), "cited_score: True is no number"),
        (changed("cited_score", value="1"), "cited_score: '1' is no number"),
        (changed("version", value="1"), "version: '1' is not a whole number from 1 up"),
        (changed("name", value=None), "name: must be text"),
    ],
)
def test_a_profile_that_cannot_be_used_is_refused_with_its_place(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ProfileError) as error:
        read_profile(data)
    assert message in str(error.value)


def test_an_organisation_can_add_a_section() -> None:
    section = {"name": "labs", "prefix": "lb", "title": "Laboratory", "heading_words": ["labs"], "fields": ["glucoseLevel"]}
    profile = read_profile(changed("sections", value=[*SHIPPED["sections"], section]))
    attribution = attribute(response="It is high [[LB:glucoselevel]], (LB:other_one).", context={"labs": {"x": 1}}, profile=profile)
    assert [marker.status for marker in attribution.markers] == ["absent", "malformed"]


def test_a_calibrated_profile_gives_confidences_beside_scores() -> None:
    cited = node("citation.cited_only", confidence=0.714, high=0.8)
    profile = calibrated(DEFAULT_PROFILE, table(node("enum.whole_word"), cited))
    context = {"safety": {"risk_level": "elevated"}, "therapeutic_fit": {"rank": 2, "fit_score": 0.85}}
    attribution = attribute(response="Risk level: elevated. She is near the top [[TF:rank]], 85%.", context=context, profile=profile)
    assert attribution.is_calibrated
    assert [(row.score, row.confidence) for row in attribution.fields] == [(0.95, 0.62), (1.0, 0.714), (0.9, 0.9)]
    assert [row.estimate is None for row in attribution.fields] == [False, False, True]


def test_a_confidence_has_its_interval_and_the_counts_that_explain_it() -> None:
    field = node("enum.whole_word", "enum", "safety.risk_level", right=12, labels=14, confidence=0.84, low=0.7, high=0.94)
    profile = calibrated(DEFAULT_PROFILE, table(node("enum.whole_word"), node("enum.whole_word", "enum", right=50, labels=80), field))
    (row,) = attribute(response="Risk level: elevated.", context={"safety": {"risk_level": "elevated"}}, profile=profile).fields
    counted = (Counted("enum.whole_word", 62, 100), Counted("enum", 50, 80), Counted("safety.risk_level", 12, 14))
    assert row.estimate == Estimate(0.84, 0.7, 0.94, counted, 0.9, 8.0)
    assert row.confidence == 0.84


def test_a_field_without_labels_takes_the_estimate_of_its_type_and_then_of_its_rule() -> None:
    of_type = node("enum.whole_word", "enum", confidence=0.66)
    context = {"safety": {"risk_level": "elevated"}}
    for nodes, expected in (([of_type], 0.66), ([], 0.62)):
        profile = calibrated(DEFAULT_PROFILE, table(node("enum.whole_word"), *nodes))
        (row,) = attribute(response="Risk level: elevated.", context=context, profile=profile).fields
        assert row.confidence == expected


def test_the_elements_of_a_list_of_objects_are_one_field() -> None:
    path = ("field_value.whole_phrase", "field_value", "provider_genome.offers.*.town")
    profile = calibrated(DEFAULT_PROFILE, table(*[node(*path[:depth], confidence=0.6 + depth / 100) for depth in (1, 2, 3)]))
    context = {"provider_genome": {"offers": [{"town": "Norwich"}, {"town": "Wells"}]}}
    first, second = attribute(response="Norwich or Wells.", context=context, profile=profile).fields
    assert first.confidence == second.confidence == 0.63


def test_capped_evidence_is_calibrated_apart() -> None:
    profile = calibrated(DEFAULT_PROFILE, table(node("enum.whole_word"), node("enum.whole_word ambiguous", confidence=0.2, low=0.1)))
    (row,) = attribute(response="Elevated mood.", context={"safety": {"risk_level": "elevated"}}, profile=profile).fields
    assert (row.score, row.confidence) == (0.5, 0.2)


def test_a_calibrated_attribution_is_read_back_as_it_was_written() -> None:
    profile = calibrated(DEFAULT_PROFILE, table(node("enum.whole_word")))
    context = {"safety": {"risk_level": "elevated"}}
    attribution = attribute(response="Risk level: elevated.", context=context, profile=profile)
    assert decode(encode(attribution), context_values(context)) == attribution


def test_a_calibration_chooses_thresholds_and_gives_another_identity() -> None:
    profile = calibrated(DEFAULT_PROFILE, {"thresholds": {"common_word_cap": 0.3}})
    assert profile.thresholds.common_word_cap == 0.3
    assert profile.id != DEFAULT_PROFILE.id
    assert not profile.is_calibrated


@pytest.mark.parametrize(("confidence", "words"), [(1.0, "almost certain"), (0.95, "almost certain"), (0.8, "likely"), (0.1, "uncertain")])
def test_a_confidence_is_said_in_the_profiles_words(confidence: float, words: str) -> None:
    assert DEFAULT_PROFILE.in_words(confidence) == words


def test_a_profile_may_have_other_words_or_none() -> None:
    profile = read_profile(changed("confidence_words", value={"fairly sure": 0.5}))
    assert (profile.in_words(0.5), profile.in_words(0.4)) == ("fairly sure", "")
    assert read_profile({key: value for key, value in SHIPPED.items() if key != "confidence_words"}).in_words(1.0) == ""


def test_an_uncalibrated_profile_repeats_its_scores() -> None:
    (row,) = attribute(response="Risk level: elevated.", context={"safety": {"risk_level": "elevated"}}).fields
    assert row.confidence == row.score == 0.95


def test_thresholds_are_the_profile_s() -> None:
    profile = read_profile(changed("thresholds", "common_word_cap", value=0.3))
    (row,) = attribute(response="Elevated mood.", context={"safety": {"risk_level": "elevated"}}, profile=profile).fields
    assert row.score == 0.3
