"""Models of decisions, reopenings, signatures and legal holds. All are insert-only.

What labels alone decide is derived from them (see ``adjudication/decisions.py``) and not stored. Only decisions of a person are.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from reviewers.accounts.models import Organisation, Proof, User
from reviewers.review.models.plans import Plan
from reviewers.review.models.queue import CitationVerdict, Verdict
from reviewers.snapshots.models import Snapshot, SnapshotAttribution
from reviewers.web.models import InsertOnly

_OF_FIELDS = [verdict for verdict in Verdict.values if verdict != Verdict.NONE]
_OF_CITATIONS = [verdict for verdict in CitationVerdict.values if verdict != CitationVerdict.NONE]


class DecidedKind(models.TextChoices):
    """The kinds of row that a lead decides. Stored for good: a word here is never given another meaning."""

    FIELD = "field", "Field"
    CITATION = "citation", "Citation"
    CLAIM = "claim", "Claim"


class ClaimOutcome(models.TextChoices):
    """A lead's decision on words of an answer of which some reviewers say that they are not in the record, and others do not."""

    UNSUPPORTED = "unsupported", "Not in the record"
    SUPPORTED = "supported", "In the record"


class Decision(InsertOnly):
    """A lead's decision on one row whose labels conflict: a field, a citation, or a claim that only some reviewers call unsupported.

    A field is named by ``section`` and ``path``, a citation as in ``CitationLabel``, and a claim by the ``start`` and ``end`` of all
    labels on it, as in ``UnsupportedClaim``. ``labels`` are the identifiers of the labels that the lead decided between; the decision holds
    only while all of them count. ``round`` is that of the item, ``attribution`` the one that was shown. The newest decision on a row
    counts; ``replaces`` is the one before it.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="decisions", db_index=False)
    round = models.SmallIntegerField()
    kind = models.CharField(max_length=8, choices=DecidedKind)
    section = models.TextField(blank=True)
    path = models.TextField(blank=True)
    source = models.TextField(blank=True)
    is_own = models.BooleanField(null=True)
    start = models.IntegerField(null=True)
    end = models.IntegerField(null=True)
    repeat = models.IntegerField(default=0)
    verdict = models.CharField(max_length=16)
    reason = models.TextField()
    labels = models.JSONField()
    attribution = models.ForeignKey(SnapshotAttribution, on_delete=models.PROTECT, related_name="+", db_index=False)
    replaces = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    decided_at = models.DateTimeField()

    redactable = ("reason",)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(kind=DecidedKind.FIELD, source="", is_own=None, start=None, end=None, repeat=0)
                | Q(kind=DecidedKind.CITATION, section="", path="", is_own__isnull=False)
                | Q(kind=DecidedKind.CLAIM, section="", path="", source="", is_own=None, start__isnull=False, repeat=0),
                name="decided_row_known",
            ),
            models.CheckConstraint(
                condition=Q(start=None, end=None) | Q(start__gte=0, end__isnull=False, end__gt=F("start")), name="decided_from_and_to"
            ),
            models.CheckConstraint(
                condition=Q(kind=DecidedKind.FIELD, verdict__in=_OF_FIELDS)
                | Q(kind=DecidedKind.CITATION, verdict__in=_OF_CITATIONS)
                | Q(kind=DecidedKind.CLAIM, verdict__in=ClaimOutcome.values),
                name="decided_verdict_known",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="decided_with_a_reason"),
        ]
        indexes: ClassVar = [models.Index(fields=["snapshot", "round", "id"], name="decision_by_item")]


class Reopening(InsertOnly):
    """A reviewed item that a lead has put back into the queue. ``round`` is the one that begins. Submissions of earlier rounds stay."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="reopenings", db_index=False)
    round = models.SmallIntegerField()
    reason = models.TextField()
    reopened_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    reopened_at = models.DateTimeField()

    redactable = ("reason",)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["snapshot", "round"], name="reopened_once_a_round"),
            models.CheckConstraint(condition=Q(round__gte=2), name="reopened_after_the_first"),
            models.CheckConstraint(condition=~Q(reason=""), name="reopened_with_a_reason"),
        ]


# Signatures.


class Meaning(models.TextChoices):
    """The meaning of a signature. Stored for good: a word here is never given another meaning."""

    REVIEWED = "reviewed", "Reviewed"
    ADJUDICATED = "adjudicated", "Adjudicated"
    APPROVED = "approved", "Approved"


FOR_OTHERS = (Meaning.ADJUDICATED, Meaning.APPROVED)
"""The meanings in which one signs the review of somebody else."""


class SignedKind(models.TextChoices):
    """The kinds of object that can be signed."""

    REVIEW = "review", "Review"


