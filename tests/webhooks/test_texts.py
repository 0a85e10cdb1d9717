"""Protected text in messages: to marked endpoints only, as programs may read it, with an event before each sending, stored nowhere."""

from __future__ import annotations

import json

import pytest
from django.db import IntegrityError, transaction

from reviewers.accounts.texts import MATRIX, Surface, TextViewer
from reviewers.ledger.verification.organisation import verify
from reviewers.review.models import FlagKind
from reviewers.review.queries import load_item
from reviewers.review.talk.flags import FlagChoice, put_flag
from reviewers.webhooks import messages
from reviewers.webhooks.messages import body_with_text
from reviewers.webhooks.models import Delivery, Endpoint, EventKind
from tests.events import events
from tests.factories import BOTH, NOW, make_item, make_member, sign_in, without_proofs
from tests.ledger.sealed import seal_now
from tests.protected_text.canaries import CANARIES
from tests.protected_text.canaries import RECORD as WITH_CANARIES
from tests.quality.alarmed import make_alarm
from tests.review.plans.planning import run_blind
from tests.review.redacting.redactable import RECORD, lead_and_administrator, names_of, redact
from tests.webhooks.endpoints import choose, make_endpoint, send_due
from tests.webhooks.receivers import answering

pytestmark = pytest.mark.django_db

FORM = {"address": "https://desk.example.org/hook", "kinds": ["flag.raised"]}
CONTRADICTING = {"response": "As you are at low risk, two weeks will do [[SF:risk_level]].", "user_text": "how soon, marzipan?"}


@pytest.fixture
def admin(organisation):
    return sign_in(make_member(organisation, "administrator"))


def data_of(receiver) -> list[dict[str, object]]:
    return [json.loads(message.body)["data"] for message in receiver.came]


def flag(item, by) -> None:
    """Flag the first word of the answer."""
    choice = FlagChoice(item.pk, item.attribution_id, FlagKind.WORDS, words=load_item(by, item.pk).unmarked.text.split()[0])
    put_flag(choice=choice, note="look at the flugelhorn", by=by, now=NOW)


@pytest.mark.parametrize("marked", [True, False])
def test_an_administrator_marks_an_endpoint_once_and_the_event_and_both_pages_tell(admin, marked):
    admin.post("/settings/webhooks/add/", FORM | ({"includes_text": "on"} if marked else {}))

    endpoint = Endpoint.objects.get()
    assert endpoint.includes_text is marked
    assert [each["details"] for each in events("endpoint.added")] == [{"kinds": ["flag.raised"], "text": marked}]
    assert ("with protected text" in admin.get("/settings/webhooks/").text) is marked
    page = admin.get(f"/settings/webhooks/{endpoint.pk}/").text
    assert ("The question and the answer" in page, "None: no text" in page) == (marked, not marked)


def test_without_a_proof_none_is_marked(organisation):
    without_proofs(make_member(organisation, "administrator")).post("/settings/webhooks/add/", FORM | {"includes_text": "on"})

    assert not Endpoint.objects.exists()


def test_mail_can_never_have_text(organisation, alice):
    endpoint = choose(alice, EventKind.FLAG)
    endpoint.includes_text = True

    with pytest.raises(IntegrityError, match="endpoint_over_https_or_a_member"), transaction.atomic():
        endpoint.save()


def test_a_marked_endpoint_gets_question_and_answer_and_another_one_nothing(receiver, organisation, alice):
    marked, plain = (make_endpoint(organisation, receiver.url, [EventKind.FLAG], includes_text=each)[0] for each in (True, False))
    item = make_item(organisation, user_text="who [[SF:risk_level]] is there?", **BOTH)
    flag(item, alice)

    send_due(marked)
    send_due(plain)

    told, untold = data_of(receiver)
    assert set(told) - set(untold) == {"text"}
    assert told["text"]["question"] == "who is there?"
    assert told["text"]["answer"].startswith("Your risk is ")
    assert "[[" not in told["text"]["answer"]
    assert told["text"]["is_cut"] is False
    assert [(each["object"]["id"], each["details"]["endpoint"]) for each in events("text.sent")] == [(str(item.pk), str(marked.pk))]
    assert not any("risk is" in body for body in Delivery.objects.values_list("body", flat=True))
    seal_now(organisation.pk)
    verify(organisation_id=organisation.pk)


def test_only_the_kinds_of_the_table_are_sent(receiver, organisation, alice):
    endpoint, _ = make_endpoint(organisation, receiver.url, [EventKind.FLAG], includes_text=True)
    item = make_item(organisation, **WITH_CANARIES)
    flag(item, alice)

    send_due(endpoint)

    sent = receiver.came[0].body.decode().lower()
    found = {kind for kind, words in CANARIES.items() if any(word.lower() in sent for word in words)}
    assert found == MATRIX[Surface.WEBHOOK][TextViewer.PROGRAM]


def test_the_event_is_there_before_anything_is_sent(receiver, organisation, alice):
    endpoint, _ = make_endpoint(organisation, receiver.url, [EventKind.FLAG], includes_text=True)
    flag(make_item(organisation), alice)
    receiver.reply = answering(500)

    send_due(endpoint)

    assert [each["action"] for each in events() if each["action"] in ("text.sent", "delivery.attempted")] == [
        "text.sent",
        "delivery.attempted",
    ]


def test_who_opened_what_lists_it(receiver, organisation, alice, admin):
    endpoint, _ = make_endpoint(organisation, receiver.url, [EventKind.FLAG], includes_text=True)
    flag(make_item(organisation), alice)
    send_due(endpoint)

    assert "sent to a webhook endpoint the text of" in admin.get("/access/").text


def test_nothing_of_an_answer_under_blind_review_is_sent(receiver, organisation):
    endpoint, _ = make_endpoint(organisation, receiver.url, [EventKind.CONTRADICTION], includes_text=True)
    make_item(organisation, **CONTRADICTING, model="blind")
    run_blind(make_member(organisation, "lead"), candidates={"facets": {"model": ["blind"]}})
    make_item(organisation, **CONTRADICTING, model="open")

    send_due(endpoint)

    assert ["text" in each for each in data_of(receiver)] == [True]
    assert len(events("text.sent")) == 1


def test_what_was_redacted_is_sent_as_bars(receiver, organisation, alice):
    endpoint, _ = make_endpoint(organisation, receiver.url, [EventKind.FLAG], includes_text=True)
    item = make_item(organisation, **RECORD)
    flag(item, alice)
    people = lead_and_administrator(alice)
    redact(item, names_of(item, people[0], "response", "user_text"), *people)

    send_due(endpoint)

    (told,) = data_of(receiver)
    assert set("".join((told["text"]["question"], told["text"]["answer"]))) <= {"█"}


def test_a_message_about_no_answer_has_no_text(receiver, organisation):
    endpoint, _ = make_endpoint(organisation, receiver.url, [EventKind.ALARM], includes_text=True)
    make_alarm(organisation)

    send_due(endpoint)

    assert "text" not in data_of(receiver)[0]
    assert not events("text.sent")


def test_very_long_text_is_cut_and_says_so(organisation, alice, monkeypatch):
    make_endpoint(organisation, kinds=[EventKind.FLAG], includes_text=True)
    flag(make_item(organisation, user_text="x" * 100), alice)
    monkeypatch.setattr(messages, "LONGEST_TEXT", 30)

    told = json.loads(body_with_text(Delivery.objects.get(), NOW))["data"]["text"]

    assert (told["question"], len(told["answer"]), told["is_cut"]) == ("x" * 30, 30, True)
