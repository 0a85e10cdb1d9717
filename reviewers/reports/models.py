"""Exports: who asked for which report and why, and the result. Also the index of names for the search for suggestions."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import F, Q

from reviewers.accounts.models import Organisation, User
from reviewers.snapshots.models import Snapshot
from reviewers.web.models import Identified, InsertOnly, Redactable


class SuggestionNames(Redactable):
    """The words that a search finds a suggestion by: prefixes of its names, kept up to date by triggers on the snapshot.

    ``near`` is what the provider is found by where their name is misspelt, kept beside the first suggestion of each provider only.
    The web writes both with the snapshot, and only a redaction changes them; ``why.queries.check_names`` compares them with the names.

    They are stored because, with row-level security, PostgreSQL uses no index on a function unless the function is LEAKPROOF.
    """

    snapshot = models.OneToOneField(Snapshot, primary_key=True, on_delete=models.PROTECT, related_name="names")
    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    terms = SearchVectorField()
    near = SearchVectorField(null=True)

    class Meta:
        indexes: ClassVar = [
            GinIndex(F("terms"), name="reports_by_names"),
            GinIndex(F("near"), name="reports_by_near_names", condition=Q(near__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"names of {self.pk}"


class ExportOutcome(models.TextChoices):
    """The outcome of an export."""

    MADE = "made", "Made"
    FAILED = "failed", "Failed"


class Export(InsertOnly):
    """A request for a report. ``scope`` selects its answers by identifiers and days; ``form`` is the name of its format."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    asked_at = models.DateTimeField()
    scope = models.JSONField()
    form = models.CharField(max_length=20)
    reason = models.TextField()

    class Meta:
        constraints: ClassVar = [models.CheckConstraint(condition=~Q(reason=""), name="exported_for_a_reason")]
        indexes: ClassVar = [models.Index(fields=["organisation", "asked_at"], name="export_by_time")]


class ExportResult(InsertOnly):
    """The result of an export: the number of answers and the SHA-256 of the file, or for a bundle of the report in it.

    ``snapshots`` are the answers' identifiers; the list of disclosures is read from them.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    export = models.OneToOneField(Export, on_delete=models.PROTECT, related_name="result")
    outcome = models.CharField(max_length=8, choices=ExportOutcome)
    reason = models.CharField(max_length=500, blank=True)
    made_at = models.DateTimeField()
    answers = models.IntegerField(default=0)
    size = models.BigIntegerField(default=0)
    digest = models.BinaryField(max_length=32, null=True)
    snapshots = ArrayField(models.TextField(), default=list)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(outcome=ExportOutcome.MADE, digest__isnull=False, reason="")
                | Q(outcome=ExportOutcome.FAILED, digest=None, answers=0, size=0) & ~Q(reason=""),
                name="export_made_or_why_not",
            ),
        ]


class ExportChunk(Identified):
    """A piece of a file of an export, in order. It is kept for some days to be downloaded and is no permanent record.

    ``content`` is compressed. ``state`` is the progress of the report up to this piece: an interrupted job resumes from there.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    export = models.ForeignKey(Export, on_delete=models.PROTECT, related_name="chunks", db_index=False)
    name = models.CharField(max_length=40)
    number = models.IntegerField()
    content = models.BinaryField()
    state = models.JSONField(default=dict)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["export", "name", "number"], name="one_chunk_a_number")]
