"""Spans wait until their trace is complete: in several requests, in any order, twice, late and by half."""

from __future__ import annotations

import json

import pytest
from django.utils import timezone

from reviewers.accounts.models import ServiceKey
from reviewers.snapshots.models import Snapshot, Trace, WaitingSpans
from reviewers.snapshots.otlp import actions
from reviewers.snapshots.otlp.wording import FINDING_WORDS, TraceFinding
from tests.api.sending import program_of
from tests.events import events
from tests.factories import make_organisation, sign_in
from tests.snapshots.otlp.tracing import (
    ADDRESS,
    JSON,
    LONGEST,
    PROTOBUF,
    SHORT_ADDRESS,
    TRACE,
    accepted,
    age,
    child,
    freeze,
    records,
    send,
    span,
)

pytestmark = pytest.mark.django_db

ANSWER = {"output.value": "Your risk is elevated.", "footnote.context": json.dumps({"safety": {"risk_level": "elevated"}})}


@pytest.fixture
def program(organisation):
    return program_of(organisation)


@pytest.fixture
def end(organisation):
    """Let the time pass that a complete trace waits, and freeze what is due."""

    def act(**options) -> int:
        age(**options)
        return freeze(organisation.pk, timezone.now())

    return act


@pytest.mark.parametrize("address", [ADDRESS, SHORT_ADDRESS])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("content_type", [PROTOBUF, JSON])
def test_a_trace_becomes_a_snapshot(program, end, content_type, packed, address):
    response = send(program, span(ANSWER), content_type=content_type, packed=packed, address=address)

    assert (response.status_code, response["Content-Type"]) == (200, content_type)
    assert response.content == (b"{}" if content_type == JSON else b"")
    assert end() == 1
    (record,) = records()
    assert (record["id"], record["response"]) == (f"trace-{TRACE.hex()}", "Your risk is elevated.")
    assert record["context"] == {"safety": {"risk_level": "elevated"}}
    trace = Trace.objects.get()
    assert (trace.state, trace.service, trace.span_count, trace.snapshot) == ("frozen", "caremate", 1, Snapshot.objects.get())
    assert not WaitingSpans.objects.exists()


def test_both_encodings_make_the_same_record(program, end):
    spans = [
        span(ANSWER | {"input.value": "am I at risk? 您好"}),
        child({"openinference.span.kind": "LLM", "llm.model_name": "caremate-4"}),
    ]
    for number, content_type in enumerate((PROTOBUF, JSON)):
        for each in spans:
            each.trace_id = bytes([number + 1]) * 16
        send(program, *spans, content_type=content_type)
    end()

    first, second = records()
    for record in (first, second):
        del record["id"], record["trace"]["trace_id"]
    assert first == second


def test_it_is_frozen_as_an_act_of_the_key_like_a_record_that_is_sent(program, end, organisation):
    send(program, span(ANSWER))
    end()

    (event,) = [each for each in events() if each["action"] == "snapshot.frozen"]
    assert event["actor"] == {"kind": "service_key", "id": str(Trace.objects.get().key_id)}
    assert event["object"]["id"] == str(Snapshot.objects.get().pk)


def test_nothing_is_frozen_while_spans_still_come(program, organisation):
    send(program, span(ANSWER))

    assert freeze(organisation.pk, timezone.now()) == 0
    assert not Snapshot.objects.exists()


def test_nothing_is_frozen_before_the_root_has_come(program, end):
    send(program, child({"openinference.span.kind": "LLM", "llm.model_name": "caremate-4"}))
    assert end() == 0

    send(program, span(ANSWER))
    assert end() == 1
    assert records()[0]["model"] == "caremate-4"


def test_the_order_in_which_spans_come_does_not_matter(program, end):
    kinds = [{"openinference.span.kind": "LLM", "llm.model_name": f"model-{number}"} for number in range(3)]
    spans = [span(ANSWER), *(child(each, number) for number, each in enumerate(kinds))]
    for number, order in enumerate((spans, spans[::-1])):
        for each in order:
            each.trace_id = bytes([number + 1]) * 16
            send(program, each)
    end()

    first, second = records()
    assert first["model"] == second["model"] == "model-2"


