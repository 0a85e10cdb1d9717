"""Audit events and what opens their commitments."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from reviewers.web.models import InsertOnly, Redactable


class AuditEvent(InsertOnly):
    """One thing that was done.

    ``body`` is canonical JSON (RFC 8785) and the truth; the columns beside it repeat parts of it so that events can be found. There are
    no foreign keys: the record of what happened does not depend on what is still there. ``organisation_id`` is the tree it belongs to.
    """

    organisation_id = models.UUIDField()
    action = models.CharField(max_length=40)
    actor_id = models.UUIDField(null=True)
    object_id = models.UUIDField()
    occurred_at = models.DateTimeField()
    body = models.BinaryField()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["organisation_id", "object_id", "occurred_at"], name="event_by_object"),
            models.Index(fields=["organisation_id", "occurred_at"], name="event_by_time"),
        ]


class EventSecret(Redactable):
    """What opens an event's commitments: the seed of its salts, and payloads that are kept nowhere else.

    Not part of the record, so that a part can be redacted: the salts of the other parts and the commitment of the redacted one then
    stand where the seed was. Whoever holds neither salt nor payload learns nothing from a commitment, and every proof still holds.
    ``payload`` is canonical JSON of the parts that no other table keeps, such as the words of a search.
    """

    event_id = models.UUIDField(primary_key=True)
    organisation_id = models.UUIDField()
    salt_seed = models.BinaryField()
    payload = models.BinaryField(null=True)

    def __str__(self) -> str:
        return f"Secret of event {self.event_id}"
