"""Deliveries: written with what happened, signed, sent to a real receiver, tried again, and given up after a day."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from ipaddress import ip_address

import pytest
from django.db import transaction
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from reviewers.accounts.policies import Refused
from reviewers.ledger.models import AuditEvent
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.ledger.verification.organisation import verify
from reviewers.review.models import FlagKind, Verdict
from reviewers.review.talk.flags import FlagChoice, put_flag
from reviewers.webhooks import actions, jobs
from reviewers.webhooks.addresses import may_be_sent_to
from reviewers.webhooks.models import Attempt, Delivery, DueDelivery, Endpoint, EventKind
from reviewers.webhooks.queries import find_endpoint, list_deliveries
from tests.factories import NOW, choose_finding, flag_finding, make_item, make_member, make_organisation
from tests.ledger.sealed import seal_now
from tests.quality.alarmed import make_alarm
from tests.review.deciding.cases import BRIEF
from tests.review.plans.planning import review, run_blind
from tests.webhooks.endpoints import make_delivery, make_due, make_endpoint, send_due
from tests.webhooks.receivers import Exchange, announcing, answering, never, unencrypted

pytestmark = pytest.mark.django_db


def attempts() -> list[tuple[int | None, str]]:
    return list(Attempt.objects.order_by("id").values_list("status", "reason"))


def late(exchange: Exchange) -> None:
    """Take the message after a while."""
    time.sleep(0.6)
    answering(204)(exchange)


def waiting_jobs() -> list[tuple[str, str]]:
    """The lock and the endpoint of each job that waits to send something."""
    return [(each.lock, each.args["endpoint"]) for each in ProcrastinateJob.objects.filter(task_name=jobs.send_due.name)]


def values_of(delivery: Delivery) -> dict[str, object]:
    """The values of a delivery, but for its identifier."""
    return {field.attname: getattr(delivery, field.attname) for field in Delivery._meta.concrete_fields if not field.primary_key}


def state_of(endpoint: Endpoint) -> list[str]:
    return [each.state for each in list_deliveries(find_endpoint(endpoint.organisation, endpoint.pk))]


def test_an_alarm_is_delivered_with_a_signature_that_its_owner_can_check(receiver, organisation):
    endpoint, secret = make_endpoint(organisation, receiver.url)
    alarm = make_alarm(organisation)

    send_due(endpoint)

    (message,) = receiver.came
    delivery = Delivery.objects.get()
    assert (message.path, message.id) == ("/hook?from=footnote", str(delivery.pk))
    told = {"id": str(alarm.pk), "page": "http://127.0.0.1:8000/quality/"}
    assert json.loads(message.body) == {"type": "alarm.raised", "timestamp": "2026-03-04T09:30:00.000Z", "data": told}
    signed = f"{message.id}.{message.headers['webhook-timestamp']}.".encode() + message.body
    digest = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), signed, hashlib.sha256).digest()
    assert message.headers["webhook-signature"] == f"v1,{base64.b64encode(digest).decode()}"
    assert abs(int(message.headers["webhook-timestamp"]) - time.time()) < 60
    assert (attempts(), DueDelivery.objects.count(), state_of(endpoint)) == ([(204, "")], 0, ["delivered"])


def test_a_delivery_is_written_with_what_happened_or_not_at_all(organisation):
    make_endpoint(organisation)

    with transaction.atomic():
        make_alarm(organisation)
        assert Delivery.objects.count() == 1
        transaction.set_rollback(True)

    assert (Delivery.objects.count(), waiting_jobs()) == (0, [])


def test_one_job_of_an_organisation_runs_and_one_waits_for_each_endpoint(organisation, django_capture_on_commit_callbacks):
    for number in range(3):
        make_endpoint(organisation, f"https://desk-{number}.example.org/hook")

    for model in ("model-a", "model-b"):
        with django_capture_on_commit_callbacks(execute=True):
            make_alarm(organisation, model=model)

    assert Delivery.objects.count() == 6
    assert [lock for lock, _ in waiting_jobs()] == [f"webhooks {organisation.pk}"] * 3
    assert {endpoint for _, endpoint in waiting_jobs()} == {str(pk) for pk in Endpoint.objects.values_list("pk", flat=True)}


def test_a_job_whose_turn_is_over_leaves_the_rest_to_another(receiver, organisation, monkeypatch, django_capture_on_commit_callbacks):
    endpoint, _ = make_endpoint(organisation, receiver.url)
    for model in ("model-a", "model-b"):
        make_alarm(organisation, model=model)
    monkeypatch.setattr(jobs, "_LONGEST_TURN", 0.5)
    receiver.reply = late

    with django_capture_on_commit_callbacks(execute=True):
        send_due(endpoint)

    assert (len(receiver.came), DueDelivery.objects.count()) == (1, 1)
    assert waiting_jobs() == [(f"webhooks {organisation.pk}", str(endpoint.pk))]


@pytest.mark.parametrize("address", ["fec0::1", "192.0.0.8", "192.88.99.1", "64:ff9b::a00:1", "2002:a00:1::"])
def test_networks_for_special_purposes_are_not_public(address):
    assert not may_be_sent_to(ip_address(address))


def test_only_what_an_endpoint_asks_for_and_only_of_its_organisation_is_delivered(organisation):
    make_endpoint(organisation, kinds=[EventKind.CONFLICT])
    make_endpoint(make_organisation("Elsewhere Clinic"))

    make_alarm(organisation)

    assert not Delivery.objects.exists()


def test_nothing_of_an_answer_under_blind_review_is_sent_before_all_reviews_are_in(
    receiver, organisation, django_capture_on_commit_callbacks
):
    endpoint, _ = make_endpoint(organisation, receiver.url, [EventKind.FLAG, EventKind.CONFLICT])
    item = make_item(organisation, **BRIEF, model="blind")
    run_blind(make_member(organisation, "lead"), candidates={"facets": {"model": ["blind"]}})
    una, vera = make_member(organisation, name="Una Ulm"), make_member(organisation, name="Vera Voss")
    flagged = FlagChoice(item.pk, item.attribution_id, FlagKind.WORDS, words=BRIEF["response"].split()[0])
    with django_capture_on_commit_callbacks(execute=True):
        put_flag(choice=flagged, note="look at this", by=una, now=NOW)
        review(item, una, Verdict.CORRECT)
        jobs.look_for_due(0)
    send_due(endpoint)
    assert (receiver.came, state_of(endpoint)) == ([], ["held back"])
    assert not AuditEvent.objects.filter(action__startswith="delivery.").exists()
    assert not waiting_jobs()

    with django_capture_on_commit_callbacks(execute=True):
        review(item, vera, Verdict.WRONG)
    assert len(waiting_jobs()) == 1
    send_due(endpoint)
    assert [json.loads(each.body)["type"] for each in receiver.came] == ["flag.raised", "conflict.found"]
    assert state_of(endpoint) == ["delivered", "delivered"]


def test_a_delivery_has_no_event_before_it_is_sent_and_is_committed_to_from_then_on(receiver, organisation):
    endpoint, _ = make_endpoint(organisation, receiver.url)
    make_alarm(organisation)
    seal_now(organisation.pk)
    verify(organisation_id=organisation.pk)
    assert not AuditEvent.objects.filter(action__startswith="delivery.").exists()

    send_due(endpoint)
    delivery = Delivery.objects.get()
    told = json.loads(bytes(AuditEvent.objects.get(action="delivery.attempted").body))["rows"]
    assert [each["id"] for each in told] == [str(delivery.pk), str(Attempt.objects.get().pk)]
    seal_now(organisation.pk)
    verify(organisation_id=organisation.pk)

    Delivery.objects.bulk_create([Delivery(**values_of(delivery))])
    with pytest.raises(LedgerMismatch, match="does not wait to be sent"):
        verify(organisation_id=organisation.pk)


def test_a_flag_is_delivered_without_a_word_of_its_note_or_of_the_answer(receiver, organisation):
    endpoint, _ = make_endpoint(organisation, receiver.url)
    item = make_item(organisation)
    flag_finding(choice=choose_finding(item, "over_cited"), note="look", by=make_member(organisation), now=NOW)

    send_due(endpoint)

    (message,) = receiver.came
    assert json.loads(message.body)["data"] == {"id": str(item.pk), "page": f"http://127.0.0.1:8000/items/{item.pk}/"}


@pytest.mark.parametrize(
    ("reply", "status", "reason"),
    [
        (answering(500), 500, "The endpoint answered 500"),
        (answering(401), 401, "The endpoint answered 401"),
        (answering(302, {"Location": "http://169.254.169.254/"}), 302, "The endpoint points to another address, which is not followed"),
        (answering(307, {"Location": "/hook"}), 307, "The endpoint points to another address, which is not followed"),
    ],
)
def test_a_refusal_is_tried_again_with_the_same_identifier(receiver, organisation, reply, status, reason):
    endpoint, _ = make_endpoint(organisation, receiver.url)
    make_alarm(organisation)
    receiver.reply = reply

    send_due(endpoint)
    send_due(endpoint)
    assert (len(receiver.came), attempts(), state_of(endpoint)) == (1, [(status, reason)], ["waiting"])

    make_due(endpoint)
    receiver.reply = answering(200)
    send_due(endpoint)
    first, second = receiver.came
    assert (first.id, first.body) == (second.id, second.body)
    assert state_of(endpoint) == ["delivered"]


def test_a_slow_endpoint_is_left_after_its_time(receiver, organisation, settings):
    settings.WEBHOOK_TIMEOUT = 1
    endpoint, _ = make_endpoint(organisation, receiver.url)
    make_alarm(organisation)
    receiver.reply = never

    send_due(endpoint)

    assert attempts() == [(None, "The endpoint did not answer within 1 s")]


@pytest.mark.parametrize("reply", [unencrypted, announcing, answering(200, {"X-Long": "x" * 100_000})], ids=["broken", "endless", "long"])
def test_whatever_an_endpoint_does_is_a_failed_attempt_that_costs_little(receiver, organisation, reply):
    endpoint, _ = make_endpoint(organisation, receiver.url)
    make_alarm(organisation)
    receiver.reply = reply

    before = time.thread_time()
    send_due(endpoint)

    assert time.thread_time() - before < 1
    assert (attempts(), state_of(endpoint)) == ([(None, "The connection to the endpoint broke off")], ["waiting"])


def test_an_answer_may_be_announced(receiver, organisation):
    endpoint, _ = make_endpoint(organisation, receiver.url)
    make_alarm(organisation)

    def reply(exchange):
        exchange.wfile.write(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
        answering(202)(exchange)

    receiver.reply = reply
    send_due(endpoint)

    assert attempts() == [(202, "")]


def test_an_error_of_ours_is_an_attempt_as_well_and_keeps_nothing_else_waiting(receiver, organisation):
    endpoint, _ = make_endpoint(organisation, receiver.url)
    make_alarm(organisation)
    Endpoint.objects.update(sealed_secret="of another key")

    send_due(endpoint)

    assert (attempts(), state_of(endpoint)) == ([(None, "Not sent: an error ended the attempt")], ["waiting"])


def test_the_endpoint_says_how_long_it_wants_to_be_left_alone(receiver, organisation):
    endpoint, _ = make_endpoint(organisation, receiver.url)
    make_alarm(organisation)
    receiver.reply = answering(503, {"Retry-After": "500"})

    send_due(endpoint)

    assert 450 < (DueDelivery.objects.get().due_at - timezone.now()).total_seconds() <= 500


def test_after_a_day_a_delivery_is_given_up_and_the_endpoint_goes_off(receiver, organisation):
    endpoint, _ = make_endpoint(organisation, receiver.url)
    make_alarm(organisation)
    receiver.reply = answering(500)

    waits = []
    for _ in range(len(jobs.RETRY_WAITS) + 2):
        send_due(endpoint)
        waits += [round((each.due_at - timezone.now()).total_seconds() / 60) for each in DueDelivery.objects.all()]
        make_due(endpoint)

    assert waits == [1, 5, 30, 120, 240, 360, 720]
    assert (len(receiver.came), state_of(endpoint)) == (8, ["given up"])
    endpoint.refresh_from_db()
    assert endpoint.off_reason == "failing"
    make_alarm(organisation, model="model-b")
    assert Delivery.objects.count() == 1


def test_410_switches_the_endpoint_off_and_what_waits_is_sent_once_it_is_on(receiver, organisation):
    endpoint, _ = make_endpoint(organisation, receiver.url)
    for model in ("model-a", "model-b"):
        make_alarm(organisation, model=model)
    receiver.reply = answering(410)

    send_due(endpoint)
    make_due(endpoint)
    send_due(endpoint)

    assert (attempts(), state_of(endpoint)) == ([(410, "The endpoint answered 410")], ["waiting", "given up"])
    endpoint.refresh_from_db()
    assert endpoint.off_reason == "gone"
    last = json.loads(bytes(AuditEvent.objects.order_by("id").last().body))
    assert (last["action"], last["details"], last["actor"]["kind"]) == ("endpoint.switched", {"on": False, "reason": "gone"}, "system")

    receiver.reply = answering(200)
    actions.switch_endpoint(endpoint_id=endpoint.pk, on=True, by=make_member(organisation, "administrator"), now=NOW)
    send_due(endpoint)
    assert state_of(endpoint) == ["delivered", "given up"]


def test_a_delivery_is_sent_again_with_its_identifier_and_body(receiver, organisation):
    delivery = make_delivery(organisation, receiver.url)
    admin = make_member(organisation, "administrator")

    actions.send_again(delivery_id=delivery.pk, by=admin, now=NOW)
    with pytest.raises(Refused):
        actions.send_again(delivery_id=delivery.pk, by=admin, now=NOW)
    send_due(delivery.endpoint)

    (message,) = receiver.came
    assert (message.id, message.body) == (str(delivery.pk), delivery.body.encode())


@pytest.mark.parametrize("networks", [[], ["10.0.0.0/8"]], ids=["none", "another"])
def test_a_name_that_leads_into_a_private_network_is_sent_nothing(receiver, organisation, settings, networks):
    settings.WEBHOOK_NETWORKS = networks
    endpoint, _ = make_endpoint(organisation, receiver.url)
    make_alarm(organisation)

    send_due(endpoint)

    ((status, reason),) = attempts()
    assert (status, receiver.came) == (None, [])
    assert reason.startswith("Not sent: ")
    assert "private network" in reason


def test_a_name_that_has_moved_into_a_private_network_is_refused_at_the_next_sending(receiver, organisation, monkeypatch):
    endpoint, _ = make_endpoint(organisation, receiver.url.replace("localhost", "desk.example.org"))
    make_alarm(organisation)
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("10.0.0.1", 443))])

    send_due(endpoint)

    assert attempts() == [(None, "Not sent: its name leads into a private network, where nothing is sent")]


def test_a_certificate_of_another_is_not_taken(receiver, organisation, monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE")
    endpoint, _ = make_endpoint(organisation, receiver.url)
    make_alarm(organisation)

    send_due(endpoint)

    assert (attempts(), receiver.came) == ([(None, "The endpoint's certificate does not hold")], [])


def test_verify_accounts_for_endpoints_and_deliveries(organisation):
    delivery = make_delivery(organisation)
    endpoint = delivery.endpoint
    actions.switch_endpoint(endpoint_id=endpoint.pk, on=False, by=make_member(organisation, "administrator"), now=NOW)
    seal_now(organisation.pk)
    verify(organisation_id=organisation.pk)

    Endpoint.objects.update(address="https://elsewhere.example.org/")
    with pytest.raises(LedgerMismatch, match="address"):
        verify(organisation_id=organisation.pk)
