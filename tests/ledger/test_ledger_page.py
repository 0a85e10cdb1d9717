"""The ledger's page and receipts: how the log stands, what is in it, and what somebody outside can be shown."""

from __future__ import annotations

import json
import uuid
from datetime import date

import pytest
from django.db import connection
from django.test import Client
from procrastinate.contrib.django.models import ProcrastinateJob

from reviewers.accounts.models import Scope
from reviewers.ledger import queries
from reviewers.ledger.events import ACTION_WORDS, Action
from reviewers.ledger.jobs import verify_ledger
from reviewers.ledger.logs import newest_key, verifier_of
from reviewers.ledger.merkle.receipt import OpenedReceipt, open_receipt
from reviewers.ledger.models import AuditEvent, Checkpoint, Leaf, Log, Verification
from reviewers.review.labels import actions
from reviewers.web.jobs import lock_of
from reviewers.web.tenancy import tenant
from tests.events import events, last_event
from tests.factories import NOW, make_item, make_key, make_member, make_organisation, sign_in
from tests.ledger.sealed import by_the_owner, seal_now, write_events
from tests.markup import read_markup
from tests.statements import statements_of


def opened(text: str) -> OpenedReceipt:
    """Open a receipt as anybody with the public key can."""
    log = Log.objects.get()
    return open_receipt(text, [verifier_of(newest_key(log), log)])


def submit(item, member) -> None:
    actions.label_remaining(item_id=item.pk, by=member, now=NOW)
    actions.submit(item_id=item.pk, by=member, now=NOW)


def test_the_page_shows_the_newest_checkpoint_and_its_key(auditor, item):
    seal_now(auditor.organisation_id)
    page = sign_in(auditor).get("/ledger/").content.decode()

    log = Log.objects.get()
    assert Checkpoint.objects.latest("size").note.strip() in page
    assert str(verifier_of(newest_key(log), log)).replace("+", "+") in page
    assert "tamper-evident" in page
    assert "does not show that what was recorded is true" in page


def test_however_many_events_are_hidden_few_are_held_at_once(auditor, monkeypatch):
    """Others may cause very many: each list that they filter while a review is blind is one."""
    write_events(auditor.organisation_id, 300)
    read = []
    monkeypatch.setattr(queries, "_MOST_READ_AT_ONCE", 60)
    monkeypatch.setattr(queries, "hidden_events", lambda _, seen: read.append(len(seen)) or {each.pk for each in seen})

    assert queries.load_page(auditor, queries.EventSearch(), "").rows == []
    assert sum(read) >= 300
    assert max(read) == 60


def test_before_anything_is_sealed_the_page_says_so(auditor):
    assert "Nothing is sealed yet" in sign_in(auditor).get("/ledger/").content.decode()


def test_what_waits_is_counted(auditor):
    seal_now(auditor.organisation_id)
    write_events(auditor.organisation_id, 3)

    overview = queries.load_overview(auditor.organisation_id)
    assert (overview.waiting, overview.waiting_since) == (3, NOW)


def test_everything_that_can_be_done_has_words():
    assert set(ACTION_WORDS) == set(Action)
    assert len(set(ACTION_WORDS.values())) == len(ACTION_WORDS)


def listed(response) -> list[str]:
    return [row.action for row in response.context["page"].rows]


def test_events_are_found_by_person_by_object_and_by_day(auditor, alice, item):
    actions.take(item_id=item.pk, by=alice, now=NOW)
    client = sign_in(auditor)

    assert listed(client.get("/ledger/", {"person": alice.user_id})) == ["lease.taken"]
    assert set(listed(client.get("/ledger/", {"object": item.pk}))) == {"lease.taken", "snapshot.frozen"}
    assert "lease.taken" in listed(client.get("/ledger/", {"since": "2026-03-04", "until": "2026-03-04"}))
    assert "lease.taken" not in listed(client.get("/ledger/", {"since": "2026-03-05"}))
    assert listed(client.get("/ledger/", {"person": uuid.uuid4()})) == []
    assert [event["details"].keys() for event in events("ledger.searched")] == [
        {"person"},
        {"object"},
        {"since", "until"},
        {"since"},
        {"person"},
    ]


