"""Schemas: uploaded, compared, approved by two people, and used for the turns that name their version."""

from __future__ import annotations

import json
import zlib
from datetime import timedelta

import pytest
from django.db import transaction
from django.db.utils import IntegrityError
from django.test import Client

from attribution import DEFAULT_PROFILE, SchemaError, read_profile, read_schema
from reviewers.accounts.policies import Refused
from reviewers.accounts.sign_in.reauthentication import Purpose
from reviewers.ledger.models import AuditEvent
from reviewers.snapshots.models import Schema, SchemaDecision, SchemaProposal, Snapshot, SnapshotAttribution
from reviewers.snapshots.reattribution import attribute_again
from reviewers.snapshots.versions import actions, queries
from reviewers.snapshots.versions.schemas import SCHEMAS, compare_schemas
from tests.api.sending import program_of
from tests.factories import NOW, make_item, make_member, make_organisation, prove, sign_in
from tests.snapshots.schemas import approve_schema, make_schema, schema_text, upload

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(organisation) -> Client:
    """A program with a key."""
    return program_of(organisation)


def document_of(item) -> dict:
    return json.loads(zlib.decompress(bytes(item.attribution.document)))


def statuses(item) -> list[str]:
    return [marker["status"] for marker in document_of(item)["markers"]]


TURN = {
    "response": "Your risk is elevated [[SF:risk_level]]. You are calm [[SF:mood]]. Come soon [[SF:next-visit]].",
    "context": {"safety": {"risk_level": "elevated", "mood": "calm"}},
}


def test_a_turn_is_attributed_under_the_approved_schema_of_its_version(organisation):
    schema = approve_schema(organisation)

    item = make_item(organisation, **TURN, schema_version="2026-03")

    assert item.snapshot.schema_id == schema.pk
    assert statuses(item) == ["resolved", "unknown", "absent"]
    assert item.attribution.profile_id == DEFAULT_PROFILE.id


@pytest.mark.parametrize("version", ["", "2026-04"])
def test_other_turns_are_attributed_as_before(organisation, version):
    approve_schema(organisation)

    item = make_item(organisation, **TURN, schema_version=version)

    assert item.snapshot.schema_id is None
    assert statuses(item) == ["resolved", "resolved", "unknown"]


def test_a_schema_that_is_only_proposed_is_not_used(organisation):
    make_schema(organisation)

    assert make_item(organisation, **TURN, schema_version="2026-03").snapshot.schema_id is None


def test_the_schema_of_another_organisation_is_not_used(organisation):
    approve_schema(make_organisation("Elsewhere Clinic"))

    assert make_item(organisation, **TURN, schema_version="2026-03").snapshot.schema_id is None


def test_a_section_is_withheld_below_the_completeness_of_the_schema(organisation):
    approve_schema(organisation, schema_text(required_completeness=0.9))

    item = make_item(organisation, **TURN, schema_version="2026-03", completeness={"safety": 0.8})

    assert (item.snapshot.hidden_sections, item.snapshot.completeness_threshold) == (["safety"], 0.9)


def test_an_answer_that_is_attributed_again_keeps_its_schema(organisation):
    before = make_item(organisation, **TURN, schema_version="2026-03")
    approve_schema(organisation)
    after = make_item(organisation, **TURN, schema_version="2026-03")
    other = DEFAULT_PROFILE.data | {"name": "another"}

    again = attribute_again(
        snapshots=Snapshot.objects.filter(pk__in=[before.pk, after.pk]), profile=read_profile(other), organisation=organisation, at=NOW
    )

    told = {pk: json.loads(zlib.decompress(bytes(_attribution(key).document)))["markers"] for pk, key in again.items()}
    assert [each["status"] for each in told[before.pk]] == ["resolved", "resolved", "unknown"]
    assert [each["status"] for each in told[after.pk]] == ["resolved", "unknown", "absent"]


def _attribution(key):
    return SnapshotAttribution.objects.get(pk=key)


def test_the_same_content_is_stored_once(organisation):
    lead = make_member(organisation, "lead")
    first = upload(lead)

    again, is_new = actions.write(SCHEMAS, content=json.dumps(json.loads(schema_text()), indent=2).encode(), by=lead, now=NOW)

    assert (again, is_new) == (first, False)
    assert AuditEvent.objects.filter(action="schema.uploaded").count() == 1


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{", "not JSON: Expecting property name enclosed in double quotes at line 1, column 2"),
        (b'{"schema_version": "a", "schema_version": "b"}', 'duplicate key "schema_version"'),
        (b" " * (SCHEMAS.largest + 1), "is larger than 512 KB"),
        (schema_text("").encode(), "schema_version: must not be empty, or have spaces around it"),
    ],
)
def test_what_cannot_be_used_is_not_stored(organisation, content, told):
    with pytest.raises(SchemaError, match=told.replace("(", r"\(")):
        actions.write(SCHEMAS, content=content, by=make_member(organisation, "lead"), now=NOW)

    assert not Schema.objects.exists()


