"""Audit announcements: how accounts report their changes to the ledger, in the same transaction.

The ledger is a slice above accounts and may not be imported here, yet every change here is an audit event. So a change is announced, and
the listeners in `hooks.py` are called; an exception in a listener undoes the change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from reviewers.accounts.hooks import announcement_listeners


class ActorKind(StrEnum):
    """The kinds of actors."""

    USER = "user"
    SERVICE_KEY = "service_key"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Actor:
    """The one who acts: a person, a program with a service key, or the system."""

    kind: ActorKind
    id: UUID | None = None


SYSTEM = Actor(ActorKind.SYSTEM)


def user_actor(user_id: UUID) -> Actor:
    """Return a person as the actor."""
    return Actor(ActorKind.USER, user_id)


@dataclass(frozen=True, slots=True)
class Announcement:
    """A change: its action, object, actor and time. ``details`` hold no protected text; ``parts`` are texts to commit to, by name."""

    action: str
    organisation_id: UUID
    by: Actor
    at: datetime
    object_type: str
    object_id: UUID
    details: Mapping[str, Any] = field(default_factory=dict)
    parts: Sequence[tuple[str, bytes]] = ()


def announce(announcement: Announcement) -> None:
    """Pass an announcement to every listener. Their exceptions reach the caller."""
    for listen in announcement_listeners:
        listen(announcement)