class Signature(InsertOnly):
    """A person's signature of an object as they found it.

    ``printed_name`` is the signer's name at the time, and ``zone`` the time zone in which they read ``signed_at``. ``statement`` is
    compressed canonical JSON of what was signed, and ``digest`` the SHA-256 of it before compression. A later change makes a signature void
    but does not delete it; the signer can sign again.

    ``object_id`` names the object, and ``review`` as well if it is a review. ``attribution`` is the one that was shown. ``label_count`` is
    the number of labels that the review had, replaced ones included; lists compare it to find out whether a signature holds. If parts of
    what it signs were redacted, the statement is empty and the digest random, so that nobody can rebuild it.

    ``proof`` is the sign-in proof that the signer gave for the act that made this signature, and perhaps those of other reviews. A trigger
    checks that it is theirs and was used at that moment. Only signatures older than stored proofs have none.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    signer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="signatures", db_index=False)
    printed_name = models.CharField(max_length=200)
    meaning = models.CharField(max_length=12, choices=Meaning)
    signed_at = models.DateTimeField()
    zone = models.CharField(max_length=64)
    object_type = models.CharField(max_length=12, choices=SignedKind)
    object_id = models.UUIDField()
    review = models.ForeignKey("review.Submission", null=True, on_delete=models.PROTECT, related_name="signatures")
    attribution = models.ForeignKey(SnapshotAttribution, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    label_count = models.IntegerField(null=True)
    statement = models.BinaryField()
    digest = models.BinaryField(max_length=32)
    proof = models.ForeignKey(Proof, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)

    redactable = ("statement", "digest")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["object_type", "object_id", "signer", "meaning", "digest"], name="signed_once"),
            models.UniqueConstraint(fields=["proof", "object_id"], name="signed_once_a_proof"),
            models.CheckConstraint(condition=Q(meaning__in=Meaning.values), name="meaning_known"),
            models.CheckConstraint(condition=~Q(printed_name="") & ~Q(zone=""), name="signed_by_name_in_a_zone"),
            models.CheckConstraint(
                condition=Q(object_type=SignedKind.REVIEW, review=F("object_id"), attribution__isnull=False, label_count__isnull=False),
                name="signed_object_known",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["organisation", "id"], name="signature_by_organisation")]

    @property
    def is_redacted(self) -> bool:
        """True if the statement was redacted."""
        return not self.statement


# Legal holds: nothing that they cover is redacted or deleted until two people lift them.


class HoldKind(models.TextChoices):
    """The kinds of scope that a legal hold has. Stored for good: a word here is never given another meaning."""

    CLIENT = "client", "A client"
    CONVERSATION = "conversation", "A conversation"
    PLAN = "plan", "A plan"
    PERIOD = "period", "A period"


class Hold(InsertOnly):
    """A legal hold: a lead keeps answers from being redacted, for a reason.

    It covers whatever its terms match at the time of asking, later answers included: all of the client or conversation that ``reference``
    names, all that ``plan`` draws, or all answered from ``since`` to ``until``. ``review_holds_of`` in ``migrations/sql/holds.sql`` finds
    the holds that cover a snapshot. Pages, policies and triggers all call it. What it says can be redacted once it is lifted.
    """

    redactable = ("reference", "reason")

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    kind = models.CharField(max_length=12, choices=HoldKind)
    reference = models.CharField(max_length=200, blank=True)
    plan = models.ForeignKey(Plan, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    since = models.DateField(null=True)
    until = models.DateField(null=True)
    reason = models.TextField()
    placed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    placed_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(kind__in=[HoldKind.CLIENT, HoldKind.CONVERSATION], plan=None, since=None, until=None) & ~Q(reference="")
                | Q(kind=HoldKind.PLAN, reference="", plan__isnull=False, since=None, until=None)
                | Q(kind=HoldKind.PERIOD, reference="", plan=None) & (Q(since__isnull=False) | Q(until__isnull=False)),
                name="hold_covers_one_thing",
            ),
            models.CheckConstraint(condition=Q(since=None) | Q(until=None) | Q(since__lte=F("until")), name="hold_from_and_to"),
            models.CheckConstraint(condition=~Q(reason=""), name="held_with_a_reason"),
        ]
        indexes: ClassVar = [models.Index(fields=["organisation", "id"], name="hold_by_organisation")]


class LiftProposal(InsertOnly):
    """A proposal to lift a legal hold."""

    redactable = ("reason",)

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    hold = models.ForeignKey(Hold, on_delete=models.PROTECT, related_name="proposals")
    reason = models.TextField()
    proposed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    proposed_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(reason=""), name="lift_proposed_with_a_reason"),
            models.UniqueConstraint(fields=["id", "hold", "proposed_by"], name="lift_has_one_proposer"),
        ]


class LiftOutcome(models.TextChoices):
    """The outcome of a proposal to lift a legal hold."""

    LIFTED = "lifted", "Lifted"
    DECLINED = "declined", "Declined"
    WITHDRAWN = "withdrawn", "Withdrawn"


class LiftDecision(InsertOnly):
    """The decision on a proposal to lift a hold. Nobody lifts a hold alone.

    ``hold`` and ``proposed_by`` repeat those of the proposal, held equal by a foreign key, so that a check constraint can require two
    people.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    proposal = models.OneToOneField(LiftProposal, on_delete=models.PROTECT, related_name="decision")
    hold = models.ForeignKey(Hold, on_delete=models.PROTECT, related_name="decisions")
    proposed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    outcome = models.CharField(max_length=10, choices=LiftOutcome)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    decided_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(outcome=LiftOutcome.WITHDRAWN, decided_by=F("proposed_by"))
                | Q(outcome__in=[LiftOutcome.LIFTED, LiftOutcome.DECLINED]) & ~Q(decided_by=F("proposed_by")),
                name="lifting_takes_two",
            ),
            models.UniqueConstraint(fields=["hold"], condition=Q(outcome=LiftOutcome.LIFTED), name="hold_lifted_once"),
        ]
