"""Endpoints and deliveries for tests."""

from __future__ import annotations

from reviewers.accounts.models import Membership, Organisation
from reviewers.web.models import uuid7
from reviewers.web.tenancy import tenant
from reviewers.webhooks import actions, jobs
from reviewers.webhooks.messages import body_with_text
from reviewers.webhooks.models import Attempt, Delivery, DueDelivery, Endpoint, EventKind
from tests.factories import NOW, make_item, make_member
from tests.quality.alarmed import make_alarm

ADDRESS = "https://desk.example.org/hook"


def make_endpoint(
    organisation: Organisation, address: str = ADDRESS, kinds=EventKind.values, *, by: Membership | None = None, includes_text: bool = False
) -> tuple[Endpoint, str]:
    """An endpoint that wants everything, and its secret."""
    with tenant.within(organisation.pk):
        adding = by or make_member(organisation, "administrator")
        return actions.add_endpoint(address=address, kinds=kinds, includes_text=includes_text, by=adding, now=NOW)


def choose(member: Membership, *kinds: EventKind, daily: bool = False) -> Endpoint:
    """A member's mail about these kinds."""
    with tenant.within(member.organisation_id):
        actions.choose_mail(kinds=kinds, is_daily=daily, by=member, now=NOW)
        return Endpoint.objects.get(subscriber=member.user_id)


def make_delivery(organisation: Organisation, address: str = ADDRESS) -> Delivery:
    """A delivery that was given up: an alarm was raised, and the one attempt failed."""
    endpoint, _ = make_endpoint(organisation, address, [EventKind.ALARM])
    with tenant.within(organisation.pk):
        make_alarm(organisation, model=f"model {uuid7()}")
        delivery = Delivery.objects.get(endpoint=endpoint)
        attempt = Attempt(
            organisation=organisation, delivery=delivery, begun_at=NOW, ended_at=NOW, status=500, reason="The endpoint answered 500"
        )
        actions.store_attempt(attempt=attempt, next_at=None, off=None)
    return delivery


def compose_with_text(organisation: Organisation) -> bytes:
    """The body for a marked endpoint, of a message that an answer contradicts its record."""
    endpoint, _ = make_endpoint(organisation, kinds=[EventKind.CONTRADICTION], includes_text=True)
    make_item(organisation, response="As you are at low risk, two weeks will do.")
    with tenant.within(organisation.pk):
        return body_with_text(Delivery.objects.get(endpoint=endpoint), NOW)


def make_due_delivery(organisation: Organisation) -> DueDelivery:
    """A delivery that waits to be sent: another alarm was raised."""
    with tenant.within(organisation.pk):
        make_alarm(organisation, model=f"model {uuid7()}")
        return DueDelivery.objects.filter(organisation=organisation).latest("pk")


def send_due(endpoint: Endpoint) -> None:
    """What the worker does."""
    jobs.send_due(endpoint=str(endpoint.pk), organisation=str(endpoint.organisation_id))


def make_due(endpoint: Endpoint) -> None:
    """The waits of this endpoint's deliveries are over."""
    with tenant.within(endpoint.organisation_id):
        DueDelivery.objects.filter(endpoint=endpoint).update(due_at=NOW)
