"""What the worker has been asked to do for calibration, and how far it is."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from reviewers.accounts.models import Organisation, User
from reviewers.web.models import Identified


class Undertaken(models.TextChoices):
    """What is done."""

    FIT = "fit", "Fit a profile"
    COMPARE = "compare", "Compare a profile"


class Undertaking(Identified):
    """A profile is fitted to the labels of a combination and to ``imports``, or a ``profile`` is compared: ``done`` of ``total`` answers.

    Once it is finished, a fit names the profile that it proposed, or ``refused`` says why there is none.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    kind = models.CharField(max_length=8, choices=Undertaken)
    combination = models.ForeignKey("calibration.SeenCombination", on_delete=models.PROTECT, related_name="undertakings")
    profile = models.ForeignKey("calibration.CalibrationProfile", null=True, on_delete=models.PROTECT, related_name="undertakings")
    imports = ArrayField(models.UUIDField(), default=list)
    requested_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    asked_at = models.DateTimeField()
    done = models.IntegerField(default=0)
    total = models.IntegerField(default=0)
    refused = models.TextField(blank=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(kind__in=Undertaken.values), name="undertaking_known"),
            models.CheckConstraint(condition=Q(done__gte=0, done__lte=F("total")), name="undertaken_of_total"),
            models.CheckConstraint(condition=~Q(kind=Undertaken.COMPARE) | Q(profile__isnull=False), name="compared_is_named"),
            models.UniqueConstraint(fields=["combination"], condition=Q(kind=Undertaken.FIT, finished_at=None), name="one_fit_at_a_time"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.done} of {self.total}"
