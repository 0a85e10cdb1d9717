"""Mail about what happened: everybody chooses their own, of what their role may read, and no word of an answer is in it."""

from __future__ import annotations

from datetime import datetime, timedelta
from smtplib import SMTPServerDisconnected
from zoneinfo import ZoneInfo

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.urls import reverse
from django.utils import timezone

from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.members.actions import change_role, end_membership
from reviewers.accounts.models import Role
from reviewers.accounts.policies import Refused
from reviewers.ledger.models import AuditEvent
from reviewers.ledger.verification.organisation import verify
from reviewers.review.models import FlagKind, Verdict
from reviewers.review.talk.flags import FlagChoice, put_flag
from reviewers.web.models import uuid7
from reviewers.webhooks import actions, jobs
from reviewers.webhooks.models import Attempt, Delivery, DueDelivery, Endpoint, EventKind, OffReason
from reviewers.webhooks.outbox import Happening, add
from reviewers.webhooks.queries import find_endpoint, list_deliveries
from tests.factories import NOW, make_item, make_member, sign_in
from tests.ledger.sealed import seal_now
from tests.quality.alarmed import make_alarm
from tests.review.deciding.cases import BRIEF
from tests.review.plans.planning import review, run_blind
from tests.webhooks.endpoints import choose, make_delivery, make_due, make_due_delivery, make_endpoint, send_due

pytestmark = pytest.mark.django_db

OF_REVIEWERS = {EventKind.CONTRADICTION, EventKind.FLAG, EventKind.ALARM, EventKind.PLAN}


class Unreachable(EmailBackend):
    """A mail server that hangs up."""

    def send_messages(self, messages):  # noqa: ARG002 — Django's
        raise SMTPServerDisconnected("went away")


def state_of(endpoint: Endpoint) -> list[str]:
    return [each.state for each in list_deliveries(find_endpoint(endpoint.organisation, endpoint.pk))]


def offered(member) -> set[str]:
    return {value for value, _ in sign_in(member).get(reverse("mail")).context["form"].fields["kinds"].choices}


def test_an_alarm_comes_by_mail_with_its_page_and_nothing_else(alice):
    endpoint = choose(alice, EventKind.ALARM)
    make_alarm(alice.organisation, model="a model named here")

    send_due(endpoint)

    (message,) = mail.outbox
    assert (message.to, message.subject) == ([alice.user.email], f"{alice.organisation.name}: An alarm of quality was raised")
    assert message.body == (
        "4 March 2026, 09:30 UTC: An alarm of quality was raised\nhttp://127.0.0.1:8000/quality/\n\n"
        "-- \nYou choose what you are told on http://127.0.0.1:8000/mail/\n"
    )
    assert (state_of(endpoint), Attempt.objects.get().status, DueDelivery.objects.count()) == (["delivered"], 250, 0)


def test_an_answer_that_contradicts_its_record_comes_by_mail_and_to_endpoints_without_a_word_of_it(alice):
    own, (hook, _) = choose(alice, EventKind.CONTRADICTION), make_endpoint(alice.organisation, kinds=[EventKind.CONTRADICTION])
    make_item(alice.organisation)
    item = make_item(alice.organisation, response="Your risk is low.", context={"safety": {"risk_level": "elevated"}})
    assert "contradicted" in item.attribution.guardrails

    send_due(own)

    assert [(each.endpoint_id, each.object_id) for each in Delivery.objects.order_by("endpoint_id")] == [
        (pk, item.pk) for pk in sorted([own.pk, hook.pk])
    ]
    (message,) = mail.outbox
    assert reverse("item", args=[item.pk]) in message.body
    assert not {"low", "elevated", "risk", "safety"} & set(message.body.lower().replace(".", " ").split())


def test_what_is_due_at_once_comes_in_one_mail(alice):
    endpoint = choose(alice, EventKind.ALARM)
    for model in ("one", "two", "three"):
        make_alarm(alice.organisation, model=model)

    send_due(endpoint)

    (message,) = mail.outbox
    assert message.subject == f"{alice.organisation.name}: 3 things happened"
    assert (message.body.count("/quality/"), state_of(endpoint)) == (3, ["delivered"] * 3)


