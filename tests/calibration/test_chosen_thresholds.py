"""Thresholds that were swept go into a profile: its fit, its comparison and the answers under it know them, and two people decide."""

from __future__ import annotations

import json
import zlib

import pytest
from django.core.management import CommandError, call_command

from attribution import attribute
from reviewers.calibration.fitting import fit_profile
from reviewers.calibration.jobs import fit
from reviewers.calibration.labels.actions import document_of
from reviewers.calibration.labels.dataset import build_dataset
from reviewers.calibration.labels.label_sets import read_export
from reviewers.calibration.labels.thresholds import NOT_HERE, own_thresholds, read_again, reading_profile, thresholds_of
from reviewers.calibration.lifecycle import actions
from reviewers.calibration.models import BackgroundTask, CalibrationProfile, TaskKind
from reviewers.calibration.shadow import record_of
from reviewers.review.models import Verdict
from tests.calibration.imported import bring, lines, turn
from tests.calibration.labelled import CONTEXT, RESPONSE, combination_of, compare, make_answer, mostly_right, review_as, rows_of
from tests.calibration.standing import approve
from tests.calibration.test_sweeping import TEXT
from tests.events import events
from tests.factories import NOW, make_item, make_record, sign_in
from tests.markup import read_markup

ALL, FEW = 11, 7
"""Words of the long text that an answer has: all, and a share of 0.64."""
CHOSEN = {"summary_share": 0.7}


def saying(count: int) -> dict:
    words = " ".join(TEXT.split()[:count])
    return {"response": f"{RESPONSE} She offers {words}.", "context": {**CONTEXT, "provider": {"summary": TEXT}}}


def judge(number: int, path: str) -> Verdict:
    return mostly_right(number, path) if path.startswith("level") else Verdict.CORRECT


def long_text(item) -> dict:
    """The row of the long text."""
    return next(row for row in rows_of(item) if row["path"] == "summary")


@pytest.fixture
def items(alice):
    made = [make_answer(alice, number, **saying(count)) for number, count in enumerate((ALL, FEW, ALL, FEW))]
    for number, item in enumerate(made):
        review_as(item, alice, number, judge)
    return made


@pytest.fixture
def seen(items):
    return combination_of(items[0])


@pytest.fixture
def proposed(seen, lead):
    profile = actions.propose(combination_id=seen.pk, by=lead, now=NOW, thresholds=CHOSEN)
    compare(profile)
    return profile


def observed(profile) -> dict[str, dict]:
    """The labels on the long text that a profile was fitted to, by answer."""
    found = map(json.loads, zlib.decompress(bytes(profile.labels.document)).splitlines())
    return {each["observation"]["message"]: each["observation"] for each in found if each["observation"]["path"] == "summary"}


def test_a_profile_has_the_thresholds_that_were_chosen_and_no_others(proposed):
    assert own_thresholds(record_of(proposed)) == thresholds_of(proposed) == CHOSEN
    assert [each["details"].get("thresholds") for each in events("profile.proposed")] == [CHOSEN]


def test_it_is_fitted_to_rows_as_they_are_found_under_them(items, proposed):
    whole, few = (items[place] for place in (0, 1))
    assert [long_text(each)["rule"] for each in (whole, few)] == ["content_words", "content_words"]

    again = attribute(**saying(FEW), user_text=make_record()["user_text"], profile=reading_profile(CHOSEN))
    (row,) = [each for each in again.fields if each.field.path == "summary"]
    labels = observed(proposed)
    assert (labels[str(whole.pk)]["rule"], labels[str(whole.pk)]["score"]) == ("content_words", 0.7)
    assert (labels[str(few.pk)]["method"], labels[str(few.pk)]["rule"]) == (row.method, row.rule)
    assert row.rule != "content_words"


def test_the_comparison_tells_which_rows_are_found_otherwise(items, proposed, lead):
    plain = actions.propose(combination_id=proposed.combination_id, by=lead, now=NOW)
    compare(plain)
    told = [
        {each[0] for each in json.loads(zlib.decompress(bytes(profile.comparisons.latest("id").changes))) if each[3] == "provider.summary"}
        for profile in (plain, proposed)
    ]

    assert {str(items[place].pk) for place in (1, 3)} <= told[1]
    assert told[0] != told[1]


def test_answers_are_read_under_them_once_somebody_else_has_approved(alice, other_lead, proposed, organisation):
    assert long_text(make_answer(alice, 5, **saying(FEW)))["rule"] == "content_words"

    approve(proposed, other_lead)

    assert long_text(make_answer(alice, 6, **saying(FEW))).get("rule") != "content_words"
    assert long_text(make_answer(alice, 7, **saying(ALL)))["rule"] == "content_words"


