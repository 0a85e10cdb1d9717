"""Mail to members about what happened. A message says what and when, with the address of the page, and holds no text of an answer.

Everybody chooses for themselves what they are told, of what their role may read. The page's own permission decides that.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache
from smtplib import SMTPException
from typing import cast
from uuid import UUID

from django.conf import settings
from django.urls import resolve, reverse
from django.utils import timezone

from reviewers.accounts.jobs import send
from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import GuardedView, Permission, may
from reviewers.accounts.queries import open_memberships
from reviewers.webhooks.jobs import EndpointReply
from reviewers.webhooks.models import Delivery, EventKind, OffReason
from reviewers.webhooks.outbox import page_of

TAKEN = 250
"""The status with which a mail server takes a message."""

LEFT = EndpointReply(reason="Not sent: is no member any more", off=OffReason.LEFT, is_final=True)
MAY_NOT_READ = EndpointReply(reason="Not sent: the role may not read it any more", is_final=True)
NOT_TAKEN = EndpointReply(reason="The mail server did not take it")


def kinds_for(member: Membership) -> list[EventKind]:
    """Return the kinds whose pages a member may read."""
    return [kind for kind in EventKind if may(member, _permission(kind))]


@cache
def _permission(kind: EventKind) -> Permission:
    return cast("GuardedView", resolve(page_of(kind, UUID(int=0))).func).permission


def find_members(organisation_id: UUID, user_ids: Collection[UUID | None]) -> dict[UUID | None, Membership]:
    """Return those of these people who are members now, by their identifier."""
    found = open_memberships().filter(organisation=organisation_id, user__in=user_ids, user__is_active=True)
    return {each.user_id: each for each in found.select_related("user", "organisation")}


def send_mail(member: Membership | None, deliveries: Sequence[Delivery]) -> list[EndpointReply]:
    """Send one message about all deliveries that its reader may still know of; return an answer for each delivery."""
    if member is None:
        return [LEFT] * len(deliveries)
    allowed = kinds_for(member)
    told = [each for each in deliveries if each.kind in allowed]
    answer = _send(member, told) if told else MAY_NOT_READ
    return [answer if each.kind in allowed else MAY_NOT_READ for each in deliveries]


def _send(member: Membership, deliveries: Sequence[Delivery]) -> EndpointReply:
    what = EventKind(deliveries[0].kind).label if len(deliveries) == 1 else f"{len(deliveries)} things happened"
    try:
        send(member.user.email, f"{member.organisation.name}: {what}", _text(deliveries))
    except (SMTPException, OSError):
        return NOT_TAKEN
    return EndpointReply(TAKEN)


def _text(deliveries: Sequence[Delivery]) -> str:
    entries = [
        f"{_moment(each.happened_at)}: {EventKind(each.kind).label}\n{json.loads(each.body)['data']['page']}\n" for each in deliveries
    ]
    return "\n".join([*entries, f"-- \nYou choose what you are told on {settings.ADDRESS}{reverse('mail')}\n"])


def _moment(at: datetime) -> str:
    return timezone.localtime(at).strftime("%-d %B %Y, %H:%M %Z")
