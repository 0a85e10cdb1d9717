"""What reviewers say of a citation of a document: whether the source supports what it is cited for."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from reviewers.accounts.models import Organisation, User
from reviewers.snapshots.models import Snapshot
from reviewers.web.models import InsertOnly


class CitationVerdict(models.TextChoices):
    """What a reviewer says of a citation; ``none`` takes a label back."""

    SUPPORTS = "supports", "Supports"
    DOES_NOT_SUPPORT = "does_not_support", "Does not support"
    CANNOT_JUDGE = "cannot_judge", "Can’t judge"
    NONE = "none", "No label"


class CitationLabel(InsertOnly):
    """One person's verdict on one citation, and what they were shown when they gave it.

    A citation is named by what was asked of the reviewer, in terms of the frozen record: does this ``source`` support these words,
    from ``start`` to ``end`` of the answer as the model wrote it (none for a citation that stands for no words)? ``is_own`` says
    whether the model cited it itself, rather than that it was attached or found afterwards. ``repeat`` counts the citations of the
    same source for the same words that stand before it. ``replaces``, ``reason``, ``action_id`` and ``undoes`` are those of ``Label``.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="citation_labels", db_index=False)
    reviewer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="citation_labels", db_index=False)
    source = models.TextField()
    is_own = models.BooleanField()
    start = models.IntegerField(null=True)
    end = models.IntegerField(null=True)
    repeat = models.IntegerField(default=0)
    verdict = models.CharField(max_length=16, choices=CitationVerdict)
    note = models.TextField(blank=True)
    reason = models.TextField(blank=True)
    shown = models.JSONField(default=dict)
    replaces = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    action_id = models.UUIDField()
    undoes = models.UUIDField(null=True)
    created_at = models.DateTimeField()

    redactable = ("note", "reason")

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(verdict__in=CitationVerdict.values), name="citation_verdict_known"),
            models.CheckConstraint(
                condition=Q(start=None, end=None) | Q(start__gte=0, end__isnull=False, end__gt=F("start")), name="cited_from_and_to"
            ),
            models.CheckConstraint(condition=Q(repeat__gte=0), name="citation_repeat_counted"),
        ]
        indexes: ClassVar = [models.Index(fields=["snapshot", "reviewer", "id"], name="citation_label_by_review")]
