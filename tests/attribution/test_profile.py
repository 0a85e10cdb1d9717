"""Profiles: what is shipped holds together; what cannot be used is refused with its place."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from attribution import DEFAULT_PROFILE, ProfileError, attribute, read_profile

SHIPPED: dict[str, Any] = dict(DEFAULT_PROFILE.data)


def changed(*keys: Any, value: Any) -> dict[str, Any]:
    data = deepcopy(SHIPPED)
    place = data
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    return data


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
        (changed("calibration", value={"citation.cited_only": 2}), "calibration.citation.cited_only: 2 is not between 0 and 1"),
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
    profile = read_profile(changed("calibration", value={"enum.whole_word": 0.62, "citation.cited_only": 0.714}))
    context = {"safety": {"risk_level": "elevated"}, "therapeutic_fit": {"rank": 2}}
    attribution = attribute(response="Risk level: elevated. She is second [[TF:rank]].", context=context, profile=profile)
    assert attribution.is_calibrated
    assert [(row.score, row.confidence) for row in attribution.fields] == [(0.95, 0.62), (1.0, 0.714)]


def test_an_uncalibrated_profile_repeats_its_scores() -> None:
    (row,) = attribute(response="Risk level: elevated.", context={"safety": {"risk_level": "elevated"}}).fields
    assert row.confidence == row.score == 0.95


def test_thresholds_are_the_profile_s() -> None:
    profile = read_profile(changed("thresholds", "common_word_cap", value=0.3))
    (row,) = attribute(response="Elevated mood.", context={"safety": {"risk_level": "elevated"}}, profile=profile).fields
    assert row.score == 0.3