def test_words_to_a_marker_say_when_an_answer_is_over_cited(seen, lead, other_lead, organisation):
    few_words = {"response": " ".join(["word"] * 30) + " [[SF:level_0]] [[SF:level_1]].", "context": CONTEXT}
    assert "over_cited" in make_item(organisation, **few_words, model="model-a", prompt_version="prompt 1").attribution.guardrails
    profile = actions.propose(combination_id=seen.pk, by=lead, now=NOW, thresholds={"tokens_per_marker": 10})
    compare(profile)
    approve(profile, other_lead)

    item = make_item(organisation, **few_words, id="later", model="model-a", prompt_version="prompt 1")
    assert "over_cited" not in item.attribution.guardrails
    assert record_of(profile)["thresholds"]["tokens_per_marker"] == 10


def test_exported_labels_fitted_elsewhere_give_the_same_profile(proposed, capsys, tmp_path):
    read = read_export(document_of(proposed).splitlines())
    assert read.gathered.thresholds == CHOSEN
    assert fit_profile(read.gathered, read.scope, read.parent).profile.id == proposed.name

    names = {"organisation": proposed.organisation.slug, "model": "model-a", "prompt": "prompt 1"}
    call_command("calibrate", "fit", **names, threshold=["summary_share=0.7"])
    assert capsys.readouterr().out.splitlines()[0] == proposed.name


@pytest.mark.parametrize("given", ["summary_share=high", "summary_share=7", "summary_length=3", "tokens_per_marker=0"])
def test_a_command_is_told_which_thresholds_there_are(proposed, given):
    names = {"organisation": proposed.organisation.slug, "model": "model-a", "prompt": "prompt 1"}
    with pytest.raises(CommandError, match=f"--threshold {given}"):
        call_command("calibrate", "fit", **names, threshold=[given])


def test_the_next_profile_has_those_of_the_active_one_unless_others_are_chosen(alice, seen, lead, other_lead, proposed):
    approve(proposed, other_lead)
    review_as(make_answer(alice, 8, **saying(ALL)), alice, 8, judge)
    kept = actions.propose(combination_id=seen.pk, by=lead, now=NOW)
    assert thresholds_of(kept) == CHOSEN
    actions.reject(profile_id=kept.pk, reason="no", by=lead, now=NOW)

    back = actions.propose(combination_id=seen.pk, by=lead, now=NOW, thresholds={"summary_share": 0.6})
    assert thresholds_of(back) == {}
    labels = observed(back)
    assert {each["rule"] for each in labels.values()} == {"content_words"}, "read again under the shipped one"


def test_labels_on_answers_that_are_not_here_are_left_out(organisation, lead):
    imported = bring(organisation, lines(*map(turn, range(12))))
    gathered = build_dataset(imported.combination)
    elsewhere = actions.gather(imported.combination, [imported.pk])
    assert not gathered.observations

    again = read_again(elsewhere, imported.combination, CHOSEN)
    assert not again.observations
    assert set(again.excluded.values()) == {NOT_HERE}
    assert read_again(elsewhere, imported.combination, {}).observations == elsewhere.observations


def test_a_form_offers_the_present_ones_and_suggests_what_was_looked_at(seen, lead):
    page = read_markup(sign_in(lead).get(f"/calibration/{seen.pk}/thresholds/?by=share&at=0.75"))
    given = {each["name"]: each["value"] for each in page.one("section", **{"aria-labelledby": "choose"}).find("input") if each.get("id")}
    assert given == {"summary_share": "0.75", "summary_cap": "0.70", "common_word_cap": "0.50", "tokens_per_marker": "25"}

    response = sign_in(lead).post(f"/calibration/{seen.pk}/propose/", given)
    profile = CalibrationProfile.objects.get()
    assert response["Location"] == f"/calibration/profiles/{profile.pk}/"
    assert thresholds_of(profile) == {"summary_share": 0.75}
    text = read_markup(sign_in(lead).get(response["Location"])).text
    assert "Share of a long text’s words from which it counts as found: 0.75 instead of 0.60." in text
    assert not read_markup(sign_in(lead).get(f"/calibration/{seen.pk}/thresholds/")).find("section", **{"aria-labelledby": "choose"})


@pytest.mark.parametrize("wrong", [{"summary_share": "0.4"}, {"summary_cap": "1"}, {"tokens_per_marker": "2.5"}, {"common_word_cap": "x"}])
def test_what_no_profile_can_have_is_told(seen, lead, wrong):
    response = sign_in(lead).post(f"/calibration/{seen.pk}/propose/", wrong)

    assert response.status_code == 422
    assert not CalibrationProfile.objects.exists()
    assert read_markup(response).one("p", role="alert").text


def test_whoever_may_only_read_is_offered_nothing(seen, auditor):
    page = read_markup(sign_in(auditor).get(f"/calibration/{seen.pk}/thresholds/"))

    assert not page.find("section", **{"aria-labelledby": "choose"})


def test_a_large_fit_is_left_to_the_worker_with_them(seen, lead, monkeypatch):
    monkeypatch.setattr(actions, "MOST_AT_ONCE", 0)
    sign_in(lead).post(f"/calibration/{seen.pk}/propose/", {"summary_share": "0.7"})
    asked = BackgroundTask.objects.get(kind=TaskKind.FIT)

    fit.func(str(asked.pk), str(asked.organisation_id))

    assert thresholds_of(CalibrationProfile.objects.get()) == CHOSEN
