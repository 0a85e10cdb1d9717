"""Labels that came from elsewhere. They are records, and never stand among those of the reviewers here."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from reviewers.accounts.models import Organisation, User
from reviewers.web.models import InsertOnly


class Origin(models.TextChoices):
    """What a set of labels was read from."""

    EXPORT = "export", "Exported labels"
    TURNS = "turns", "Labelled turns"


class ImportedSet(InsertOnly):
    """Labels from elsewhere that tell of a combination. ``digest`` is the engine's, over those that say anything, whatever their order.

    ``document`` is what exports are: JSON lines, the first of which says what the labels hold for; compressed. ``source`` names where
    they are from. Nobody is named where a command brought them.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    combination = models.ForeignKey("calibration.SeenCombination", on_delete=models.PROTECT, related_name="imports")
    origin = models.CharField(max_length=8, choices=Origin)
    source = models.CharField(max_length=200)
    digest = models.BinaryField(max_length=32)
    document = models.BinaryField()
    label_count = models.IntegerField()
    conversation_count = models.IntegerField()
    imported_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    imported_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organisation", "combination", "digest"], name="imported_once"),
            models.CheckConstraint(condition=Q(origin__in=Origin.values), name="origin_known"),
            models.CheckConstraint(condition=Q(label_count__gt=0) & ~Q(source=""), name="imported_from_somewhere"),
        ]