@pytest.mark.parametrize(("hour", "day"), [(6, 4), (7, 5), (23, 5)], ids=["before the morning", "in the morning", "in the evening"])
def test_daily_mail_waits_for_the_next_morning_in_the_time_zone_of_pages(alice, hour, day):
    there = ZoneInfo("America/New_York")
    choose(alice, EventKind.ALARM, daily=True)

    with timezone.override(there):
        add([Happening(EventKind.ALARM, alice.organisation_id, uuid7(), datetime(2026, 3, 4, hour, tzinfo=there))])

    assert DueDelivery.objects.get().due_at == datetime(2026, 3, day, 7, tzinfo=there)


def test_a_mail_that_nobody_took_is_tried_again_and_given_up_after_a_day_and_the_next_one_is_sent(alice, settings):
    endpoint = choose(alice, EventKind.ALARM)
    make_alarm(alice.organisation, model="one")
    settings.EMAIL_BACKEND = f"{__name__}.Unreachable"
    for _ in range(len(jobs.RETRY_WAITS) + 1):
        assert state_of(endpoint) == ["waiting"]
        make_due(endpoint)
        send_due(endpoint)
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    make_alarm(alice.organisation, model="two")
    send_due(endpoint)

    assert state_of(endpoint) == ["delivered", "given up"]
    assert {each.reason for each in Attempt.objects.filter(status=None)} == {"The mail server did not take it"}
    assert len(mail.outbox) == 1


def test_somebody_is_told_when_an_endpoint_goes_off(organisation, administrator):
    endpoint, own = make_delivery(organisation).endpoint, choose(administrator, EventKind.ENDPOINT_OFF)
    due = make_due_delivery(organisation)
    attempt = Attempt(
        organisation=organisation, delivery=due.delivery, begun_at=NOW, ended_at=NOW, status=410, reason="The endpoint answered 410"
    )
    actions.store_attempt(attempt=attempt, next_at=None, off=OffReason.GONE)

    send_due(own)

    (message,) = mail.outbox
    assert (message.to, reverse("endpoint", args=[endpoint.pk]) in message.body) == ([administrator.user.email], True)


def test_whoever_left_gets_no_mail_and_it_goes_off(alice, administrator):
    endpoint = choose(alice, EventKind.ALARM)
    make_alarm(alice.organisation, model="before")
    end_membership(member=alice, at=timezone.now(), by=SYSTEM)
    make_alarm(alice.organisation, model="after")

    send_due(endpoint)

    endpoint.refresh_from_db()
    assert (mail.outbox, endpoint.off_reason, Delivery.objects.count()) == ([], "left", 1)
    assert Attempt.objects.get().reason == "Not sent: is no member any more"


def test_whoever_changed_their_role_gets_no_mail_about_pages_they_may_not_open(alice):
    endpoint = choose(alice, EventKind.ALARM)
    make_alarm(alice.organisation, model="before")
    change_role(member=alice, role=Role.COORDINATOR, at=timezone.now(), by=SYSTEM)
    make_alarm(alice.organisation, model="after")

    send_due(endpoint)

    assert (mail.outbox, state_of(endpoint)) == ([], ["given up"])
    assert Attempt.objects.get().reason == "Not sent: the role may not read it any more"


def test_a_flag_in_a_blind_review_waits_until_all_reviews_are_in(organisation, lead):
    endpoint, item = choose(lead, EventKind.FLAG), make_item(organisation, **BRIEF, model="blind")
    run_blind(lead, candidates={"facets": {"model": ["blind"]}})
    first, second = make_member(organisation, name="Una Ulm"), make_member(organisation, name="Vera Voss")
    flagged = FlagChoice(item.pk, item.attribution_id, FlagKind.WORDS, words=BRIEF["response"].split()[0])
    put_flag(choice=flagged, note="look at this", by=first, now=NOW)
    review(item, first, Verdict.CORRECT)

    send_due(endpoint)
    assert (mail.outbox, state_of(endpoint)) == ([], ["held back"])

    review(item, second, Verdict.CORRECT)
    send_due(endpoint)
    assert (len(mail.outbox), state_of(endpoint)) == (1, ["delivered"])


