"""Every write, and every view of protected text, is written down: for each address which events, of whom, about what."""

from __future__ import annotations

import json
from uuid import UUID

import pytest
from django.core.management import call_command
from django.utils import timezone

from reviewers.ledger.events import Action
from reviewers.review import leases
from reviewers.review.models import Lease
from reviewers.web.tenancy import tenant
from tests.events import actions_of, events
from tests.factories import NOW, label, make_item, make_record, sign_in
from tests.ledger.deeds import EVENTS, PROTECTED, RECORD, SIGN_IN, SIGN_IN_EVENTS, prepare, prepare_sign_in
from tests.ledger.traces import FRAGMENT, check_events, done_by, protected_in
from tests.snapshots.searches import run_all
from tests.web.endpoints import ENDPOINTS


def test_the_table_has_a_line_for_every_address():
    assert EVENTS.keys() == ENDPOINTS.keys(), "Say in tests/ledger/deeds.py what the new address writes down."
    assert SIGN_IN_EVENTS.keys() == SIGN_IN.keys()


@pytest.mark.parametrize("name", SIGN_IN_EVENTS)
def test_what_people_do_about_their_accounts_is_written_down(db, name):
    deed = prepare_sign_in(name)

    _, written, _ = done_by(deed)

    check_events(deed, written, SIGN_IN_EVENTS[name])


def test_between_them_the_tables_use_every_word_of_the_ledger(db):
    """Actions that no request writes have a test of their own in this module."""
    by_requests = {action for table in (EVENTS, SIGN_IN_EVENTS) for expected in table.values() for action, _ in expected}
    elsewhere = {
        "organisation.created",
        "queue.searched",
        "lease.expired",
        *("plan.extended", "plan.finished"),
        "alarm.raised",
        "password.reset",
        "citation_search.ended",
        *("support.judged", "support.ended"),
        "spans.late",
        *("profile.compared", "proposal.asked", "snapshot.attributed"),
        "judge.labelled",
        "log.started",
        "log.key_changed",
        "ledger.searched",
        "ledger.verified",
        *("report.failed", "exports.searched"),
        *("delivery.attempted", "text.sent"),
        "turns.exported",
        *("member.added", "sign_on.set", "sign_on.tied", "sign_on.removed"),
    }

    assert by_requests | elsewhere == {action.value for action in Action}
    assert not by_requests & elsewhere


def test_a_search_is_written_down_when_its_list_is_shown_and_each_time_it_is(alice):
    item = make_item(alice.organisation, **RECORD)
    client = sign_in(alice)

    found = client.post("/queue/search/", {"words": PROTECTED["search"]}, follow=True)
    again = client.get(found.redirect_chain[-1][0])

    assert [len(page.context["page"].rows) for page in (found, again)] == [1, 1]
    searched = events("queue.searched")
    assert len(searched) == 2
    assert {event["object"]["id"] for event in searched} == {str(alice.organisation_id)}
    assert searched[0]["details"] == {"shown": [str(item.pk)], "filters": []}
    assert searched[0]["parts"]["count"] == 2


def test_a_search_that_finds_nothing_is_written_down_too(alice):
    sign_in(alice).post("/queue/search/", {"words": "nothing like it"}, follow=True)

    assert events("queue.searched")[-1]["details"]["shown"] == []


def test_a_list_names_the_items_whose_words_it_showed_and_no_others(alice):
    items = [make_item(alice.organisation, answered_at=f"2026-03-{day:02}T10:00:00Z") for day in range(1, 29)]
    client = sign_in(alice)
    first = client.get("/queue/?model=model-a")
    client.get("/queue/", {"after": first.context["page"].after})

    viewed = events("queue.viewed")
    assert [event["details"]["shown"] for event in viewed] == [[str(item.pk) for item in part] for part in (items[:25], items[25:])]
    assert [event["details"]["filters"] for event in viewed] == [["model"], []]


