"""One record over the API: what is acknowledged is stored byte for byte, attributed and visible, once."""

from __future__ import annotations

import hashlib
import json
import uuid
import zlib
from datetime import datetime

import pytest
from django.conf import settings

from attribution import DEFAULT_PROFILE, ENGINE_VERSION, canonical_bytes
from reviewers.review.models import QueueItem
from reviewers.snapshots.models import Profile, Snapshot, SnapshotAttribution
from tests.api.sending import post, problem_of
from tests.events import events
from tests.factories import make_item, make_record, sign_in
from tests.state import state_of_tables

ODD = {
    "white space around": b' \r\n\t{"id": "odd", "response": "x", "context": {}}\n\n',
    "white space inside": b'{"id":"odd" ,\n\n"response"\t:"x","context":{ }}',
    "text as it is": '{"id": "odd", "response": "naïve 您好 \u2028 👩🏽‍⚕️ \u202e \u200b é", "context": {}}'.encode(),
    "text in escapes": rb'{"id": "odd", "response": "na\u00efve \ud83d\ude00 \/ \u0065", "context": {}}',
    "NUL": rb'{"id": "odd", "response": "a\u0000b", "context": {"s\u0000": {"k\u0000": "\u0000"}}}',
    "lone surrogates": rb'{"id": "odd", "response": "a\ud800b", "user_text": "\udfff", "context": {"\ud800": {"\udc00": "\udead"}}}',
    "large numbers": b'{"id": "odd", "response": "x", "context": {"s": {"n": [1' + b"0" * 400 + b", 1e308, 5e-324]}}}",
    "numbers written oddly": b'{"id": "odd", "response": "x", "context": {"s": {"n": [-0, -0.0, 1E+2, 0.10, 12345678901234567890.12345]}}}',
    "keys in their order": b'{"context": {"z": {"b": 1, "a": 2}}, "response": "x", "id": "odd"}',
    "keys nobody knows": b'{"id": "odd", "response": "x", "context": {}, "mine": {"deep": [null, true]}, "": ""}',
}


@pytest.mark.parametrize("name", ODD)
def test_a_record_is_kept_byte_for_byte_and_its_digest_can_be_recomputed(program, name):
    sent = ODD[name]

    answer = post(program, sent).json()

    kept = Snapshot.objects.get()
    assert bytes(kept.record) == sent
    assert bytes(kept.digest) == hashlib.sha256(sent).digest()
    assert answer["digest"] == f"sha256:{hashlib.sha256(sent).hexdigest()}"


@pytest.mark.parametrize("name", ODD)
def test_what_is_acknowledged_can_be_listed_opened_and_downloaded(program, alice, name):
    answer = post(program, ODD[name]).json()
    reviewer = sign_in(alice)

    assert answer["id"] in reviewer.get("/queue/").content.decode()
    assert reviewer.get(answer["url"] + "?unfound=1").status_code == 200
    assert reviewer.get(f"/items/{answer['id']}/record/").content == ODD[name]


def test_a_link_leads_to_the_site_whatever_host_was_asked(program, settings):
    settings.ALLOWED_HOSTS, settings.ADDRESS = ["testserver", "elsewhere.example"], "https://desk.example.org"

    answer = post(program, make_record(), Host="elsewhere.example").json()
    again = program.get(f"/api/v1/snapshots/{answer['id']}", headers={"Host": "elsewhere.example"}).json()

    assert answer["url"] == again["url"] == f"https://desk.example.org/items/{answer['id']}/"


def test_a_new_record_is_answered_with_what_is_stored(program):
    response = post(program, make_record(id="turn-x"))

    answer, kept = response.json(), SnapshotAttribution.objects.select_related("snapshot").get()
    assert response.status_code == 201
    assert answer == {
        "id": str(kept.snapshot_id),
        "external_id": "turn-x",
        "url": f"{settings.ADDRESS}/items/{kept.snapshot_id}/",
        "frozen_at": kept.snapshot.frozen_at.isoformat(),
        "digest": f"sha256:{bytes(kept.snapshot.digest).hex()}",
        "attribution": {
            "profile": DEFAULT_PROFILE.id,
            "engine": ENGINE_VERSION,
            "source": "mixed",
            "fields": 6,
            "found": 4,
            "cited": 2,
            "guardrails": kept.guardrails,
            "digest": f"sha256:{bytes(kept.digest).hex()}",
        },
        "documents": None,
    }
    assert answer["attribution"]["guardrails"] == {"over_cited": 2}


def test_the_counts_in_the_answer_are_those_of_the_attribution(program):
    answer = post(program, make_record()).json()["attribution"]

    document = json.loads(zlib.decompress(bytes(SnapshotAttribution.objects.get().document)))
    used = [row for row in document["fields"] if row["track"] != "neither"]
    assert (answer["fields"], answer["found"]) == (len(document["fields"]), len(used))
    assert answer["cited"] == sum(row["cited"] for row in used)
    assert sum(answer["guardrails"].values()) == sum(finding["count"] for finding in document["guardrails"])


def test_the_attribution_is_kept_as_canonical_json_with_its_digest(program):
    post(program, make_record(response="Elevated \ud800 risk [[SF:risk_level]]"))

    kept = SnapshotAttribution.objects.get()
    document = zlib.decompress(bytes(kept.document))
    assert document == canonical_bytes(json.loads(document))
    assert bytes(kept.digest) == hashlib.sha256(document).digest()


def test_the_profile_is_kept_with_the_first_attribution_that_names_it(program):
    post(program, make_record())
    post(program, make_record())

    assert set(SnapshotAttribution.objects.values_list("profile", flat=True)) == {DEFAULT_PROFILE.id}
    assert json.loads(bytes(Profile.objects.get().document)) == DEFAULT_PROFILE.data


