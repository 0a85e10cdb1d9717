"""An active profile that is not believed for the time being, and that it is again. Both are records."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from reviewers.accounts.models import Organisation, User
from reviewers.web.models import InsertOnly


class Suspension(InsertOnly):
    """The confidences of a profile are not believed: from now on scores are shown.

    Either an alarm says so, which is one of the slice above, or a person does.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    profile = models.ForeignKey("calibration.CalibrationProfile", on_delete=models.PROTECT, related_name="suspensions")
    alarm = models.UUIDField(null=True)
    suspended_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    because = models.TextField()
    suspended_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["profile", "alarm"], name="suspended_once_an_alarm"),
            models.CheckConstraint(condition=~Q(because=""), name="suspended_because"),
            models.CheckConstraint(
                condition=Q(alarm=None, suspended_by__isnull=False) | Q(alarm__isnull=False, suspended_by=None),
                name="suspended_by_an_alarm_or_somebody",
            ),
        ]


class Lifting(InsertOnly):
    """Somebody has looked, and says why the profile may be believed again."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+", db_index=False)
    suspension = models.OneToOneField(Suspension, on_delete=models.PROTECT, related_name="lifting")
    lifted_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    lifted_at = models.DateTimeField()
    reason = models.TextField()

    class Meta:
        constraints: ClassVar = [models.CheckConstraint(condition=~Q(reason=""), name="lifted_with_a_reason")]