def test_a_refusal_that_shows_the_page_is_a_view_of_it(alice, bob, item):
    label(sign_in(bob), item)
    client = sign_in(alice)
    before = len(events())

    response = label(client, item)

    assert response.status_code == 409
    assert [(event["action"], event["actor"]["id"]) for event in events()[before:]] == [("snapshot.viewed", str(alice.user_id))]


@pytest.mark.parametrize("name", ["label", "note", "label_citation", "note_citation", "label_remaining", "take", "renew", "submit", "skip"])
def test_a_refusal_in_place_shows_nothing_and_writes_nothing(db, name):
    deed = prepare(name)
    Lease.objects.all().delete()
    holder = prepare("take")
    with tenant.within(UUID(deed.objects["organisation"])):
        Lease.objects.create(
            organisation_id=deed.objects["organisation"],
            item_id=deed.objects["item"],
            holder_id=holder.actor[1],
            taken_at=NOW,
            expires_at=timezone.now().replace(year=2990),
        )

    response, written, changed = done_by(deed, **FRAGMENT)

    assert (response.status_code, written, changed, protected_in(response)) == (409, [], set(), set())


def test_a_lease_that_runs_out_is_written_down_as_the_systems_doing(alice, item):
    deed = prepare("renew")
    leases.expire(now=timezone.now().replace(year=2990))

    (event,) = events("lease.expired")
    assert event["actor"] == {"kind": "system", "id": None}
    assert event["object"] == {"type": "snapshot", "id": deed.objects["item"]}
    assert event["details"] == {"holder": deed.actor[1]}


def test_an_import_writes_down_each_record_that_is_new(organisation, tmp_path, capsys):
    file = tmp_path / "turns.jsonl"
    file.write_text("\n".join(_line(number) for number in range(3)))
    for _ in range(2):
        call_command("import", str(file), organisation=organisation.slug)

    assert len(events("snapshot.frozen")) == 3
    assert {event["actor"]["kind"] for event in events("snapshot.frozen")} == {"system"}


def _line(number: int) -> str:
    return json.dumps(make_record(id=f"imported-{number}"))


def test_sending_a_record_again_freezes_nothing_and_writes_nothing(db):
    deed = prepare("post_snapshots")
    deed.send()

    response, written, changed = done_by(deed)

    assert (response.status_code, written, changed) == (200, [], set())


def test_of_a_batch_each_good_record_has_its_event_and_no_other(db):
    deed = prepare("post_snapshots")
    good, bad = _line(1), '{"id": "x"}'

    before = len(events())
    deed.client.post(deed.path, "\n".join([good, bad, good, _line(2)]), content_type="application/x-ndjson")

    assert actions_of(events()[before:]) == ["snapshot.frozen"] * 2


def test_how_a_search_for_citations_ended_is_written_down_of_nobody_but_the_system(db):
    deed = prepare("post_snapshots")
    deed.send()
    before = len(events())

    run_all()

    (ended,) = events()[before:]
    assert (ended["action"], ended["actor"]["kind"], ended["object"]["type"]) == ("citation_search.ended", "system", "snapshot")


def test_making_an_organisation_and_adding_a_member_is_written_down(alice):
    created, added = events("organisation.created")[0], events("member.added")[0]

    assert created["object"] == {"type": "organisation", "id": str(alice.organisation_id)}
    assert added["object"] == {"type": "membership", "id": str(alice.pk)}
    assert added["details"] == {"user": str(alice.user_id), "role": "reviewer"}


def test_a_flag_on_a_field_is_written_down_without_its_note(item, alice):
    form = {"attribution": str(item.attribution_id), "place": "row-0", "note": PROTECTED["note"]}
    sign_in(alice).post(f"/items/{item.pk}/flag/", form)

    (event,) = events("place.flagged")
    assert event["object"]["id"] == str(item.pk)
    assert event["actor"]["id"] == str(alice.user_id)
    assert PROTECTED["note"] not in json.dumps(event)
