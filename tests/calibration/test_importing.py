"""Labels from elsewhere: read strictly, kept apart, and used where somebody chooses so."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc

import pytest
from django.core.management import CommandError, call_command

from attribution import attribute
from attribution.calibration import Stream
from reviewers.accounts.models import Membership
from reviewers.accounts.policies import Refused
from reviewers.calibration.combinations import ENGINE
from reviewers.calibration.fitting import fit_profile
from reviewers.calibration.labels import imports
from reviewers.calibration.labels.actions import document_of, read_file
from reviewers.calibration.labels.dataset import build_dataset
from reviewers.calibration.labels.imports import build_dataset_with_imports, lines_of_file, read_turn
from reviewers.calibration.labels.label_sets import NotLabelsError, read_export
from reviewers.calibration.labels.queries import combinations_of, offered_combinations
from reviewers.calibration.lifecycle import actions
from reviewers.calibration.models import CalibrationProfile, ImportedSet, SeenCombination
from reviewers.calibration.shadow import record_of
from tests.attribution.test_linear import work
from tests.calibration.imported import LEVELS, bring, labelled_turns, lines, turn
from tests.calibration.labelled import combination_of, make_answer, review_as
from tests.calibration.standing import propose
from tests.events import events
from tests.factories import NOW, make_item, make_organisation, sign_in, without_proofs
from tests.markup import read_markup
from tests.review.plans.planning import review, run_blind

PAGE, BRING = "/calibration/imports/", "/calibration/imports/bring/"


@pytest.fixture
def profile(lead, organisation):
    return propose(make_item(organisation, model="calibrated"), lead)


def refusal(organisation, content: bytes) -> str:
    with pytest.raises(NotLabelsError) as refused:
        bring(organisation, content)
    return str(refused.value)


def test_an_export_comes_back_in_with_its_digest(organisation, profile):
    imported = bring(organisation, document_of(profile), "north")

    assert (imported.digest, imported.label_count, imported.source) == (profile.labels.digest, 120, "north")
    assert imported.combination_id == profile.combination_id
    told = events("labels.imported")[-1]
    assert told["details"] == {"form": "export", "labels": 120, "conversations": 30}
    assert "north" not in str(told)


def test_one_flipped_label_is_refused(organisation, profile):
    content = document_of(profile)
    changed = content.replace(b'"is_used":true', b'"is_used":false', 1)

    assert changed != content
    assert "do not give the digest in line 1" in refusal(organisation, changed)


def test_labels_on_scores_of_another_engine_are_refused(organisation, profile):
    changed = document_of(profile).replace(ENGINE.encode(), b"0.9 cp_before", 1)

    assert "scope.engine: the labels are on scores of 0.9 cp_before" in refusal(organisation, changed)


def test_an_export_of_another_organisation_is_for_the_same_combination_here(profile):
    elsewhere = make_organisation()
    content = document_of(profile)

    from reviewers.web.tenancy import tenant  # noqa: PLC0415 — only here a test goes elsewhere

    with tenant.within(elsewhere.pk):
        imported = bring(elsewhere, content)
        assert (imported.combination.model, imported.organisation_id) == ("calibrated", elsewhere.pk)
        assert imported.combination_id != profile.combination_id


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"score": 2}, "line 2: observation.score: must be a number from 0 to 1"),
        ({"is_used": "yes"}, "line 2: observation.is_used: must be true, false or null"),
        ({"stream": "hearsay"}, "line 2: observation.stream: must be one of audit, boost, imported"),
        ({"inclusion": 0}, "line 2: observation.inclusion: must be above 0"),
        ({"fired": [1]}, "line 2: observation.fired: must be a list of texts"),
        ({"path": None}, "line 2: observation.path: must be text"),
    ],
)
def test_a_faulty_export_is_refused_with_line_and_place(organisation, profile, change, said):
    first, second, *_ = document_of(profile).splitlines()
    data = json.loads(second)
    data["observation"] |= change

    assert refusal(organisation, first + b"\n" + json.dumps(data).encode()) == said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "there is nothing in it"),
        (b"no json", "line 1: not JSON: Expecting value at line 1, column 1"),
        (b"[" * 100_000, "line 1: nested deeper than 64 levels"),
        (b'{"schema": "footnote-labels/9"}', "line 1: schema: it is 'footnote-labels/9', not 'footnote-labels/1'"),
        (lines(turn(response=None)), "line 1: response: must be text"),
        (lines(turn(gold=None)), "line 1: gold: must be a list of labels"),
        (lines(turn(), turn(1, gold=[{"section": "safety", "path": "level_0"}])), "line 2: gold.0.referenced: must be true, false or null"),
        (lines(turn(gold=[{"section": "safety", "path": "gone", "referenced": True}])), "line 1: gold.0: the context has no such field"),
        (lines(turn(gold=turn()["gold"][:1] * 2)), "line 1: gold.1: the field has a label already"),
        (lines(turn(), turn()), "two turns are called turn 0"),
        (lines(turn(gold=[])), "it holds no label that says anything"),
    ],
)
def test_a_faulty_file_is_refused_with_line_and_place(organisation, content, said):
    assert refusal(organisation, content) == said


def test_labels_of_turns_are_on_what_the_engine_says_of_them(organisation):
    (incoming,) = read_file(enumerate(lines(turn()).splitlines(), start=1), organisation, "the fair")

    found = {each.path: each for each in incoming.gathered.observations}
    assert (found["level_1"].is_used, found["level_5"].is_used, found["other"].is_used) == (True, False, None)
    assert found["level_1"].claims
    assert (found["other"].claims, found["level_1"].conversation, found["level_1"].message) == (False, "talk 0", "the fair:turn 0")


def test_the_same_labels_are_there_once(organisation):
    first = bring(organisation)

    assert bring(organisation).pk == first.pk
    assert ImportedSet.objects.count() == 1
    assert len(events("labels.imported")) == 1


def test_reviewers_labels_are_never_mixed_with_imported_ones(organisation, alice):
    item = make_answer(alice, model="calibrated")
    review_as(item, alice)
    bring(organisation, lines(turn(1)))

    assert {each.stream for each in build_dataset(combination_of(item)).observations} == {Stream.BOOST}
    assert not build_dataset_with_imports(combination_of(item), ()).imports


def test_a_reviewers_label_stands_before_an_imported_one_on_the_same_row(organisation, alice):
    item = make_answer(alice, model="calibrated", id="turn 7", response=turn()["response"], context=turn()["context"])
    review_as(item, alice)
    imported = bring(organisation, lines(turn(7), turn(8)))

    gathered = build_dataset_with_imports(combination_of(item), [imported.pk])

    assert imported.label_count == 2 * LEVELS
    assert [each.labels for each in gathered.imports] == [LEVELS]
    assert {each.stream for each in gathered.observations if each.message == str(item.pk)} == {Stream.BOOST}


def test_a_profile_that_uses_them_says_so_and_is_made_again_from_its_export(organisation, lead):
    imported = bring(organisation, lines(*map(turn, range(12))))

    with pytest.raises(Refused, match="There are 0 labels"):
        actions.propose(combination_id=imported.combination_id, by=lead, now=NOW)
    profile = actions.propose(combination_id=imported.combination_id, by=lead, now=NOW, imports=[imported.pk])

    labels = record_of(profile)["labels"]
    assert labels["streams"] == {"imported": 144}
    assert [(each["source"], each["labels"]) for each in labels["imports"]] == [("the fair", 144)]
    assert events("profile.proposed")[-1]["details"]["imported"] == 144
    page = read_markup(sign_in(lead).get(f"/calibration/profiles/{profile.pk}/"))
    assert "144 of them were imported" in page.text
    assert "144 imported from the fair" in page.text
    again = read_export(document_of(profile).splitlines())
    assert fit_profile(again.gathered, again.scope, again.parent).profile.id == profile.name


def test_imported_labels_tell_nothing_of_answers_under_blind_review(organisation, lead, auditor, alice, bob):
    given = [turn(each) for each in range(13)]
    item = make_answer(alice, model="calibrated", id="turn 7", response=given[7]["response"], context=given[7]["context"])
    imported = bring(organisation, lines(*given))
    before = actions.propose(combination_id=imported.combination_id, by=lead, now=NOW, imports=[imported.pk])
    run_blind(lead)
    meanwhile = actions.propose(combination_id=imported.combination_id, by=lead, now=NOW, imports=[imported.pk])

    def exported(member: Membership, profile: CalibrationProfile) -> tuple[int, bool]:
        response = sign_in(member).get(f"/calibration/profiles/{profile.pk}/labels/")
        return response.status_code, str(item.pk).encode() in response.content

    assert [record_of(each)["labels"]["imports"][0]["labels"] for each in (before, meanwhile)] == [13 * LEVELS, 12 * LEVELS]
    assert (exported(lead, before), exported(lead, meanwhile)) == ((403, False), (200, False))
    assert exported(auditor, before) == (200, True)
    for member in (alice, bob):
        review(item, member)
    assert exported(lead, before) == (200, True)


def test_a_set_of_another_combination_is_not_chosen(organisation, lead):
    bring(organisation, lines(*map(turn, range(12))))
    other = bring(organisation, lines(turn(model="another")))
    seen = SeenCombination.objects.get(model="calibrated")

    response = sign_in(lead).post(f"/calibration/{seen.pk}/propose/", {"imported": [str(other.pk)]})

    assert response.status_code == 422


def test_the_pages_count_them_apart_and_offer_them(organisation, lead):
    imported = bring(organisation, lines(*map(turn, range(12))))
    client = sign_in(lead)

    assert "+ 144 imported" in read_markup(client.get("/calibration/")).text
    page = read_markup(client.get(f"/calibration/{imported.combination_id}/"))
    assert "144 of the fair" in page.text
    assert not [box for box in page.find("input", type="checkbox") if "checked" in box.attributes]
    response = client.post(f"/calibration/{imported.combination_id}/propose/", {"imported": str(imported.pk)})
    assert "/calibration/profiles/" in response["Location"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_lead_brings_a_file_in(organisation, lead, pack):
    client = sign_in(lead)

    response = client.post(BRING, {"file": labelled_turns(content=pack(lines(turn()))), "source": "the spring fair"})

    assert (response.status_code, response["Location"]) == (302, PAGE)
    page = read_markup(client.get(PAGE))
    assert "the spring fair" in page.text
    assert f"by {lead.user.name}" in page.text


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (gzip.compress(b" " * 50_000_000), "it is larger than 5 MB"),
        (b" " * 6_000_000, "it is larger than 5 MB"),
        (gzip.compress(lines(turn()))[:-9], "the file is damaged"),
        (lines(turn(gold=3)), "line 1: gold: must be a list of labels"),
    ],
)
def test_what_cannot_be_read_is_said_on_the_page(lead, content, said):
    response = sign_in(lead).post(BRING, {"file": labelled_turns(content=content)})

    assert response.status_code == 422
    assert said in response.content.decode()
    assert not ImportedSet.objects.exists()


def test_the_form_offers_a_bounded_number_of_combinations(organisation, monkeypatch):
    for model in ("a", "c", "b"):
        make_item(organisation, model=model)
    monkeypatch.setattr("reviewers.calibration.labels.queries.MOST_OFFERED", 2)

    assert [each.model for each in offered_combinations(organisation)] == ["a", "c"]
    assert combinations_of(organisation).count() == 3


def test_a_file_with_many_combinations_is_left_to_the_command(organisation, lead, monkeypatch):
    """Fifteen hundred of them in 217 kB took a request a minute."""
    monkeypatch.setattr("reviewers.calibration.labels.views.MOST_SETS", 2)
    file = lines(*[turn(number, model=f"model {number}") for number in range(3)])

    response = sign_in(lead).post(BRING, {"file": labelled_turns(content=file)})

    assert response.status_code == 422
    assert "name 3 combinations, more than 2" in response.content.decode()
    assert not ImportedSet.objects.exists()
    assert not combinations_of(organisation).exists()


def test_a_file_that_takes_long_is_left_to_the_command(lead, monkeypatch):
    """Five megabytes of dense turns took a page a quarter of a minute."""
    monkeypatch.setattr("reviewers.calibration.labels.views.LONGEST", -1)

    response = sign_in(lead).post(BRING, {"file": labelled_turns(content=lines(turn()))})

    assert response.status_code == 422
    assert "takes longer to read than a page may" in response.content.decode()
    assert not ImportedSet.objects.exists()


def test_the_dots_of_a_key_are_not_tried_one_by_one(monkeypatch):
    """Each beginning of a path was looked up as a label's: the time grew with the square of the dots of one key."""
    context = {"safety": {"level": "low", "a." * 100_000: 1}}
    line = json.dumps(turn(response="a", context=context, gold=[])).encode()
    found = attribute(response="a", context=context)
    monkeypatch.setattr(imports, "attribute", lambda **_: found)

    assert work(lambda: read_turn(line, 1)) < 10_000