@pytest.mark.parametrize("moment", ["2026-03-03T10:00:00+23:59", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_no_moment_in_the_address_of_a_page_breaks_it(organisation, auditor, moment):
    """The database takes no offset of sixteen hours or more."""
    make_item(organisation)

    assert sign_in(auditor).get("/ledger/", {"after": f"{moment}~{organisation.pk}"}).status_code == 200


def test_what_cannot_be_read_is_not_looked_for(auditor):
    response = sign_in(auditor).get("/ledger/", {"person": "x", "object": "'", "since": "yesterday", "after": "no~key"})

    assert response.status_code == 200
    assert listed(response)
    assert not events("ledger.searched")


def test_pages_follow_each_other_without_gap_or_repetition(auditor):
    write_events(auditor.organisation_id, 120)
    client, seen, after = sign_in(auditor), [], ""
    for _ in range(3):
        page = client.get("/ledger/", {"after": after}).context["page"]
        seen += [row.id for row in page.rows]
        after = page.older

    assert len(seen) == len(set(seen)) == AuditEvent.objects.filter(organisation_id=auditor.organisation_id).count()
    assert after == ""


def test_the_page_takes_few_statements_however_many_events(auditor):
    seal_now(auditor.organisation_id)
    client = sign_in(auditor)
    few = statements_of(lambda: client.get("/ledger/"))
    write_events(auditor.organisation_id, 60)

    assert len(statements_of(lambda: client.get("/ledger/"))) == len(few) <= 16, few


@pytest.mark.parametrize(
    ("sought", "index", "condition"),
    [
        ({"since": date(2026, 3, 1), "until": date(2026, 3, 2)}, "event_by_time", "(occurred_at < "),
        ({"person": uuid.uuid4(), "until": date(2026, 3, 2)}, "event_by_person", "(actor_id = "),
    ],
    ids=["days", "person"],
)
def test_a_search_finds_its_index(auditor, sought, index, condition):
    """Without sequential scans, which are cheaper for so few events."""
    found = queries._matching(auditor.organisation_id, queries.EventSearch(**sought)).order_by("-occurred_at", "-id")
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    (conditions,) = [line for line in found.explain().splitlines() if "Index Cond" in line]

    assert index in found.explain()
    assert condition in conditions


def test_nothing_of_another_organisation_is_listed(auditor, charlie):
    make_item(charlie.organisation)

    page = queries.load_page(auditor, queries.EventSearch(), "")
    own = set(AuditEvent.objects.filter(organisation_id=auditor.organisation_id).values_list("id", flat=True))
    assert {row.id for row in page.rows} == own


def test_an_event_shows_its_bytes_and_its_proof(auditor, item):
    client, event = sign_in(auditor), last_event(auditor.organisation)
    assert "Not sealed yet" in client.get(f"/ledger/events/{event}/").content.decode()

    seal_now(auditor.organisation_id)
    response = client.get(f"/ledger/events/{event}/")
    place = response.context["place"]
    assert place.index == Leaf.objects.get(pk=event).index
    assert len(response.context["proof"]) == len(place.proof) > 0
    assert json.loads(response.context["body"])["id"] == str(event)


def test_an_event_says_by_whom_and_in_which_zone_its_moment_is(auditor, alice, item):
    submit(item, alice)
    event = last_event(auditor.organisation)
    page = read_markup(sign_in(auditor).get(f"/ledger/events/{event}/"))

    told = page.one("main").one("header").text
    assert f"by {alice.user.name}, " in told
    assert "UTC" in told


@pytest.mark.parametrize("is_submitted", [False, True])
def test_whoever_submitted_takes_a_receipt_that_anybody_can_check(alice, item, is_submitted):
    if is_submitted:
        submit(item, alice)
    client = sign_in(alice)
    early = client.get(f"/items/{item.pk}/receipt/")
    seal_now(alice.organisation_id)

    response = client.get(f"/items/{item.pk}/receipt/")
    told = json.loads(opened(response.content.decode()).content)
    assert told["action"] == ("review.submitted" if is_submitted else "snapshot.frozen")
    assert told["object"]["id"] == str(item.pk)
    assert early.content.decode().startswith("Not sealed yet.")
    assert response["Content-Disposition"].endswith('.tlog-proof"')
    assert len(events("receipt.taken")) == 2


def test_a_submitted_review_offers_its_receipt(alice, item):
    submit(item, alice)

    assert f'href="/items/{item.pk}/receipt/"' in sign_in(alice).get(f"/items/{item.pk}/").content.decode()


def test_a_program_reads_the_receipt_over_the_api(alice, item):
    submit(item, alice)
    seal_now(alice.organisation_id)
    client = Client(headers={"Authorization": f"Bearer {make_key(alice.organisation, Scope.READ)}"})

    response = client.get(f"/api/v1/snapshots/{item.pk}/receipt")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert json.loads(opened(response.content.decode()).content)["action"] == "review.submitted"
    assert client.get(f"/api/v1/snapshots/{uuid.uuid4()}/receipt").status_code == 404


def test_verifying_is_asked_for_once_done_by_the_worker_and_its_result_shown(auditor, item):
    seal_now(auditor.organisation_id)
    client = Client()
    with tenant.outside():
        client.force_login(auditor.user)
    client.post("/ledger/verify/")
    client.post("/ledger/verify/")
    (job,) = ProcrastinateJob.objects.filter(task_name="reviewers.ledger.jobs.verify_ledger")
    assert job.lock == lock_of(auditor.organisation_id)  # one after the other, also while one runs
    assert "Verification is running" in client.get("/ledger/").content.decode()

    verify_ledger.func(**job.args)
    page = client.get("/ledger/").content.decode()
    assert "1 checkpoint agree." in page
    assert "Verification is running" not in page
    assert events("ledger.verified")[-1]["details"] == {"agrees": True}


def test_a_row_that_differs_is_named_on_the_page(committed):
    organisation = make_organisation()
    item = make_item(organisation)
    seal_now(organisation.pk)
    with by_the_owner("snapshots_snapshot") as cursor:
        cursor.execute("UPDATE snapshots_snapshot SET model = 'another'")

    verify_ledger.func(organisation_id=str(organisation.pk))
    assert Verification.objects.get().difference == f"snapshots_snapshot {item.pk}, column model: is not what was written"
    page = sign_in(make_member(organisation, "auditor")).get("/ledger/").content.decode()
    assert "Not as it was sealed." in page
    assert f"snapshots_snapshot {item.pk}" in page