def test_a_trace_sent_twice_is_one_snapshot_and_no_finding(program, end):
    spans = span(ANSWER), child()
    send(program, *spans)
    send(program, *spans)
    end()
    for content_type in (PROTOBUF, JSON):
        assert send(program, *spans, content_type=content_type).status_code == 200
    end()

    assert Snapshot.objects.count() == 1
    assert Trace.objects.get().late_count == 0
    assert "spans.late" not in {event["action"] for event in events()}


def test_a_trace_sent_again_after_it_was_forgotten_is_the_snapshot_there_is(program, end):
    send(program, span(ANSWER))
    end()
    Trace.objects.all().delete()

    send(program, span(ANSWER))
    end()

    assert Trace.objects.get().snapshot == Snapshot.objects.get()


def test_another_trace_of_the_same_id_changes_nothing_once_the_first_is_forgotten(program, end):
    send(program, span(ANSWER))
    end()
    Trace.objects.all().delete()

    send(program, span(ANSWER | {"output.value": "Your risk is low."}))
    end()

    trace = Trace.objects.get()
    assert (trace.state, trace.snapshot) == ("refused", None)
    assert trace.reason == "Refused: id: a snapshot of this id has another content; it is not changed."
    assert records()[0]["response"] == "Your risk is elevated."


def test_spans_that_come_late_are_a_finding_on_the_snapshot(program, end, alice):
    send(program, span(ANSWER))
    end()

    assert accepted(send(program, child())) == (0, "")
    send(program, child(number=1), child(number=2))

    snapshot = Snapshot.objects.get()
    page = sign_in(alice).get(f"/items/{snapshot.pk}/").content.decode()
    assert "3 spans of its trace came after the answer was frozen, and are not part of it." in page
    (event,) = [each for each in events() if each["action"] == "spans.late"]
    assert (event["object"]["id"], event["details"]) == (str(snapshot.pk), {"trace": TRACE.hex(), "spans": 1})
    assert not WaitingSpans.objects.exists()


def test_half_a_trace_waits_for_ten_minutes_and_is_no_turn(program, end):
    send(program, child(ANSWER))
    assert end(by=LONGEST / 2) == 0
    assert end(by=LONGEST / 2) == 1

    trace = Trace.objects.get()
    assert (trace.state, trace.reason) == (
        "no_turn",
        "No turn: its root did not come in time. Set footnote.turn on the span that has the answer.",
    )
    assert not Snapshot.objects.exists()
    assert not WaitingSpans.objects.exists()


def test_a_trace_whose_spans_never_end_is_frozen_after_ten_minutes(program, organisation, end):
    send(program, span(ANSWER))
    Trace.objects.update(first_at=timezone.now() - LONGEST)

    assert freeze(organisation.pk, timezone.now()) == 1
    assert Snapshot.objects.exists()


def test_the_span_that_says_so_is_the_turn_though_the_root_is_elsewhere(program, end):
    send(program, child(ANSWER | {"footnote.turn": True}))

    assert end() == 1
    assert records()[0]["response"] == "Your risk is elevated."


def test_a_trace_without_an_answer_is_no_turn(program, end):
    send(program, span({"http.route": "/health"}))
    end()

    assert Trace.objects.get().reason.startswith("No turn: its root has no answer.")
    assert not Snapshot.objects.exists()


def test_the_same_trace_id_of_another_organisation_is_another_trace(program, end, organisation):
    other = make_organisation("Elsewhere")
    for each in (program, program_of(other)):
        send(each, span(ANSWER))
    end()

    assert Snapshot.objects.filter(organisation=organisation).count() == 1
    assert Trace.objects.filter(organisation=organisation).count() == 1


def test_spans_of_one_trace_may_come_from_services_with_keys_of_their_own(organisation, end):
    first, second = program_of(organisation), program_of(organisation)
    send(first, child({"openinference.span.kind": "LLM", "llm.model_name": "caremate-4"}))
    send(second, span(ANSWER))

    assert end() == 1
    assert records()[0]["model"] == "caremate-4"


def test_the_record_names_every_key_whose_spans_are_in_it(organisation, end, alice):
    """The event of freezing names the key that sent the first span, and any of them may have given the answer."""
    first, second = program_of(organisation), program_of(organisation)
    send(first, span(ANSWER))
    send(second, child({"footnote.turn": True, "footnote.response": "Your risk is low."}))
    end()

    (made,), keys = records(), sorted(str(key) for key in ServiceKey.objects.values_list("pk", flat=True))
    assert made["trace"]["keys"] == keys
    assert "Its spans came with several service keys" in sign_in(alice).get(f"/items/{Snapshot.objects.get().pk}/").text