def test_what_is_acknowledged_waits_in_the_queue_with_one_attribution(program):
    answer = post(program, make_record()).json()

    item = QueueItem.objects.get()
    assert str(item.pk) == answer["id"]
    assert item.attribution == SnapshotAttribution.objects.get()


def test_freezing_is_an_event_of_the_key_that_commits_to_what_was_frozen(program, organisation):
    answer = post(program, make_record()).json()

    (event,) = events("snapshot.frozen")
    assert event["actor"] == {"kind": "service_key", "id": str(organisation.service_keys.get().pk)}
    assert event["object"] == {"type": "snapshot", "id": answer["id"]}
    attribution = str(SnapshotAttribution.objects.get().pk)
    assert event["details"] == {"attribution": attribution, "profile": DEFAULT_PROFILE.id, "engine": ENGINE_VERSION}
    assert event["parts"]["count"] == 2 + 2 + 6


def test_the_event_of_freezing_tells_nothing_of_what_was_said(program):
    post(program, make_record(user_text="zeppelin", response="quartz", context={"safety": {"risk_level": "obsidian"}}))

    told = json.dumps(events("snapshot.frozen"))
    assert not any(word in told for word in ("zeppelin", "quartz", "obsidian", "risk_level"))


def test_sending_a_record_again_changes_nothing_and_gives_the_snapshot_there_is(program):
    record = make_record()
    first = post(program, record)
    before = state_of_tables()

    again = post(program, record)

    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert state_of_tables() == before


SAME = [
    b'{"context":{"s":{"a":1,"b":"\\u00e9"}},"id":"same","response":"x"}',
    '{ "id": "same", "response": "x",\n "context": {"s": {"b": "é", "a": 1}} }'.encode(),
]


def test_the_same_content_written_otherwise_is_the_same_record_and_the_first_bytes_stay(program):
    first, again = post(program, SAME[0]), post(program, SAME[1])

    assert again.status_code == 200
    assert again.json() == first.json()
    assert bytes(Snapshot.objects.get().record) == SAME[0]


@pytest.mark.parametrize(
    "changed",
    [
        {"response": "Something else."},
        {"user_text": None},
        {"model": "model-b"},
        {"answered_at": "2026-03-03T19:42:09-06:00"},
        {"context": {"safety": {"risk_level": "elevated", "crisis_plan_on_file": 1}}},
        {"mine": "a key nobody knows"},
    ],
    ids=str,
)
def test_another_content_under_a_known_id_is_refused_and_nothing_changes(program, changed):
    record = make_record(id="turn-x")
    post(program, record)
    before = state_of_tables()

    refused = post(program, make_record(id="turn-x", **changed))

    assert problem_of(refused) == (409, "id", "a snapshot of this id has another content; it is not changed")
    assert state_of_tables() == before


def test_an_id_that_is_a_number_is_read_as_text(program):
    assert post(program, make_record(id=71)).json()["external_id"] == "71"


@pytest.mark.parametrize("content_type", ["application/json", "application/json; charset=utf-8", "text/plain", ""])
def test_a_body_that_is_not_said_to_be_lines_is_one_record(program, content_type):
    assert post(program, make_record(), content_type).status_code == 201


@pytest.mark.parametrize("encoding", ["gzip", "br", "identity"])
def test_a_body_is_not_unpacked(program, encoding):
    refused = post(program, make_record(), **{"Content-Encoding": encoding})

    assert problem_of(refused) == (415, "", "send the body as it is, without Content-Encoding")
    assert not Snapshot.objects.exists()


@pytest.mark.parametrize("content_type", ["application/json", "application/x-ndjson"])
def test_a_body_in_chunks_is_refused_rather_than_taken_for_an_empty_one(program, content_type):
    refused = post(program, b"", content_type, **{"Transfer-Encoding": "chunked"})

    assert problem_of(refused) == (411, "", "send the body in one piece, with its Content-Length")


def test_a_record_without_a_time_was_answered_when_it_was_frozen(program):
    post(program, make_record(answered_at=None))

    kept = Snapshot.objects.get()
    assert kept.answered_at == kept.frozen_at


def test_a_time_without_a_zone_is_universal_time(program):
    post(program, make_record(answered_at="2026-03-03T10:00:00"))

    assert Snapshot.objects.get().answered_at.isoformat() == "2026-03-03T10:00:00+00:00"


@pytest.mark.parametrize("zone", ["+16:00", "-23:59", "+23:59"])
def test_any_offset_from_universal_time_is_read(program, zone):
    """The database takes none of sixteen hours or more: one record with such a time stopped a whole batch."""
    good, odd = make_record(id="good"), make_record(id="odd", answered_at=f"2026-03-03T10:00:00{zone}")
    batch = b"\n".join(json.dumps(each).encode() for each in (good, odd))

    response = post(program, batch, "application/x-ndjson")

    assert [json.loads(line)["status"] for line in response.content.splitlines()] == [201, 201]
    assert Snapshot.objects.get(external_id="odd").answered_at == datetime.fromisoformat(f"2026-03-03T10:00:00{zone}")


def test_a_turn_is_the_same_whether_it_comes_over_the_api_or_by_an_import(program, organisation):
    record = make_record(id="turn-x")
    imported = make_item(organisation, **record)

    assert uuid.UUID(post(program, record).json()["id"]) == imported.pk


def test_a_whole_number_may_be_written_with_a_point(program):
    """JSON has one kind of number: 3.0 is 3."""
    answer = post(program, make_record(id="whole", turn_index=3.0, model=4.0))

    assert answer.status_code == 201
    snapshot = Snapshot.objects.get(external_id="whole")
    assert (snapshot.turn_index, snapshot.model) == (3, "4")