def test_that_an_answer_contradicts_its_record_waits_if_a_blind_plan_draws_it_before_the_mail_is_sent(organisation, lead, alice):
    endpoint = choose(alice, EventKind.CONTRADICTION, daily=True)
    item = make_item(organisation, response="Your risk is low.", context={"safety": {"risk_level": "elevated"}}, model="blind")
    make_item(organisation, response="Your risk is low.", context={"safety": {"risk_level": "elevated"}})
    run_blind(lead, candidates={"facets": {"model": ["blind"]}})
    make_due(endpoint)

    send_due(endpoint)
    (message,) = mail.outbox
    assert reverse("item", args=[item.pk]) not in message.body
    assert state_of(endpoint) == ["delivered", "held back"]

    for reviewer in (alice, lead):
        review(item, reviewer)
    send_due(endpoint)
    assert reverse("item", args=[item.pk]) in mail.outbox[-1].body
    assert state_of(endpoint) == ["delivered", "delivered"]


def test_each_role_is_offered_what_it_may_read(organisation, alice, coordinator):
    assert offered(alice) == OF_REVIEWERS
    assert offered(coordinator) == set()
    assert offered(make_member(organisation, Role.LEAD)) == set(EventKind) - {EventKind.ENDPOINT_OFF}
    assert offered(make_member(organisation, Role.ADMINISTRATOR)) == {EventKind.VERIFICATION, EventKind.ENDPOINT_OFF}


def test_nobody_chooses_what_their_role_may_not_read(alice):
    refused = sign_in(alice).post(reverse("choose_mail"), {"kinds": [EventKind.VERIFICATION], "pace": "now"})

    assert (refused.status_code, Endpoint.objects.count()) == (422, 0)


def test_the_page_keeps_a_choice_changes_it_and_turns_it_off(alice):
    client = sign_in(alice)
    path = reverse("choose_mail")

    client.post(path, {"kinds": [EventKind.ALARM, EventKind.FLAG], "pace": "daily"})
    assert client.get(reverse("mail")).text.count(" checked") == 3
    client.post(path, {"kinds": [EventKind.PLAN], "pace": "now"})
    endpoint = Endpoint.objects.get()
    assert (endpoint.kinds, endpoint.is_daily, endpoint.off_reason) == ([EventKind.PLAN], False, "")
    client.post(path, {"pace": "now"})
    assert Endpoint.objects.get().off_reason == "person"
    client.post(path, {"kinds": [EventKind.FLAG], "pace": "now"})
    assert Endpoint.objects.get().off_reason == ""

    actions_taken = AuditEvent.objects.filter(object_id=endpoint.pk).order_by("id").values_list("action", flat=True)
    assert list(actions_taken) == ["endpoint.added", *["mail.chosen"] * 2, *["endpoint.switched", "mail.chosen"], "endpoint.switched"]


def test_the_ledger_vouches_for_what_was_chosen(alice):
    choose(alice, EventKind.ALARM)
    choose(alice, EventKind.FLAG, EventKind.PLAN, daily=True)
    actions.choose_mail(kinds=[], is_daily=False, by=alice, now=NOW)
    choose(alice, EventKind.ALARM)
    seal_now(alice.organisation_id)

    verify(organisation_id=alice.organisation_id)


def test_administrators_see_the_mail_of_members_switch_it_off_and_cannot_turn_it_on(alice, administrator):
    endpoint = choose(alice, EventKind.ALARM, daily=True)
    client, path = sign_in(administrator), reverse("switch_endpoint", args=[endpoint.pk])

    assert f"Mail to {alice.user.name}, once a day" in client.get(reverse("endpoints")).text
    client.post(path, {"on": "0"})
    assert Endpoint.objects.get().off_reason == "person"
    refused = client.post(path, {"on": "1"})
    assert (refused.status_code, Endpoint.objects.get().off_reason) == (409, "person")
    assert "turned on by whoever gets it" in refused.text
    with pytest.raises(Refused):
        actions.switch_endpoint(endpoint_id=endpoint.pk, on=True, by=administrator, now=NOW + timedelta(hours=1))
