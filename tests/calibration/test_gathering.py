"""Labels for learning: which of them count, their truth, and the probability with which they were drawn."""

from __future__ import annotations

import json
import zlib
from dataclasses import replace

import pytest

from attribution.calibration import Stream
from reviewers.accounts.models import Role
from reviewers.calibration.combinations import scope_of
from reviewers.calibration.fitting import fit_profile
from reviewers.calibration.labels.dataset import Dataset, Undecided, build_dataset, truth_of
from reviewers.calibration.labels.label_sets import NotLabelsError, heading, lines_of, read_export
from reviewers.calibration.lifecycle.actions import propose
from reviewers.review.adjudication.actions import reopen
from reviewers.review.labels import actions
from reviewers.review.models import Draw, Rule, Verdict
from reviewers.review.models import Stream as PlanStream
from reviewers.review.plans.sampling import Design
from tests.calibration.labelled import combination_of, make_labelled, mostly_right, review_as
from tests.calibration.standing import made_up
from tests.factories import NOW, choose, make_item, make_member, make_organisation
from tests.review.deciding.cases import decide_all, make_conflict
from tests.review.plans.planning import label_all, review, run_blind, run_plan
from tests.review.redacting.redactable import lead_and_administrator, places_of, redact


def labels_on(item) -> Dataset:
    return build_dataset(combination_of(item))


def truths(item) -> dict[str, bool | None]:
    return {each.path: each.is_used for each in labels_on(item).observations}


def number_of(item, path: str) -> int:
    fields = json.loads(zlib.decompress(bytes(item.attribution.document)))["fields"]
    return next(number for number, row in enumerate(fields) if row["path"] == path)


@pytest.mark.parametrize(
    ("path", "verdict", "used"),
    [
        ("risk_level", Verdict.CORRECT, True),
        ("risk_level", Verdict.WRONG, False),
        ("risk_level", Verdict.MISSTATED, True),
        ("risk_level", Verdict.CANNOT_JUDGE, None),
        ("crisis_plan_on_file", Verdict.CORRECT, False),
        ("crisis_plan_on_file", Verdict.WRONG, True),
    ],
)
def test_a_verdict_tells_whether_the_answer_uses_the_field(item, alice, path, verdict, used):
    actions.save_label(choice=choose(item, number_of(item, path)), verdict=verdict, by=alice, now=NOW)
    actions.label_remaining(item_id=item.pk, by=alice, now=NOW)
    actions.submit(item_id=item.pk, by=alice, now=NOW)

    assert truths(item)[path] is used


def test_an_observation_holds_what_the_reviewer_saw(item, alice):
    review(item, alice)

    by_path = {each.path: each for each in labels_on(item).observations}
    cited, found = by_path["risk_level"], by_path["provider_name"]
    assert (cited.method, cited.is_cited, cited.section, cited.field_type) == ("citation", True, "safety", "enum")
    assert (found.method, found.is_cited, found.rule) == ("name", False, "full_name")
    assert 0 < found.score == found.uncapped_score <= 1
    assert found.fired == ("name.full_name",)
    assert (found.message, found.conversation) == (str(item.pk), str(item.pk))
    assert found.scope == scope_of(combination_of(item))
    assert (found.stream, found.inclusion, found.reviewer) == (Stream.BOOST, 1.0, str(alice.user_id))


@pytest.mark.usefixtures("committed")
def test_a_conversation_is_named_by_an_answer_so_that_its_reference_can_be_redacted():
    """Labels that a profile was fitted to are kept for good."""
    organisation = make_organisation()
    alice = make_member(organisation)
    people = lead_and_administrator(alice)
    seen = make_labelled(alice, 4)
    talk = {"conversation_id": "talk-samarkand", "model": seen.model, "prompt_version": seen.prompt_version}
    items = [make_item(organisation, **talk, schema_version=seen.schema_version) for _ in range(2)]
    for each in items:
        review(each, alice)
    own = {each.conversation for each in build_dataset(seen).observations if each.message in {str(each.pk) for each in items}}
    propose(combination_id=seen.pk, by=people[0], now=NOW)

    for each in items:
        redact(each, ["conversation_id"], *people)

    assert own == {str(items[0].pk)}
    assert places_of("samarkand") == []


def test_labels_count_once_their_review_is_submitted(item, alice):
    label_all(item, alice)
    assert truths(item) == {}

    actions.submit(item_id=item.pk, by=alice, now=NOW)
    assert truths(item)


def test_a_label_that_was_changed_counts_as_it_is_now(item, alice):
    review(item, alice)
    row = number_of(item, "risk_level")

    actions.save_label(choice=choose(item, row, "looked again"), verdict=Verdict.WRONG, by=alice, now=NOW)
    assert truths(item)["risk_level"] is False


def test_labels_of_a_blind_review_count_once_all_reviews_are_in(item, lead, alice, bob):
    run_blind(lead)
    review(item, alice)
    assert truths(item) == {}

    review(item, bob)
    assert set(truths(item).values()) == {True}
    assert {each.reviewer for each in labels_on(item).observations} == {" ".join(sorted([str(alice.user_id), str(bob.user_id)]))}
    assert all(each.is_blind for each in labels_on(item).observations)


def test_where_reviewers_differ_the_field_is_left_out_and_the_others_count(item, lead, alice, bob):
    run_blind(lead)
    review(item, alice)
    label_all(item, bob)
    actions.save_label(choice=choose(item, number_of(item, "risk_level")), verdict=Verdict.WRONG, by=bob, now=NOW)
    actions.submit(item_id=item.pk, by=bob, now=NOW)

    gathered = labels_on(item)
    assert list(gathered.excluded.values()) == ["reviewers differ"]
    assert "risk_level" not in truths(item)
    assert set(truths(item).values()) == {True}


