"""A program lists review items and reads one: what the queue and the review page show, with the same blindness."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from reviewers.accounts.actions import switch_asking_why
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Scope
from reviewers.review.labels import actions
from reviewers.review.models import CitationVerdict, QueueItem, Verdict
from reviewers.review.queries import load_item
from reviewers.review.queue.queries import PAGE_SIZE
from reviewers.web.protected_text import MASK
from reviewers.web.tenancy import tenant
from tests.accounts.tokens import token_of
from tests.api.sending import problem_of, program_of
from tests.events import events
from tests.factories import BOTH, NOW, choose, flag_finding, make_item, make_key, make_member, make_organisation
from tests.review.plans.planning import review, run_blind
from tests.state import state_of_tables

WRONG_FIT = BOTH | {"response": str(BOTH["response"]).replace("85% [[TF:fit_score]]", "35%")}
"""An answer that contradicts its record."""
DOCUMENT = Path(__file__).parents[2] / "docs" / "clients.md"


@pytest.fixture
def item(organisation) -> QueueItem:
    return make_item(organisation, **BOTH)


def listed(program: Client, query: str = "") -> list[str]:
    response = program.get(f"/api/v1/items{query}")
    assert response.status_code == 200, response.content
    return [each["id"] for each in response.json()["items"]]


def read(program: Client, item: QueueItem) -> dict:
    response = program.get(f"/api/v1/items/{item.pk}")
    assert response.status_code == 200
    return response.json()


def test_every_item_is_listed_once_over_all_pages_the_oldest_first(program, organisation):
    moments = [NOW + timedelta(minutes=minute // 2) for minute in range(PAGE_SIZE + 2)]
    made = [make_item(organisation, answered_at=moment.isoformat()) for moment in moments]

    first = program.get("/api/v1/items").json()
    second = program.get(f"/api/v1/items?after={first['after']}").json()

    assert len(first["items"]) == PAGE_SIZE
    assert second["after"] is None
    told = [each["id"] for each in (*first["items"], *second["items"])]
    assert told == [str(pk) for _, pk in sorted((each.answered_at, each.pk) for each in made)]


def test_a_cursor_that_names_nothing_is_told(program, item):
    assert problem_of(program.get(f"/api/v1/items?after={uuid.uuid4()}"))[:2] == (404, "after")
    assert problem_of(program.get("/api/v1/items?after=2026"))[:2] == (422, "after")


def test_the_filters_are_those_of_the_queue(program, organisation, alice, item):
    other = make_item(organisation, model="model-b", answered_at="2025-01-01T12:00:00Z")
    finished = make_item(organisation)
    actions.label_remaining(item_id=finished.pk, by=alice, now=NOW)
    actions.submit(item_id=finished.pk, by=alice, now=NOW)
    flag_finding(choice=choose(item, 0), note="look", by=alice, now=NOW)
    everything = {str(each.pk) for each in (item, other, finished)}

    assert set(listed(program)) == {str(item.pk), str(other.pk)}
    assert set(listed(program, "?state=all")) == everything
    assert listed(program, "?state=submitted") == [str(finished.pk)]
    assert listed(program, "?model=model-b&model=model-c") == [str(other.pk)]
    assert listed(program, "?flagged=on") == [str(item.pk)]
    assert listed(program, "?until=2025-12-31") == [str(other.pk)]
    assert listed(program, "?since=2025-12-31") == [str(item.pk)]
    assert listed(program, "?signed=none") == [str(finished.pk)]
    assert listed(program, f"?plan={uuid.uuid4()}") == []


@pytest.mark.parametrize("query", ["state=done", "since=2026-02-30", "since=0", "until=", "flagged=yes", "signed=", "plan=x", "after="])
def test_a_filter_that_is_not_understood_is_refused_and_nothing_is_listed(program, item, query):
    before = state_of_tables()

    status, place, _ = problem_of(program.get(f"/api/v1/items?{query}"))

    assert status == 422
    assert place in (query.partition("=")[0], "0")
    assert state_of_tables() == before


def test_a_list_is_an_event_of_the_key_with_the_names_of_the_filters(program, organisation, item):
    listed(program, "?state=all&model=tangerine&guardrail=unknown")

    (event,) = events("queue.viewed")
    assert event["actor"] == {"kind": "service_key", "id": str(organisation.service_keys.get().pk)}
    assert event["details"] == {"shown": [], "filters": ["guardrail", "model"]}
    assert "tangerine" not in json.dumps(event)


def test_an_item_has_its_rows_and_citations_by_the_numbers_that_labels_name(program, alice, item):
    told, found = read(program, item), load_item(alice, item.pk)

    assert told["attribution"] == str(item.attribution_id)
    rows = sorted([*told["rows"], *told["unfound"]], key=lambda row: row["number"])
    assert [(row["section"], row["path"]) for row in rows] == [(row.field.section, row.field.path) for row in found.attribution.fields]
    assert [row["found"] for row in rows] == [row.is_used for row in found.attribution.fields]
    assert [row["confidence"] for row in rows] == [row.confidence if row.is_used else None for row in found.attribution.fields]
    citations = [each for source in told["sources"] for each in source["citations"]]
    assert {each["number"] for each in citations} == {each.number for each in found.citations}
    assert [each["finding"] for each in told["findings"]]
    assert told["reviews"] == []
    assert told["user_text"] == found.record["user_text"]


def test_an_item_has_its_labels_and_reviews_without_what_people_wrote(program, alice, item):
    actions.save_label(choice=choose(item, 0), verdict=Verdict.WRONG, note="a trombone", by=alice, now=NOW)
    actions.save_citation_label(choice=choose(item, 0), verdict=CitationVerdict.SUPPORTS, note="a trombone", by=alice, now=NOW)
    flag_finding(choice=choose(item, 0), note="a trombone", by=alice, now=NOW)
    assert {row["label"]["verdict"] for row in read(program, item)["rows"]} == {None}, "nobody else sees a draft"

    actions.label_remaining(item_id=item.pk, by=alice, now=NOW)
    for each in load_item(alice, item.pk).unlabelled_citations:
        actions.save_citation_label(choice=choose(item, each.number), verdict=CitationVerdict.SUPPORTS, by=alice, now=NOW)
    actions.submit(item_id=item.pk, by=alice, now=NOW)
    told = read(program, item)

    (wrong,) = (row for row in told["rows"] if row["number"] == 0)
    assert wrong["label"] == {"verdict": "wrong", "note": MASK, "changed": 0, "others": [], "decision": None}
    assert {row["label"]["verdict"] for row in told["rows"]} == {"wrong", "correct"}
    assert {each["label"]["verdict"] for source in told["sources"] for each in source["citations"]} == {"supports"}
    assert [each["reviewer"] for each in told["reviews"]] == [told["submitted_by"]] == [alice.user.name]
    assert [(each["note"], each["resolution"]) for each in told["flags"]] == [(MASK, None)]
    assert "trombone" not in json.dumps(told)


def test_under_blind_review_an_item_is_as_a_blind_reviewer_sees_it(program, lead, bob, item):
    run_blind(lead)
    item.refresh_from_db()
    review(item, bob, Verdict.WRONG, "a note")
    flag_finding(choice=choose(item, 0), note="look", by=bob, now=NOW)

    told = read(program, item)
    (row,) = program.get("/api/v1/items").json()["items"]

    assert row == {name: told[name] for name in row}
    assert (told["is_blind"], told["is_flagged"], told["findings"], told["flags"], told["reviews"]) == (True, False, [], [], [])
    assert {told[name] for name in ("source", "validity", "found", "calibrated")} == {None}
    assert told["labelled"] is None
    for each in told["rows"]:
        hidden = ("method", "rule", "track", "confidence", "interval", "footnote", "explanations")
        assert [each[name] for name in hidden] == [None] * 6 + [[]]
        assert each["label"]["verdict"] is None
    for source in told["sources"]:
        assert (source["trust"], source["trust_score"]) == (None, None)
        assert source["text"]
        assert all((each["checks"], each["passage"], each["required"]) == ([], "", True) for each in source["citations"])
    assert listed(program, "?guardrail=contradicted") == listed(program, "?flagged=on") == listed(program, "?signed=none") == []


def test_reading_an_item_is_an_event_of_the_key(program, organisation, item):
    read(program, item)

    (event,) = events("snapshot.viewed")
    assert event["actor"] == {"kind": "service_key", "id": str(organisation.service_keys.get().pk)}
    assert (event["object"]["id"], event["details"]) == (str(item.pk), {"attribution": str(item.attribution_id)})


def test_an_item_that_nobody_has_is_not_found_and_nothing_is_written(program, item):
    before = state_of_tables()

    assert problem_of(program.get(f"/api/v1/items/{uuid.uuid4()}")) == (404, "item_id", "there is no such item")
    assert state_of_tables() == before


def test_where_the_organisation_asks_why_a_program_says_so(program, organisation, item):
    switch_asking_why(organisation=organisation, on=True, at=NOW, by=SYSTEM)
    path = f"/api/v1/items/{item.pk}"

    assert problem_of(program.get(path, headers={"Access-Reason": " "}))[:2] == (422, "Access-Reason")
    assert events("snapshot.viewed") == []
    assert program.get(path, headers={"Access-Reason": "the nightly check"}).status_code == 200
    assert [event["details"] for event in events("access.explained")] == [{"kind": "program"}]


def test_half_a_character_is_read_as_it_came(program, organisation):
    item = make_item(organisation, context={"safety": {"risk_level": "half \ud83d"}})

    told = read(program, item)

    assert [row["value"] for row in (*told["rows"], *told["unfound"])] == ["half \ud83d"]


def test_a_key_that_only_sends_reads_no_item(organisation, item):
    sender = program_of(organisation, Scope.INGEST)

    assert {sender.get(path).status_code for path in ("/api/v1/items", f"/api/v1/items/{item.pk}")} == {403}


def told_by_commands(heading: str, port: int, **given: str) -> list[dict]:
    """Run the commands of a section of the document, with what they are given, and return what each prints."""
    section = DOCUMENT.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    (commands,) = re.findall(r"```sh\n(.*?)```", section.partition("\n## ")[0], re.DOTALL)
    commands = re.sub(r"(?<!\\)\n", "; echo\n", commands.replace(":8000/", f":{port}/"))
    environment = os.environ | given | {"no_proxy": "127.0.0.1"}
    done = subprocess.run(["/bin/sh", "-euc", commands], env=environment, capture_output=True, timeout=60, check=True)  # noqa: S603 — ours
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl")
def test_the_commands_of_the_document_list_and_read(committed, port):
    item = make_item(make_organisation(), **WRONG_FIT)
    with tenant.outside():
        key = make_key(item.organisation, Scope.READ)

    page, one = told_by_commands("Read review items with your own tools", port, KEY=key, ITEM=str(item.pk))

    assert [each["id"] for each in page["items"]] == [one["id"]] == [str(item.pk)]


@pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl")
def test_the_commands_of_the_document_take_label_and_submit(committed, port):
    item = make_item(make_organisation(), **WRONG_FIT)
    with tenant.within(item.organisation_id):
        alice = make_member(item.organisation)
        _, token = token_of(alice)
        actions.label_remaining(item_id=item.pk, by=alice, now=timezone.now())
        for each in load_item(alice, item.pk).unlabelled_citations:
            actions.save_citation_label(choice=choose(item, each.number), verdict=CitationVerdict.SUPPORTS, by=alice, now=timezone.now())

    given = {"TOKEN": token, "ITEM": str(item.pk), "ATTRIBUTION": str(item.attribution_id)}
    taken, read_one, labelled, cited, submitted = told_by_commands("Label with your own tools", port, **given)

    assert taken["id"] == read_one["id"] == labelled["item"] == cited["item"] == submitted["id"] == str(item.pk)
    assert (labelled["label"]["verdict"], labelled["label"]["note"], cited["label"]["verdict"]) == ("wrong", "It says 35%.", "supports")
    with tenant.within(item.organisation_id):
        assert QueueItem.objects.get(pk=item.pk).submitted_by_id == alice.user_id