def test_a_span_that_another_key_sent_before_under_its_identifier_is_kept_and_told(organisation, end):
    """Services below a span are told its identifier: one of them must not make the span disappear by sending it first."""
    first, second = program_of(organisation), program_of(organisation)
    send(first, span({"output.value": "Your risk is low."}))
    for _ in range(2):
        assert accepted(send(second, span(ANSWER))) == (0, "")
    assert Trace.objects.get().span_count == 2
    end()

    (made,) = records()
    assert made["trace"]["keys"] == sorted(str(key) for key in ServiceKey.objects.values_list("pk", flat=True))
    assert "several_keys" in made["trace"]["findings"]


BEFORE = {
    "no_turn": span({"http.route": "/"}, span_id=b"\7" * 8),
    "refused": span(ANSWER | {"footnote.completeness": "half"}, span_id=b"\7" * 8),
}


@pytest.mark.parametrize("state", BEFORE)
def test_an_answer_that_comes_after_its_trace_ended_without_one_is_frozen(program, organisation, end, alice, state):
    other = program_of(organisation)
    send(other, BEFORE[state])
    end()
    send(other, child())
    assert Trace.objects.get().state == state

    assert accepted(send(program, span(ANSWER))) == (0, "")
    waiting = Trace.objects.get()
    assert (waiting.state, waiting.reason, waiting.ended_at) == ("waiting", "", None)
    end()

    trace, (made,) = Trace.objects.get(), records()
    assert (trace.state, trace.span_count, trace.late_count) == ("frozen", 3, 0)
    assert made["response"] == "Your risk is elevated."
    assert FINDING_WORDS[TraceFinding.REST_ONLY] in sign_in(alice).get(f"/items/{Snapshot.objects.get().pk}/").text


def test_a_key_alone_is_named_by_the_event(program, end):
    send(program, span(ANSWER))
    send(program, child())
    end()

    assert "keys" not in records()[0]["trace"]


def test_a_key_with_too_much_waiting_is_asked_to_come_back_and_nothing_is_stored(program, monkeypatch):
    monkeypatch.setattr(actions, "MOST_TRACES_WAITING", 1)
    send(program, span(ANSWER))

    response = send(program, span(ANSWER, trace_id=b"\7" * 16))

    assert (response.status_code, response["Retry-After"]) == (429, "5")
    assert Trace.objects.count() == 1


def test_the_bytes_that_wait_are_bounded_too(program, monkeypatch):
    monkeypatch.setattr(actions, "MOST_BYTES_WAITING", 10)

    assert send(program, span(ANSWER)).status_code == 429
    assert not Trace.objects.exists()


def test_a_trace_that_is_too_large_keeps_what_came_first(program, end, monkeypatch):
    monkeypatch.setattr(actions, "MOST_SPANS_A_TRACE", 2)

    refused, reason = accepted(send(program, span(ANSWER), child(), child(number=1)))

    assert (refused, reason[:18]) == (1, "a trace has more t")
    end()
    assert Trace.objects.get().span_count == 2


def test_a_key_without_the_scope_may_send_nothing(organisation):
    assert send(program_of(organisation, "read"), span(ANSWER)).status_code == 403


def test_old_traces_are_forgotten_and_snapshots_keep_theirs(program, end, organisation):
    send(program, span(ANSWER), span({}, trace_id=b"\7" * 16))
    end()

    actions.forget_old(timezone.now())
    assert Trace.objects.count() == 2
    actions.forget_old(timezone.now() + LONGEST * 6 * 24 * 8)

    trace = Trace.objects.get()
    assert (trace.state, trace.outline) == ("frozen", [])


def test_the_traces_of_one_key_do_not_wait_for_all_of_another(organisation, program, monkeypatch):
    """Thousands fit into a request, and a small one can take the engine a second: those of others waited for hours."""
    monkeypatch.setattr(actions, "_BATCH", 2)
    for number in range(1, 5):
        send(program, span(ANSWER, trace_id=bytes([number]) * 16))
    age()
    send(program_of(organisation), span(ANSWER, trace_id=bytes([9]) * 16))
    age()

    assert actions.freeze_batch(organisation_id=organisation.pk, now=timezone.now()) == 2
    assert {each.external_id[-2:] for each in Snapshot.objects.all()} == {"01", "09"}
    assert freeze(organisation.pk, timezone.now()) == 3
