"""A record repeats earlier turns as the model wrote them: it tells nothing of a turn that its reader reviews blind."""

from __future__ import annotations

import json

import pytest
from django.test import Client
from django.utils import timezone

from reviewers.accounts.models import Scope
from reviewers.review.models import QueueItem
from reviewers.review.redaction.repetitions import repetitions_of
from reviewers.snapshots.redactable_parts import REST
from tests.api.sending import program_of
from tests.factories import BOTH, CONTEXT, as_seen_by, make_item, make_key, sign_in
from tests.review.plans.planning import label_all, review, run_blind
from tests.snapshots.otlp.tracing import age, freeze, send, span

MARKER = "[[TF:fit_score]]"
EARLIER = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": BOTH["response"]}]


@pytest.fixture
def turns(organisation, lead) -> tuple[QueueItem, QueueItem]:
    """A turn under blind review, and the next one of its conversation, which is not."""
    return drawn(organisation, lead, earlier_turns=EARLIER)


def drawn(organisation, lead, **more) -> tuple[QueueItem, QueueItem]:
    first = make_item(organisation, **BOTH | {"conversation_id": "talk", "model": "model-a"})
    later = make_item(organisation, **{"conversation_id": "talk", "model": "model-b", "response": "Nothing more."} | more)
    run_blind(lead, candidates={"facets": {"model": ["model-a"]}})
    first.refresh_from_db()
    return first, later


def record_of(member, item) -> tuple[int, str]:
    response = sign_in(member).get(f"/items/{item.pk}/record/")
    return response.status_code, response.content.decode()


def test_the_record_of_a_later_turn_waits_for_the_review_of_the_turn_that_it_repeats(turns, bob, lead, auditor):
    first, later = turns
    for member in (bob, lead):
        status, told = record_of(member, later)
        assert (status, MARKER in told) == (403, False)
        page = sign_in(member).get(f"/items/{later.pk}/").content.decode()
        assert "may repeat another turn that you review blind" in page
        assert f"/items/{later.pk}/record/" not in page
    assert record_of(auditor, later)[0] == 200
    review(first, bob)

    status, told = record_of(bob, later)
    assert (status, MARKER in told) == (200, True)
    assert record_of(lead, later)[0] == 403


def test_programs_are_given_no_record_that_repeats_a_withheld_turn(organisation, turns, alice, bob):
    first, later = turns
    program = program_of(organisation)
    told = program.get(f"/api/v1/snapshots/{later.pk}").json()

    assert (told["record"], told["digest"]) == (None, None)
    assert "fields" in told["attribution"]
    for member in (alice, bob):
        review(first, member)
    told = program.get(f"/api/v1/snapshots/{later.pk}").json()
    assert told["record"]["earlier_turns"] == EARLIER
    assert told["digest"]


def test_a_record_of_nothing_but_what_is_read_is_shown(organisation, lead, bob):
    _, later = drawn(organisation, lead)

    assert record_of(bob, later)[0] == 200
    assert program_of(organisation).get(f"/api/v1/snapshots/{later.pk}").json()["record"]


def test_turns_of_another_conversation_are_repeated_nowhere(organisation, lead, bob):
    drawn(organisation, lead)
    other = make_item(organisation, **BOTH | {"conversation_id": "another talk", "model": "model-b", "earlier_turns": EARLIER})
    alone = make_item(organisation, **BOTH | {"conversation_id": "", "model": "model-b", "earlier_turns": EARLIER})

    assert [record_of(bob, each)[0] for each in (other, alone)] == [200, 200]


def test_a_trace_with_the_messages_of_a_conversation_tells_no_markers_of_a_blind_turn(organisation, lead, bob):
    make_item(organisation, **BOTH | {"conversation_id": "talk", "model": "model-a"})
    messages = [*EARLIER, {"role": "user", "content": "and then?"}]
    asked = {f"llm.input_messages.{n}.message.{name}": each[name] for n, each in enumerate(messages) for name in ("role", "content")}
    told = {"footnote.context": json.dumps(CONTEXT), "session.id": "talk", "llm.model_name": "model-b", "output.value": "Nothing more."}
    send(Client(headers={"Authorization": f"Bearer {make_key(organisation, Scope.INGEST)}"}), span(asked | told))
    age()
    freeze(organisation.pk, timezone.now())
    later = QueueItem.objects.get(snapshot__model="model-b")
    assert MARKER in record_of(bob, later)[1]
    run_blind(lead, candidates={"facets": {"model": ["model-a"]}})

    status, said = record_of(bob, later)
    assert (status, MARKER in said) == (403, False)


def test_no_words_are_looked_for_in_what_repeats_a_blind_turn(turns, lead):
    first, _ = turns
    label_all(first, lead, note="TF fit_score")
    note = next(each for each in as_seen_by(lead, first).labels if each.note)
    found = [part.name for each in repetitions_of(as_seen_by(lead, first), [f"note.{note.id}"], lead) for part in each.parts]

    assert REST not in found