def test_a_row_has_the_nearest_label_at_or_above_its_path():
    context = {"plan": {"fees": [{"copay": 20}, {"copay": 30}], "fee": 7}, "safety": {"fees": 8}}
    gold = [{"section": "plan", "path": path, "referenced": True} for path in ("fees", "fees.1", "fee")]
    made = turn(response="The copay is 30 and the fee is 7.", context=context, gold=gold)

    paths = {each.path: each.row.get("path") for each in read_turn(json.dumps(made).encode(), 1).labels}

    assert paths == {"fees": "fees.0.copay", "fees.1": "fees.1.copay", "fee": "fee"}


def test_many_short_lines_of_an_upload_take_little_more_memory_than_the_file():
    """They were cut all at once: fifty times the memory of the file."""
    content = b"a\n" * 50_000
    tracemalloc.start()
    try:
        count = sum(1 for _ in lines_of_file(io.BytesIO(content)))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert count == 50_000
    assert peak < 4 * len(content)


def test_without_a_file_or_a_fresh_proof_nothing_is_brought_in(lead):
    client = sign_in(lead)
    assert client.post(BRING, {}).status_code == 422

    client = without_proofs(lead)
    response = client.post(BRING, {"file": labelled_turns()})

    assert response["Location"].startswith("/accounts/reauthenticate/?next=%2Fcalibration%2Fimports%2F")
    assert "Confirm it is you" in client.get(PAGE).content.decode()
    assert not ImportedSet.objects.exists()


def test_the_command_brings_files_in_once(organisation, tmp_path, capsys):
    file = tmp_path / "turns.jsonl.gz"
    file.write_bytes(gzip.compress(lines(turn(), turn(1))))

    for _ in range(2):
        call_command("import_labels", file, organisation=organisation.slug, source="the fair", model="model-x")

    assert capsys.readouterr().out.splitlines() == [
        f"turns.jsonl.gz: 24 labels on model-x, no prompt given {said}." for said in ("brought in", "known already")
    ]
    assert ImportedSet.objects.get().source == "the fair"


def test_the_command_says_what_is_wrong(organisation, tmp_path):
    file = tmp_path / "turns.jsonl"
    file.write_bytes(lines(turn(), turn(1, context=3)))

    with pytest.raises(CommandError, match=r"turns.jsonl: line 2: context: must be an object; nothing of it was brought in"):
        call_command("import_labels", file, organisation=organisation.slug)
    with pytest.raises(CommandError, match="There is no organisation nowhere"):
        call_command("import_labels", file, organisation="nowhere")
