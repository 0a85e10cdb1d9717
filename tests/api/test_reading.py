"""A program reads a snapshot: the record as it came, the attribution in full, and an event that it did."""

from __future__ import annotations

import json
import uuid

import pytest
from django.test import Client

from attribution import attribute, canonical_bytes, digest, encode
from reviewers.accounts.actions import switch_asking_why
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Scope
from reviewers.ledger.models import EventSecret
from tests.api.sending import post, problem_of, program_of
from tests.api.test_ingest import ODD
from tests.events import events
from tests.factories import NOW, make_record
from tests.state import state_of_tables


def read(program: Client, answer: dict) -> dict:
    response = program.get(f"/api/v1/snapshots/{answer['id']}")
    assert response.status_code == 200
    return response.json()


def test_a_snapshot_is_read_as_it_was_acknowledged_with_its_record_and_attribution(program):
    record = make_record()
    answer = post(program, record).json()

    found = read(program, answer)

    assert {key: found[key] for key in answer if key != "attribution"} == {key: answer[key] for key in answer if key != "attribution"}
    assert found["record"] == record
    assert found["attribution"]["source"] == answer["attribution"]["source"]
    assert len(found["attribution"]["fields"]) == answer["attribution"]["fields"]


@pytest.mark.parametrize("name", ODD)
def test_a_record_is_read_as_what_was_sent(program, name):
    found = read(program, post(program, ODD[name]).json())

    assert found["record"] == json.loads(ODD[name])


def test_the_digest_of_an_attribution_can_be_recomputed_by_whoever_reads_it(program):
    answer = post(program, make_record()).json()

    attribution = read(program, answer)["attribution"]

    told = attribution.pop("digest")
    assert told == answer["attribution"]["digest"] == digest(canonical_bytes(attribution))


def test_the_attribution_is_what_the_engine_says(program):
    record = make_record(answered_at=None)
    found = read(program, post(program, record).json())

    expected = encode(attribute(response=record["response"], context=record["context"], user_text=record["user_text"]))
    assert {key: found["attribution"][key] for key in expected} == json.loads(json.dumps(expected))


def test_reading_is_an_event_of_the_key(program, organisation):
    answer = post(program, make_record()).json()

    read(program, answer)

    (event,) = events("record.viewed")
    assert event["actor"] == {"kind": "service_key", "id": str(organisation.service_keys.get().pk)}
    assert event["object"] == {"type": "snapshot", "id": answer["id"]}


def test_a_snapshot_that_nobody_has_is_not_found_and_nothing_is_written(program):
    before = state_of_tables()

    refused = program.get(f"/api/v1/snapshots/{uuid.uuid4()}")

    assert problem_of(refused) == (404, "snapshot_id", "there is no such snapshot")
    assert state_of_tables() == before


def test_a_key_that_only_reads_cannot_send_and_one_that_only_sends_cannot_read(organisation):
    reader, sender = program_of(organisation, Scope.READ), program_of(organisation, Scope.INGEST)
    answer = post(sender, make_record())

    assert (answer.status_code, post(reader, make_record()).status_code) == (201, 403)
    address = f"/api/v1/snapshots/{answer.json()['id']}"
    assert (reader.get(address).status_code, sender.get(address).status_code) == (200, 403)
    assert sender.get(address).json() == {"detail": "This key has not the scope “read”."}


def test_where_the_organisation_asks_why_a_program_says_so(organisation, program):
    answer = post(program, make_record()).json()
    switch_asking_why(organisation=organisation, on=True, at=NOW, by=SYSTEM)
    path = f"/api/v1/snapshots/{answer['id']}"

    for headers in ({}, {"Access-Reason": "  "}):
        refused = program.get(path, headers=headers)
        assert (refused.status_code, refused.json()["place"]) == (422, "Access-Reason")
    assert events("record.viewed") == []

    assert program.get(path, headers={"Access-Reason": "the nightly check"}).status_code == 200
    (explained,) = events("access.explained")
    assert (explained["details"], explained["object"]["id"]) == ({"kind": "program"}, answer["id"])
    assert "nightly" not in str(explained)
    assert json.loads(bytes(EventSecret.objects.get(pk=explained["id"]).payload)) == {"reason": "the nightly check"}
