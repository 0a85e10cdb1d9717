"""What accounts tell the slices above them, in the same transaction as the change.

The ledger stands above accounts and may not be imported here, yet every change here is an audit event. So a change is announced, and
the ledger listens; an exception in a listener undoes the change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.dispatch import Signal

announced = Signal()


class ActorKind(StrEnum):
    """Who can act."""

    USER = "user"
    SERVICE_KEY = "service_key"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: a person, a program with a key, or the system itself."""

    kind: ActorKind
    id: UUID | None = None


SYSTEM = Actor(ActorKind.SYSTEM)


def user_actor(user_id: UUID) -> Actor:
    """A person as the one who acts."""
    return Actor(ActorKind.USER, user_id)


@dataclass(frozen=True, slots=True)
class Announcement:
    """One change: the action, on what, by whom, when. ``details`` hold no protected text; ``parts`` are texts to commit to, by name."""

    action: str
    organisation_id: UUID
    by: Actor
    at: datetime
    object_type: str
    object_id: UUID
    details: Mapping[str, Any] = field(default_factory=dict)
    parts: Sequence[tuple[str, bytes]] = ()


def announce(announcement: Announcement) -> None:
    """Tell the listeners; their exceptions are the caller's."""
    announced.send(sender=Announcement, announcement=announcement)
