"""Redacted text is gone from every table, whatever was derived from it; everything else stays, and every seal still holds."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from reviewers.accounts.audit import SYSTEM
from reviewers.ledger.models import EventSecret
from reviewers.ledger.verification.organisation import verify
from reviewers.review.labels import actions
from reviewers.review.models import QueueItem, Tally
from reviewers.snapshots.citation_search import find_pending, run_search, store_result
from reviewers.snapshots.ingest.actions import ingest
from reviewers.snapshots.ingest.records import read_record
from reviewers.snapshots.models import CitationSearch, CitationSearchResult, Snapshot
from reviewers.snapshots.redactable_parts import BARS
from tests.factories import NOW, make_item, make_key, make_member, make_organisation, make_record, without_proofs
from tests.ledger.sealed import seal_now
from tests.review.redacting.redactable import (
    CANARIES,
    lead_and_administrator,
    make_redactable,
    names_of,
    places_of,
    redact,
)
from tests.sampling import sampled
from tests.snapshots.searches import make_searched, run_all

KINDS = {
    "user_text": ("user_text",),
    "response": ("response",),
    "context.safety.remark": ("context.safety.remark",),
    "context.safety.places\\.of\\.birth": ("context.safety.places",),
    "context.history.1.said": ("context.history.1",),
    "documents.0": ("documents.0",),
    "documents.1": ("documents.1",),
    "tool_calls.0": ("tool_calls.0",),
    "client_reference": ("client_reference",),
    "conversation_id": ("conversation_id",),
    "provider": ("provider",),
    "rest": ("rest",),
    "note": ("note.",),
    "citation_note": ("citation_note.",),
    "remark": ("remark.",),
}


@pytest.fixture(scope="module")
def world(committed_for_module):
    """An item with everything, in an organisation of its own; the database as it is committed is what is searched."""
    alice = make_member(make_organisation())
    return alice, make_redactable(alice), *lead_and_administrator(alice)


@pytest.mark.parametrize("name", sampled(CANARIES, more=5))
def test_each_part_is_gone_from_every_table_and_all_seals_hold(world, name):
    alice, item, lead, administrator = world
    assert places_of(CANARIES[name]), "The word is not where it could be redacted."
    names = names_of(item, lead, *KINDS[name])
    if names:
        redact(item, names, lead, administrator)
    assert places_of("piccolo") == [], "a draft about it is still there"
    assert places_of(CANARIES[name]) == []
    seal_now(alice.organisation_id)
    assert verify(organisation_id=alice.organisation_id).redacted


def test_clients_whose_references_are_gone_do_not_become_one(organisation, lead, administrator):
    items = [make_item(organisation, client_reference=f"client-{name}", conversation_id=f"talk-{name}") for name in "ab"]
    for item in items:
        redact(item, ["client_reference", "conversation_id"], lead, administrator)

    for item in items:
        snapshot = Snapshot.objects.get(pk=item.pk)
        assert (snapshot.client_reference, snapshot.conversation_id) == ("", "")
        assert json.loads(bytes(snapshot.record))["client_reference"] == BARS
        page = without_proofs(lead).get(f"/items/{item.pk}/").content.decode()
        assert "the client’s reference" in page


def test_what_was_found_afterwards_goes_with_the_document_it_quotes(organisation, alice):
    item = make_searched(organisation)
    run_all()
    assert CitationSearchResult.objects.get().outcome == "found"
    lead, administrator = lead_and_administrator(alice)

    redact(item, names_of(item, lead, "documents."), lead, administrator)

    result = CitationSearchResult.objects.get()
    assert (result.outcome, result.reason, result.document) == ("skipped", "redacted", None)
    page = without_proofs(lead).get(f"/items/{item.pk}/").content.decode()
    assert "What was found was taken out with parts of this record that were redacted." in page
    assert verify(organisation_id=organisation.pk).redacted


def test_a_search_that_was_under_way_stores_nothing_of_what_it_had_read(organisation, alice):
    item = make_searched(organisation)
    wanted = find_pending(CitationSearch.objects.get(attribution__snapshot=item.pk).pk)
    ended = run_search(wanted)
    lead, administrator = lead_and_administrator(alice)
    redact(item, names_of(item, lead, "documents."), lead, administrator)

    store_result(row=wanted.row, ended=ended, attempts=1, begun_at=NOW, ended_at=NOW)

    result = CitationSearchResult.objects.get()
    assert (result.outcome, result.document) == ("failed", None)
    assert result.reason == "parts of this record were redacted while it was being looked for"


def test_an_answer_that_came_in_the_providers_own_form_goes_with_it(organisation, alice):
    native = {"content": [{"type": "text", "text": "The nightingale sings."}], "role": "assistant"}
    item = make_item(organisation, response="", native=native)
    lead, administrator = lead_and_administrator(alice)

    redact(item, ["response"], lead, administrator)

    assert without_proofs(lead).get(f"/items/{item.pk}/").status_code == 200
    assert b"nightingale" not in bytes(Snapshot.objects.get(pk=item.pk).record)
    assert verify(organisation_id=organisation.pk).redacted


def test_lists_and_filters_follow_what_is_left(organisation, alice, lead, administrator):
    item = make_item(organisation)
    assert {"guardrail:over_cited", "section:safety"} <= set(QueueItem.objects.get(pk=item.pk).facets)

    redact(item, ["response"], lead, administrator)

    found = QueueItem.objects.get(pk=item.pk)
    assert (found.found_count, found.state) == (0, "to_do")
    assert [facet for facet in found.facets if facet.startswith(("guardrail:", "section:", "source:"))] == ["source:none"]
    counts = {facet: sum(each.count for each in Tally.objects.filter(facet=facet)) for facet in ("section:safety", "source:none", "all")}
    assert counts == {"section:safety": 0, "source:none": 1, "all": 1}
    assert Snapshot.objects.get(pk=item.pk).excerpt == BARS


def test_the_rest_stays_as_it_was(organisation, lead, administrator):
    item = make_item(organisation)
    before = json.loads(bytes(Snapshot.objects.get(pk=item.pk).record))

    redact(item, ["context.safety.risk_level"], lead, administrator)

    after = json.loads(bytes(Snapshot.objects.get(pk=item.pk).record))
    assert list(after) == list(before)
    assert after["context"]["safety"] == before["context"]["safety"] | {"risk_level": BARS}
    assert {name: after[name] for name in after if name != "context"} == {name: before[name] for name in before if name != "context"}


def test_sending_the_record_again_says_what_became_of_it(organisation, lead, administrator):
    record = make_record()
    item = make_item(organisation, **record)
    redact(item, ["response"], lead, administrator)

    (outcome,) = ingest(records=[read_record(json.dumps(record).encode())], organisation=organisation, by=SYSTEM, at=NOW)

    assert outcome.error.status == 409
    assert outcome.error.reason == (
        "parts of the snapshot of this id were redacted on 2026-03-04; what is sent is not compared with it or kept"
    )


def test_programs_are_told_which_parts_are_gone(organisation, lead, administrator):
    item = make_item(organisation)
    redact(item, ["response", "context.safety.risk_level"], lead, administrator)

    headers = {"Authorization": f"Bearer {make_key(organisation)}"}
    answer = Client(headers=headers).get(f"/api/v1/snapshots/{item.pk}").json()

    assert answer["redactions"] == [{"at": NOW.isoformat(), "basis": "erasure", "parts": ["response", "context.safety.risk_level"]}]
    assert answer["record"]["response"] == BARS


def test_why_it_was_skipped_goes_also_after_it_was_taken_up_again(organisation, alice, lead, administrator):
    item, other = make_item(organisation), make_item(organisation)
    for each in (item, other):
        actions.skip(item_id=each.pk, reason="a xylophone is too loud", by=alice, now=NOW)
    actions.take(item_id=other.pk, by=alice, now=NOW)
    actions.let_go(item_id=other.pk, by=alice, now=NOW)

    for each in (item, other):
        (name,) = names_of(each, lead, "skip.")
        redact(each, [name], lead, administrator)

    assert QueueItem.objects.get(pk=item.pk).skip_reason == BARS
    assert [payload for payload in EventSecret.objects.values_list("payload", flat=True) if b"xylophone" in bytes(payload or b"")] == []
    assert len(verify(organisation_id=organisation.pk).redacted) == 2
