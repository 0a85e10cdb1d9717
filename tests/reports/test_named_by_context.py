"""Where a record does not say who was suggested, the field of its context does that the registry names for it."""

from __future__ import annotations

import json

import pytest

from reviewers.ledger.sequencer import seal_all
from reviewers.ledger.verification.organisation import verify
from reviewers.snapshots.models import Snapshot
from tests.factories import NOW, make_item, make_member, sign_in
from tests.reports.finding import found, open_sheet
from tests.review.redacting.redactable import lead_and_administrator, redact
from tests.snapshots.schemas import approve_schema

NAMED = {"provider_genome": {"provider_name": "Ada Quill"}}
FIELD = "context.provider_genome.provider_name"


def provider_of(organisation, context, **more):
    return make_item(organisation, context=context, **more).snapshot.provider


def test_an_answer_is_found_by_the_name_in_its_context_and_has_its_sheet(organisation, coordinator):
    item = make_item(organisation, context=NAMED, response="Ada Quill can see you.")

    assert found(coordinator, "quill") == found(coordinator, "Quil") == found(coordinator, "Quyll") == ["Ada Quill"]
    assert "Ada Quill" in open_sheet(coordinator, item).one("h1").text


def test_what_the_record_itself_says_counts_first(organisation):
    assert provider_of(organisation, NAMED, provider="Ben Bow") == "Ben Bow"
    assert provider_of(organisation, NAMED, provider="") == ""


@pytest.mark.parametrize(
    ("context", "name"),
    [
        ({"provider_genome": [{"provider_name": "Ada Quill"}]}, "Ada Quill"),
        ({"provider_genome": [{"provider_name": "Ada Quill"}, {"provider_name": "Ben Bow"}]}, ""),
        ({"provider_genome": {"provider_name": "Ada Quill", "deputy": {"provider_name": "Ben Bow"}}}, "Ada Quill"),
        ({"provider_genome": {"provider_name": ["Ada Quill"]}}, ""),
        ({"provider_genome": {"provider_name": "A" * 201}}, ""),
        ({"provider_genome": {"provider_name": "Ada\nQuill"}}, ""),
        ({"provider_genome": {"provider_name": ""}}, ""),
        ({"provider_genome": {"provider_name": "Ada [[SF:risk_level]]"}}, ""),
        ({"safety": {"provider_name": "Ada Quill"}}, ""),
    ],
)
def test_one_name_alone_at_the_place_nearest_to_the_section_is_taken(organisation, context, name):
    assert provider_of(organisation, context) == name


def test_a_name_that_the_model_was_not_shown_suggests_nobody(organisation):
    assert provider_of(organisation, NAMED, hidden_sections=["provider_genome"]) == ""


def test_an_organisations_own_schema_says_which_field_it_is(organisation):
    fields = {"full_name": {"type": "name"}, "role": {}}
    sections = [{"name": "care_team", "prefix": "CT", "fields": fields, "provider_name": "full_name"}]
    approve_schema(organisation, json.dumps({"schema_version": "own", "sections": sections}))
    approve_schema(organisation, json.dumps({"schema_version": "none", "sections": [sections[0] | {"provider_name": "role"}]}), hours=2)
    context = {"care_team": {"full_name": "Ada Quill", "role": "nurse"}} | NAMED

    assert provider_of(organisation, context, schema_version="own") == "Ada Quill"
    assert provider_of(organisation, context, schema_version="none") == "nurse"
    assert provider_of(organisation, context, schema_version="unknown") == "Ada Quill"


def test_a_redaction_of_the_field_takes_the_name_from_searches_and_the_ledger_verifies(organisation, coordinator):
    item = make_item(organisation, context=NAMED | {"safety": {"risk_level": "low"}}, response="You can go there.")
    lead, admin = lead_and_administrator(make_member(organisation))

    redact(item, [FIELD], lead, admin)

    assert Snapshot.objects.get().provider == "█████"
    seal_all(now=NOW)
    verify(organisation_id=organisation.pk)
    assert found(coordinator, "quill") == []
    assert "Ada Quill" not in sign_in(coordinator).get(f"/why/{item.pk}/").content.decode()


def test_a_redaction_of_another_field_leaves_it(organisation, coordinator):
    item = make_item(organisation, context=NAMED | {"safety": {"risk_level": "low"}}, response="You can go there.")
    lead, admin = lead_and_administrator(make_member(organisation))

    redact(item, ["context.safety.risk_level"], lead, admin)

    seal_all(now=NOW)
    verify(organisation_id=organisation.pk)
    assert found(coordinator, "quill") == ["Ada Quill"]
