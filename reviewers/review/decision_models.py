"""What is decided of conflicting labels, and what is reviewed once more. Both are records.

What labels alone decide stands nowhere: it is derived from them (``deciding/rules.py``). Only what a person has decided is written down.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from reviewers.accounts.models import Organisation, User
from reviewers.review.citation_models import CitationVerdict
from reviewers.snapshots.models import Snapshot, SnapshotAttribution
from reviewers.web.models import InsertOnly

_OF_FIELDS = ["correct", "wrong", "misstated", "cannot_judge"]
_OF_CITATIONS = [verdict for verdict in CitationVerdict.values if verdict != CitationVerdict.NONE]


class Decision(InsertOnly):
    """A lead has decided what is right of one row on which labels conflict: of a field, or of a citation of a document.

    A field is named by ``section`` and ``path``, a citation as in ``CitationLabel``. ``labels`` are the identifiers of those that the
    lead saw and decided between: once one of them does not count any more the decision does not either. ``round`` is that of the item;
    ``attribution`` what was shown. The newest decision on a row counts; ``replaces`` is the one it took the place of.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="decisions", db_index=False)
    round = models.SmallIntegerField()
    is_citation = models.BooleanField()
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
                condition=Q(is_citation=False, source="", is_own=None, start=None, end=None, repeat=0)
                | Q(is_citation=True, section="", path="", is_own__isnull=False),
                name="decided_row_known",
            ),
            models.CheckConstraint(
                condition=Q(start=None, end=None) | Q(start__gte=0, end__isnull=False, end__gt=F("start")), name="decided_from_and_to"
            ),
            models.CheckConstraint(
                condition=Q(is_citation=False, verdict__in=_OF_FIELDS) | Q(is_citation=True, verdict__in=_OF_CITATIONS),
                name="decided_verdict_known",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="decided_with_a_reason"),
        ]
        indexes: ClassVar = [models.Index(fields=["snapshot", "round", "id"], name="decision_by_item")]


class Reopening(InsertOnly):
    """A lead has put a reviewed item back into the queue. ``round`` is the one that begins; submissions of earlier ones stay."""

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
