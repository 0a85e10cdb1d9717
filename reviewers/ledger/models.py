"""Audit events, what opens their commitments, and the log that seals them."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from reviewers.ledger.redaction_models import Redaction, RedactionDecision  # noqa: F401 — Django looks for models here
from reviewers.web.models import Door, InsertOnly, Redactable, Through


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
    stand where the seed was (see ``openings``). Whoever holds neither salt nor payload learns nothing from a commitment, and every proof
    still holds.
    ``payload`` is canonical JSON of the parts that no other table keeps, such as the words of a search. ``column_checks`` has four
    bytes for each column of each row that the event committed to; they only help to say which column it is that differs.
    """

    event_id = models.UUIDField(primary_key=True)
    organisation_id = models.UUIDField()
    salt_seed = models.BinaryField()
    payload = models.BinaryField(null=True)
    column_checks = models.BinaryField(default=b"")

    def __str__(self) -> str:
        return f"Secret of event {self.event_id}"


class Pending(Door):
    """An event that waits to be sealed. A trigger writes this row with the event's own, so that none can miss it."""

    event_id = models.UUIDField(primary_key=True)
    organisation_id = models.UUIDField()

    def __str__(self) -> str:
        return f"Event {self.event_id}, not sealed"


class Log(InsertOnly):
    """A tree over an organisation's events: its first, and another one for each time an older backup had to be restored.

    ``origin`` is the name that its checkpoints and its keys bear. The first event of a log tells all of this row.
    """

    organisation_id = models.UUIDField()
    epoch = models.IntegerField()
    origin = models.CharField(max_length=200, unique=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["organisation_id", "epoch"], name="one_log_an_epoch")]


class LogKey(Through, InsertOnly):
    """A public key of a log. ``id`` is that of the event that brought it; it signs what is sealed with that event and after."""

    organisation_through = "log"

    log = models.ForeignKey(Log, on_delete=models.PROTECT, related_name="keys")
    public = models.BinaryField(max_length=32)


class Leaf(Through, InsertOnly):
    """An event's place in the tree. ``id`` is the event's."""

    organisation_through = "log"

    log = models.ForeignKey(Log, on_delete=models.PROTECT, related_name="+", db_index=False)
    index = models.BigIntegerField()
    hash = models.BinaryField(max_length=32)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["log", "index"], name="one_leaf_an_index")]


class Node(Through, InsertOnly):
    """The hash over 256 hashes of the level below; level 0 are the leaves. ``id`` is made of the other columns."""

    organisation_through = "log"

    log = models.ForeignKey(Log, on_delete=models.PROTECT, related_name="+", db_index=False)
    level = models.SmallIntegerField()
    index = models.BigIntegerField()
    hash = models.BinaryField(max_length=32)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["log", "level", "index"], name="one_node_a_place")]


class Checkpoint(Through, InsertOnly):
    """A signed note of the log's size and root: one for each size that was ever signed. ``id`` is made of the note."""

    organisation_through = "log"

    log = models.ForeignKey(Log, on_delete=models.PROTECT, related_name="+", db_index=False)
    size = models.BigIntegerField()
    note = models.TextField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["log", "size"], name="one_root_a_size")]


class Verification(InsertOnly):
    """What came out when an organisation's ledger was verified. ``difference`` names the first row that differs; empty if none does."""

    organisation_id = models.UUIDField()
    begun_at = models.DateTimeField()
    finished_at = models.DateTimeField()
    event_count = models.BigIntegerField()
    row_count = models.BigIntegerField()
    checkpoint_count = models.BigIntegerField()
    difference = models.TextField(blank=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["organisation_id", "finished_at"], name="verification_by_time")]