def test_nobody_approves_their_own_proposal(organisation):
    schema = make_schema(organisation)
    own = schema.proposals.get().proposed_by.memberships.get()

    with pytest.raises(Refused, match="You proposed this"):
        actions.approve(SCHEMAS, version_id=schema.pk, by=own, now=NOW + timedelta(hours=1))


def test_the_database_lets_nobody_approve_alone(organisation):
    proposal = make_schema(organisation).proposals.get()
    row = {"organisation": organisation, "proposal": proposal, "version": proposal.version, "schema_version": "2026-03", "decided_at": NOW}

    for who in (proposal.proposed_by, make_member(make_organisation("Elsewhere Clinic"), "lead").user):
        with pytest.raises(IntegrityError), transaction.atomic():
            SchemaDecision.objects.create(**row, proposed_by=proposal.proposed_by, decided_by=who, outcome="approved")


def test_the_database_refuses_a_snapshot_under_a_schema_that_nobody_approved(organisation):
    snapshot = make_item(organisation, schema_version="2026-03").snapshot
    snapshot.pk, snapshot.external_id, snapshot.schema = None, "again", make_schema(organisation)

    with pytest.raises(IntegrityError, match="the schema of a snapshot is approved first"), transaction.atomic():
        snapshot.save(force_insert=True)


def test_a_version_is_approved_once(organisation):
    approve_schema(organisation)
    other = upload(make_member(organisation, "lead"), schema_text(fields={"mood": {}}))

    with pytest.raises(Refused, match="Version 2026-03 has been approved with another content"):
        actions.propose(SCHEMAS, version_id=other.pk, by=make_member(organisation, "lead"), now=NOW)


def test_of_two_proposals_for_a_version_the_second_is_refused(organisation):
    first = make_schema(organisation)
    second = make_schema(organisation, schema_text(fields={"mood": {}}))
    actions.approve(SCHEMAS, version_id=first.pk, by=make_member(organisation, "lead"), now=NOW + timedelta(hours=1))

    with pytest.raises(Refused, match="Version 2026-03 has been approved with another content"):
        actions.approve(SCHEMAS, version_id=second.pk, by=make_member(organisation, "lead"), now=NOW + timedelta(hours=2))


def test_a_declined_schema_can_be_proposed_again(organisation):
    schema, lead = make_schema(organisation), make_member(organisation, "lead")
    assert actions.decline(SCHEMAS, version_id=schema.pk, by=lead, now=NOW).outcome == "declined"

    actions.propose(SCHEMAS, version_id=schema.pk, by=lead, now=NOW)

    assert actions.decline(SCHEMAS, version_id=schema.pk, by=lead, now=NOW).outcome == "withdrawn"
    assert SchemaProposal.objects.count() == 2
    with pytest.raises(Refused, match="Nobody has proposed this schema"):
        actions.decline(SCHEMAS, version_id=schema.pk, by=lead, now=NOW)


def test_uploads_of_a_program_push_no_version_out_of_the_list(organisation):
    approved, lead = approve_schema(organisation), make_member(organisation, "lead")
    for number in range(queries.NEWEST + 2):
        upload(lead, schema_text(f"draft {number}"))

    page = sign_in(lead).get("/settings/schemas/").content.decode()

    assert f"/settings/schemas/{approved.pk}/" in page
    assert "2 older uploads that nobody proposed" in page
    assert page.count("/settings/schemas/0") == queries.NEWEST + 1


def test_a_version_is_compared_with_the_one_approved_last_before_it(organisation):
    first = approve_schema(organisation, hours=1)
    second = approve_schema(organisation, schema_text("2026-04", fields={"mood": {}}), hours=2)
    third = make_schema(organisation, schema_text("2026-05"))
    bases = [queries.find_base(queries.find_version(SCHEMAS, organisation, each.pk), organisation) for each in (first, second, third)]

    assert [base.label if base else None for base in bases] == [None, "2026-03", "2026-04"]


def test_a_difference_is_told_in_words():
    other = {
        "risk_level": {"type": "enum", "label": "danger", "values": ["elevated", {"value": "low", "phrases": ["no danger"]}, "high"]},
        "mood": {"type": "field_value", "unit": "points"},
    }
    old, new = (read_schema(json.loads(text)) for text in (schema_text(), schema_text("2", fields=other, required_completeness=0.5)))
    found = {
        (each.section, change.kind, change.subject): list(change.words) for each in compare_schemas(old, new) for change in each.changes
    }

    assert found == {
        ("", "changed", ""): ["required completeness: the profile’s → 50%"],
        ("safety", "changed", "risk_level"): [
            "label: risk → danger",
            "values: added high",
            "phrases for low: added no danger",
            "order of values: elevated, low, high",
            "the values are in no order any more",
        ],
        ("safety", "added", "mood"): ["field value"],
        ("safety", "removed", "next-visit"): ["date"],
    }


