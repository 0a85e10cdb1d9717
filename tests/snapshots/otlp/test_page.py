"""The page of traces: how they came and what they became, in names and without a value."""

from __future__ import annotations

import pytest
from django.utils import timezone

from reviewers.review.models import QueueItem
from reviewers.snapshots.models import Snapshot
from reviewers.snapshots.otlp.queries import MOST_SHOWN
from tests.api.sending import post, program_of
from tests.factories import make_member, make_organisation, make_record, sign_in
from tests.review.plans.planning import run_blind
from tests.review.redacting.redactable import redact
from tests.snapshots.otlp.tracing import age, child, freeze, send, span

pytestmark = pytest.mark.django_db

PAGE = "/settings/traces/"
SECRET = "the-owl-of-quillbrook"
ANSWER = {"output.value": f"Ask {SECRET}.", "user.id": SECRET, "footnote.contxt": SECRET, SECRET + "!": 1}


@pytest.fixture
def program(organisation):
    return program_of(organisation)


def end(organisation) -> None:
    age()
    freeze(organisation.pk, timezone.now())


def page_of(member) -> str:
    return sign_in(member).get(PAGE).content.decode()


@pytest.mark.parametrize("role", ["lead", "auditor", "administrator"])
def test_it_shows_how_a_trace_came_and_what_it_became(program, organisation, role):
    send(program, span(ANSWER, name="answer the client"), child({"openinference.span.kind": "LLM"}, name="chat caremate-4"))
    end(organisation)

    page = page_of(make_member(organisation, role))

    assert "No context in this trace: set footnote.context, or llm.prompt_template.variables." in page
    assert "<code>footnote.contxt</code>" in page
    for words in ("caremate", "A snapshot", "answer the client", "chat caremate-4", "LLM", "<code>output.value</code>"):
        assert words in page
    assert (f"/items/{Snapshot.objects.get().pk}/" in page) == (role != "administrator")
    assert SECRET not in page


def test_it_shows_what_waits_and_what_was_no_turn_or_refused(program, organisation):
    send(program, span({}, trace_id=b"\1" * 16), span(ANSWER | {"footnote.turn_index": -1}, trace_id=b"\2" * 16))
    end(organisation)
    send(program, child(trace_id=b"\3" * 16))

    page = page_of(make_member(organisation, "lead"))

    assert "Waiting for spans" in page
    assert "No turn: its root has no answer." in page
    assert "Refused: turn_index: must be a whole number from 0 to 2147483647." in page


def test_it_shows_the_last_ones(program, organisation):
    send(program, *(span({}, trace_id=bytes([number]) * 16) for number in range(1, MOST_SHOWN + 3)))

    traces = sign_in(make_member(organisation, "lead")).get(PAGE).context["traces"]

    assert len(traces) == MOST_SHOWN


def test_it_shows_nothing_of_another_organisation(program, organisation):
    send(program, span(ANSWER))

    assert "No trace has come yet." in page_of(make_member(make_organisation("Elsewhere"), "lead"))


def test_a_name_that_could_be_a_text_is_not_shown(program, organisation):
    send(program, span({"output.value": "Yes.", f"{SECRET} 1": 1}, name=f"{SECRET}@example.org"))
    end(organisation)

    assert SECRET not in page_of(make_member(organisation, "lead"))


def test_a_redaction_leaves_no_name_of_a_span(program, organisation):
    """A program may name a span by what somebody said."""
    send(program, span({"output.value": "Ask.", "input.value": "am I Ada Quill"}, name="am I Ada Quill"))
    end(organisation)
    lead, administrator = (make_member(organisation, role) for role in ("lead", "administrator"))
    assert "am I Ada Quill" in page_of(lead)

    redact(QueueItem.objects.get(), ["user_text"], lead, administrator)

    assert "Ada Quill" not in page_of(lead)


def test_findings_about_the_trace_are_on_the_page_of_the_answer(program, organisation, alice):
    send(program, span(ANSWER))
    end(organisation)

    page = sign_in(alice).get(f"/items/{Snapshot.objects.get().pk}/").content.decode()

    assert "No context in this trace: set footnote.context, or llm.prompt_template.variables." in page


@pytest.mark.parametrize("trace", [{"findings": ["<b>no</b>", "no_context"]}, {"findings": "no"}, "no", [1], 7, None])
def test_a_record_that_is_sent_may_hold_anything_under_that_name(program, organisation, alice, trace):
    sent = post(program, make_record(trace=trace))

    response = sign_in(alice).get(f"/items/{sent.json()['id']}/")

    assert response.status_code == 200
    assert "<b>no</b>" not in response.content.decode()


def test_a_trace_of_an_answer_under_blind_review_tells_no_names_of_attributes(program, organisation):
    send(program, span(ANSWER | {"footnote.citations": "[]"}, name="answer the client"))
    end(organisation)
    lead, auditor = (make_member(organisation, role) for role in ("lead", "auditor"))
    told = ("footnote.citations", "footnote.contxt", "<code>output.value</code>", "answer the client")
    assert all(words in page_of(lead) for words in told)

    run_blind(lead)

    page = page_of(lead)
    assert not any(words in page for words in told)
    assert "its attributes are shown once all reviews are in" in page
    assert "A snapshot" in page
    assert all(words in page_of(auditor) for words in told)
