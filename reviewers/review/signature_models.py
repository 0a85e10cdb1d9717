"""Signatures: who stands for what, and what it was exactly."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from reviewers.accounts.models import Organisation, Proof, User
from reviewers.snapshots.models import SnapshotAttribution
from reviewers.web.models import InsertOnly


class Meaning(models.TextChoices):
    """What somebody signs something as. Stored for good: a word here is never given another meaning."""

    REVIEWED = "reviewed", "Reviewed"
    ADJUDICATED = "adjudicated", "Adjudicated"
    APPROVED = "approved", "Approved"


class Signed(models.TextChoices):
    """What kind of object is signed."""

    REVIEW = "review", "Review"


class Signature(InsertOnly):
    """Somebody has signed an object as they found it.

    ``printed_name`` is the name as it was, and ``zone`` the time zone in which the signer reads ``signed_at``. ``statement`` is canonical
    JSON of what was signed, compressed, and ``digest`` the SHA-256 of it before compression. What is changed afterwards makes a signature
    void and leaves it where it is: whoever still stands for the object signs again.

    ``object_id`` names the object; for a review, which is a submission, ``review`` does so as well. ``attribution`` is the one that was
    shown, and ``label_count`` how many labels the review had, those that no longer counted included: a list tells by them whether a
    signature still holds. Where parts of what it signs were redacted the statement is empty, and its digest chance: nobody can make it
    again.

    ``proof`` is the one that the signer gave for this signature and for nothing else; a trigger looks whether it is theirs, and used. Only
    signatures from before proofs were rows have none.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    signer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="signatures", db_index=False)
    printed_name = models.CharField(max_length=200)
    meaning = models.CharField(max_length=12, choices=Meaning)
    signed_at = models.DateTimeField()
    zone = models.CharField(max_length=64)
    object_type = models.CharField(max_length=12, choices=Signed)
    object_id = models.UUIDField()
    review = models.ForeignKey("review.Submission", null=True, on_delete=models.PROTECT, related_name="signatures")
    attribution = models.ForeignKey(SnapshotAttribution, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    label_count = models.IntegerField(null=True)
    statement = models.BinaryField()
    digest = models.BinaryField(max_length=32)
    proof = models.OneToOneField(Proof, null=True, on_delete=models.PROTECT, related_name="+")

    redactable = ("statement", "digest")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["object_type", "object_id", "signer", "meaning", "digest"], name="signed_once"),
            models.CheckConstraint(condition=Q(meaning__in=Meaning.values), name="meaning_known"),
            models.CheckConstraint(condition=~Q(printed_name="") & ~Q(zone=""), name="signed_by_name_in_a_zone"),
            models.CheckConstraint(
                condition=Q(object_type=Signed.REVIEW, review=F("object_id"), attribution__isnull=False, label_count__isnull=False),
                name="signed_object_known",
            ),
        ]

    @property
    def is_redacted(self) -> bool:
        """Whether what was signed cannot be told any more."""
        return not self.statement