def test_a_section_comes_and_goes_as_a_whole():
    old, new = (read_schema(json.loads(text)) for text in (schema_text(), schema_text(name="care")))

    assert [(each.section, each.changes[0].kind, each.changes[0].words) for each in compare_schemas(old, new)] == [
        ("care", "added", ["2 fields: risk_level, next-visit"]),
        ("safety", "removed", ["2 fields: risk_level, next-visit"]),
    ]


def test_two_leads_bring_a_version_into_use_by_its_pages(organisation):
    lead, other = make_member(organisation, "lead"), make_member(organisation, "lead")
    client, second = sign_in(lead), sign_in(other)

    page = client.post("/settings/schemas/upload/", {"text": schema_text()})["Location"]
    assert "Propose this version" in client.get(page).content.decode()
    assert prove(client, lead, Purpose.SCHEMA).post(f"{page}propose/").status_code == 302
    assert "so another lead has to approve it" in client.get(page).content.decode()
    assert prove(second, other, Purpose.SCHEMA).post(f"{page}approve/").status_code == 302

    shown = second.get(page).content.decode()
    assert "Approved" in shown
    assert "[[SF:next-visit]]" in shown
    downloaded = second.get(f"{page}download/")
    assert json.loads(downloaded.content) == json.loads(schema_text())
    assert "2026-03" in second.get("/settings/schemas/").content.decode()


def test_a_page_lists_everything_that_is_wrong(organisation):
    client = sign_in(make_member(organisation, "lead"))

    response = client.post("/settings/schemas/upload/", {"text": schema_text(fields={"a b": {"type": "colour"}})})

    shown = response.content.decode()
    assert response.status_code == 422
    assert "sections.0.fields.a b.type" in shown
    assert "is no name that a marker can cite" in shown
    assert "Nothing was stored." in shown


def test_an_empty_form_says_what_it_wants(organisation):
    response = sign_in(make_member(organisation, "lead")).post("/settings/schemas/upload/")

    assert (response.status_code, "choose a file, or paste a schema" in response.content.decode()) == (422, True)


def test_a_page_tells_why_it_refuses(organisation):
    schema = approve_schema(organisation)
    lead = make_member(organisation, "lead")

    response = prove(sign_in(lead), lead, Purpose.SCHEMA).post(f"/settings/schemas/{schema.pk}/propose/")

    assert (response.status_code, "has been approved already" in response.content.decode()) == (409, True)


def test_an_auditor_reads_versions_and_decides_nothing(organisation):
    schema = make_schema(organisation)
    client = sign_in(make_member(organisation, "auditor"))

    shown = client.get(f"/settings/schemas/{schema.pk}/").content.decode()

    assert "Proposed" in shown
    assert "<button" not in shown.partition("<main")[2]
    assert "Upload a version" not in client.get("/settings/schemas/").content.decode()
    assert client.post(f"/settings/schemas/{schema.pk}/approve/").status_code == 403


def test_a_program_uploads_and_reads_versions(organisation, api):
    sent = api.post("/api/v1/schemas", schema_text(), content_type="application/json")
    again = api.post("/api/v1/schemas", schema_text(), content_type="application/json")
    version = sent.json()

    assert (sent.status_code, again.status_code) == (201, 200)
    assert (version["schema_version"], version["state"], version["approved_at"]) == ("2026-03", "uploaded", None)
    assert api.get("/api/v1/schemas/versions").json() == {"versions": [version], "after": None}
    assert api.get(f"/api/v1/schemas/{version['id']}").json() == version | {"document": json.loads(schema_text())}
    assert api.get(f"/api/v1/schemas/{organisation.pk}").status_code == 404


def test_a_program_is_told_what_is_wrong(api):
    response = api.post("/api/v1/schemas", "[]", content_type="application/json")

    problem = {"place": "", "reason": "must be an object, not a list"}
    assert (response.status_code, response.json()) == (422, problem | {"problems": [problem]})


def test_what_a_program_uploaded_is_proposed_by_people(organisation, api):
    key = api.post("/api/v1/schemas", schema_text(), content_type="application/json").json()["id"]
    page = sign_in(make_member(organisation, "lead")).get(f"/settings/schemas/{key}/").content.decode()

    assert "with the key runtime" in page
    assert "Propose this version" in page


def test_the_instruction_names_the_sections_of_the_schema(organisation, api):
    organisation.asks_for_citations = True
    organisation.save()
    approve_schema(organisation, schema_text(name="crisis"))

    told = [api.get("/api/v1/instruction", {"schema_version": version}).json()["text"] for version in ("2026-03", "")]

    assert ["The prefixes are SF for crisis." in text for text in told] == [True, False]


def test_a_version_that_nothing_can_have_is_no_version(organisation, api):
    organisation.asks_for_citations = True
    organisation.save()

    assert api.get("/api/v1/instruction", {"schema_version": "2026\0"}).status_code == 200
