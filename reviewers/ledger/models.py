"""Models of the ledger: audit events and their secrets, the log that seals them, and redactions."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from reviewers.web.models import InsertOnly, Redactable, TenantLookup, TenantThrough


class RedactionBasis(models.TextChoices):
    """The legal bases of a redaction. Stored for good: a value never changes its meaning."""

    ERASURE = "erasure", "The person asked for erasure (GDPR Article 17)"
    CONSENT = "consent", "Consent was withdrawn (GDPR Articles 7 and 17)"
    NOT_NEEDED = "not_needed", "More was recorded than is needed (GDPR Article 5, HIPAA minimum necessary)"
    MISDIRECTED = "misdirected", "It is about somebody else, and came here by mistake"
    ORDER = "order", "A court or an authority ordered it"


class RedactionOutcome(models.TextChoices):
    """The outcomes of a proposed redaction."""

    APPROVED = "approved", "Approved"
    DECLINED = "declined", "Declined"
    WITHDRAWN = "withdrawn", "Withdrawn"


class Redaction(InsertOnly):
    """A proposal to take ``parts`` out of the record of an object. They are names, and hold nothing of the named text."""

    organisation_id = models.UUIDField()
    object_type = models.CharField(max_length=12)
    object_id = models.UUIDField()
    parts = models.JSONField()
    basis = models.CharField(max_length=12, choices=RedactionBasis)
    reason = models.TextField()
    proposed_by = models.UUIDField()
    proposed_at = models.DateTimeField()

    redactable = ("reason",)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(basis__in=RedactionBasis.values), name="redaction_basis_known"),
            models.CheckConstraint(condition=~Q(reason="") & ~Q(parts=[]), name="redaction_of_something_and_why"),
            models.UniqueConstraint(fields=["id", "proposed_by"], name="redaction_has_one_proposer"),
        ]
        indexes: ClassVar = [models.Index(fields=["organisation_id", "object_id"], name="redaction_by_object")]


class RedactionDecision(InsertOnly):
    """The one decision about a proposed redaction. Nobody approves or declines their own; only its proposer withdraws it.

    ``proposed_by`` repeats the proposal's, bound to it by a foreign key, so that the rule of two people is a plain check. ``touched`` are
    the rows that an approved redaction changes, each as its table and key, and ``made_in`` is the number of the database's transaction:
    ``ledger_redact`` changes these rows in this transaction, and nothing else ever.
    """

    organisation_id = models.UUIDField()
    redaction = models.OneToOneField(Redaction, on_delete=models.PROTECT, related_name="decision")
    proposed_by = models.UUIDField()
    outcome = models.CharField(max_length=10, choices=RedactionOutcome)
    decided_by = models.UUIDField()
    decided_at = models.DateTimeField()
    touched = models.JSONField(default=list)
    made_in = models.BigIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(outcome=RedactionOutcome.WITHDRAWN, decided_by=F("proposed_by"))
                | Q(outcome__in=[RedactionOutcome.APPROVED, RedactionOutcome.DECLINED]) & ~Q(decided_by=F("proposed_by")),
                name="redaction_takes_two",
            ),
            models.CheckConstraint(condition=Q(outcome=RedactionOutcome.APPROVED) | Q(touched=[]), name="only_an_approved_one_touches"),
        ]


class AuditEvent(InsertOnly):
    """An act that was done.

    ``body`` is canonical JSON (RFC 8785) and authoritative; the other columns repeat parts of it so that events can be found. There are no
    foreign keys: the record of an act does not depend on what still exists. ``organisation_id`` is the tree it belongs to.
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
            models.Index(fields=["organisation_id", "actor_id", "occurred_at"], name="event_by_person", condition=~Q(actor_id=None)),
            models.Index(
                fields=["organisation_id", "object_id", "actor_id", "occurred_at"],
                name="answer_opened_by_person",
                condition=Q(action="snapshot.viewed"),
            ),
        ]


class EventSecret(Redactable):
    """The secret that opens an event's commitments: the seed of its salts, and payloads that are stored nowhere else.

    It is not part of the sealed record, so that a part can be redacted: the salts of the other parts and the commitment of the redacted one
    then replace the seed (see ``encoding.Openings``). Without salt and payload a commitment reveals nothing, and every proof still holds.

    ``payload`` is canonical JSON of the parts that no other table stores, such as the words of a search. ``column_checks`` has four bytes
    for each column of each row that the event committed to; they only help to name the column that differs.
    """

    event_id = models.UUIDField(primary_key=True)
    organisation_id = models.UUIDField()
    salt_seed = models.BinaryField()
    payload = models.BinaryField(null=True)
    column_checks = models.BinaryField(default=b"")

    def __str__(self) -> str:
        return f"Secret of event {self.event_id}"


class Pending(TenantLookup):
    """An event that waits to be sealed. A trigger writes this row with the event, so that none can be missed."""

    event_id = models.UUIDField(primary_key=True)
    organisation_id = models.UUIDField()

    def __str__(self) -> str:
        return f"Event {self.event_id}, not sealed"


class Log(InsertOnly):
    """A tree over an organisation's events: its first, and another one for each time a log could not be continued.

    ``origin`` is the name in its checkpoints and keys. The first event of a log names all columns of this row.
    """

    organisation_id = models.UUIDField()
    epoch = models.IntegerField()
    origin = models.CharField(max_length=200, unique=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["organisation_id", "epoch"], name="one_log_an_epoch")]


class LogKey(TenantThrough, InsertOnly):
    """A public key of a log. ``id`` is that of the event that introduced it; it signs that event's checkpoint and later ones."""

    organisation_through = "log"

    log = models.ForeignKey(Log, on_delete=models.PROTECT, related_name="keys")
    public = models.BinaryField(max_length=32)


class Leaf(TenantThrough, InsertOnly):
    """An event's place in the tree. ``id`` is the event's."""

    organisation_through = "log"

    log = models.ForeignKey(Log, on_delete=models.PROTECT, related_name="+", db_index=False)
    index = models.BigIntegerField()
    hash = models.BinaryField(max_length=32)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["log", "index"], name="one_leaf_an_index")]


class Node(TenantThrough, InsertOnly):
    """The hash over 256 hashes of the level below; level 0 are the leaves. ``id`` is derived from the other columns."""

    organisation_through = "log"

    log = models.ForeignKey(Log, on_delete=models.PROTECT, related_name="+", db_index=False)
    level = models.SmallIntegerField()
    index = models.BigIntegerField()
    hash = models.BinaryField(max_length=32)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["log", "level", "index"], name="one_node_a_place")]


class Checkpoint(TenantThrough, InsertOnly):
    """A signed note of the log's size and root: one for each size that was ever signed. ``id`` is derived from the note."""

    organisation_through = "log"

    log = models.ForeignKey(Log, on_delete=models.PROTECT, related_name="+", db_index=False)
    size = models.BigIntegerField()
    note = models.TextField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["log", "size"], name="one_root_a_size")]


class Verification(InsertOnly):
    """The result of verifying an organisation's ledger. ``difference`` names the first row that differs; it is empty if none does."""

    organisation_id = models.UUIDField()
    begun_at = models.DateTimeField()
    finished_at = models.DateTimeField()
    event_count = models.BigIntegerField()
    row_count = models.BigIntegerField()
    checkpoint_count = models.BigIntegerField()
    difference = models.TextField(blank=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["organisation_id", "finished_at"], name="verification_by_time")]
