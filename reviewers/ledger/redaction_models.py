"""Redactions: what somebody proposed to take out of a record, and what somebody else decided."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from reviewers.web.models import InsertOnly


class Basis(models.TextChoices):
    """Why something may be taken out of a record. Stored for good: a word here is never given another meaning."""

    ERASURE = "erasure", "The person asked for erasure (GDPR Article 17)"
    CONSENT = "consent", "Consent was withdrawn (GDPR Articles 7 and 17)"
    NOT_NEEDED = "not_needed", "More was recorded than is needed (GDPR Article 5, HIPAA minimum necessary)"
    MISDIRECTED = "misdirected", "It is about somebody else, and came here by mistake"
    ORDER = "order", "A court or an authority ordered it"


class Outcome(models.TextChoices):
    """What became of a proposal."""

    APPROVED = "approved", "Approved"
    DECLINED = "declined", "Declined"
    WITHDRAWN = "withdrawn", "Withdrawn"


class Redaction(InsertOnly):
    """Somebody proposes to take ``parts`` out of the record of an object. They are names, and hold nothing of what they name."""

    organisation_id = models.UUIDField()
    object_type = models.CharField(max_length=12)
    object_id = models.UUIDField()
    parts = models.JSONField()
    basis = models.CharField(max_length=12, choices=Basis)
    reason = models.TextField()
    proposed_by = models.UUIDField()
    proposed_at = models.DateTimeField()

    redactable = ("reason",)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(basis__in=Basis.values), name="redaction_basis_known"),
            models.CheckConstraint(condition=~Q(reason="") & ~Q(parts=[]), name="redaction_of_something_and_why"),
            models.UniqueConstraint(fields=["id", "proposed_by"], name="redaction_has_one_proposer"),
        ]
        indexes: ClassVar = [models.Index(fields=["organisation_id", "object_id"], name="redaction_by_object")]


class RedactionDecision(InsertOnly):
    """What was decided of a proposal, once. Nobody approves or declines their own; only whoever proposed it withdraws it.

    ``proposed_by`` repeats that of the proposal, held to it by a foreign key, so that the four eyes are a plain check. ``touched`` are
    the rows that an approved one changes, each as its table and its key, and ``made_in`` is the database's number of the transaction
    that did it: ``ledger_redact`` changes these rows, in this transaction, and nothing else ever.
    """

    organisation_id = models.UUIDField()
    redaction = models.OneToOneField(Redaction, on_delete=models.PROTECT, related_name="decision")
    proposed_by = models.UUIDField()
    outcome = models.CharField(max_length=10, choices=Outcome)
    decided_by = models.UUIDField()
    decided_at = models.DateTimeField()
    touched = models.JSONField(default=list)
    made_in = models.BigIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(outcome=Outcome.WITHDRAWN, decided_by=F("proposed_by"))
                | Q(outcome__in=[Outcome.APPROVED, Outcome.DECLINED]) & ~Q(decided_by=F("proposed_by")),
                name="redaction_takes_two",
            ),
            models.CheckConstraint(condition=Q(outcome=Outcome.APPROVED) | Q(touched=[]), name="only_an_approved_one_touches"),
        ]