@pytest.mark.parametrize(
    ("said", "used"),
    [
        (["used"], True),
        (["not_used"], False),
        (["unknown"], None),
        ([], None),
        (["used", "unknown"], True),
        (["used", "used", "not_used"], True),
        (["not_used", "used", "not_used", "unknown"], False),
    ],
)
def test_more_than_half_of_those_who_judged_decide(said, used):
    assert truth_of(said) is used


@pytest.mark.parametrize("said", [["used", "not_used"], ["used", "not_used", "unknown"]])
def test_half_of_them_do_not(said):
    with pytest.raises(Undecided, match="reviewers differ"):
        truth_of(said)


def test_seeded_rows_are_left_out(organisation, lead, alice, bob):
    items = [make_item(organisation) for _ in range(2)]
    run_blind(lead, control_share=0.5)
    for item in items:
        review(item, alice)
        review(item, bob)

    assert "an attention check" in labels_on(items[0]).excluded.values()


def test_an_audit_says_with_which_probability_it_drew(organisation, lead, alice, bob):
    items = [make_item(organisation) for _ in range(4)]
    run_blind(lead, design=Design(Draw.NUMBER, None, 2), stream=PlanStream.AUDIT, rule=Rule.MAJORITY)
    drawn = [item for item in items if type(item).objects.get(pk=item.pk).plan_id]
    for item in drawn:
        review(item, alice)
        review(item, bob)

    observations = labels_on(items[0]).observations
    assert {(each.stream, each.inclusion) for each in observations} == {(Stream.AUDIT, 0.5)}
    assert len(drawn) == 2


def test_a_plan_that_is_no_audit_boosts(organisation, lead, alice):
    item = make_item(organisation)
    run_plan(lead, overlap=1, stream=PlanStream.BOOST)
    review(item, alice)

    assert {each.stream for each in labels_on(item).observations} == {Stream.BOOST}


def test_labels_of_another_combination_or_organisation_tell_nothing_here(organisation, alice, charlie, item):
    review(make_item(organisation, prompt_version="prompt 2"), alice)

    assert truths(item) == {}


def exported(gathered: Dataset, seen, parent: str | None = None) -> list[bytes]:
    return [heading(scope_of(seen), parent, "sha256:0"), *lines_of(gathered)]


def test_exported_labels_fitted_elsewhere_give_the_same_profile_and_one_flipped_label_another(alice, organisation):
    seen = make_labelled(alice, judge=lambda number, path: Verdict.CANNOT_JUDGE if path == "level_3" else mostly_right(number, path))
    gathered = build_dataset(seen)
    fitted = fit_profile(gathered, scope_of(seen), "cp_before")

    again = read_export(exported(gathered, seen, "cp_before"))
    refitted = fit_profile(again.gathered, again.scope, again.parent)
    assert refitted.profile.id == fitted.profile.id
    assert again.gathered.members == gathered.members
    assert all(len(labels) == 1 for labels in gathered.members.values())

    turned = [replace(again.gathered.observations[0], is_used=not again.gathered.observations[0].is_used)]
    flipped = replace(again.gathered, observations=[*turned, *again.gathered.observations[1:]])
    assert fit_profile(flipped, again.scope, again.parent).profile.id != fitted.profile.id


def test_the_order_of_labels_says_nothing(item):
    seen = combination_of(item)
    known = made_up(seen, 150)
    turned = replace(known, observations=known.observations[::-1])

    assert fit_profile(turned, scope_of(seen), None).profile.id == fit_profile(known, scope_of(seen), None).profile.id


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "line 1: this is no export of labels"),
        ([b"{}"], "line 1"),
        ([b"nothing"], "line 1"),
        ([b'{"schema": "other/1"}'], "line 1: schema: it is 'other/1'"),
    ],
)
def test_what_is_no_export_is_refused_with_its_place(lines, said):
    with pytest.raises(NotLabelsError, match=said):
        read_export(lines)


def test_a_line_that_is_no_label_is_refused_with_its_number(item):
    seen = combination_of(item)

    with pytest.raises(NotLabelsError, match="line 3"):
        read_export([*exported(made_up(seen, 1), seen), b'{"observation": {"id": 1}}'])


def test_two_who_review_the_same_answer_make_one_observation_a_field(organisation, lead, alice, bob):
    item = make_item(organisation)
    run_plan(lead, overlap=2)
    review_as(item, alice, judge=lambda _number, _path: Verdict.CORRECT)
    review_as(item, make_member(organisation), judge=lambda _number, _path: Verdict.CORRECT)

    gathered = labels_on(item)
    assert len({each.id for each in gathered.observations}) == len(gathered.observations)
    assert {len(labels) for labels in gathered.members.values()} == {2}


def test_what_a_lead_decides_stands_above_what_was_said(organisation):
    lead = make_member(organisation, Role.LEAD, "Leda Lund")
    item = make_conflict(organisation)
    assert labels_on(item).observations == []
    assert set(labels_on(item).excluded.values()) == {"reviewers differ"}

    decide_all(item, lead, Verdict.CORRECT)

    assert truths(item) == {"risk_level": True, "fit_score": True}
    told = labels_on(item).members
    assert {len(members) for members in told.values()} == {3}  # two labels and the decision


def test_what_is_reviewed_once_more_tells_nothing_until_it_is_submitted_again(organisation):
    lead = make_member(organisation, Role.LEAD, "Leda Lund")
    item = make_conflict(organisation)
    decide_all(item, lead)

    reopen(item_id=item.pk, reason="the guide has changed", by=lead, now=NOW)

    assert labels_on(item).members == {}
