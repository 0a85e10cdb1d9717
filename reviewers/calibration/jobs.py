"""What the worker does for calibration."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone
from procrastinate.contrib.django import app

from reviewers.calibration import comparing
from reviewers.calibration.models import CalibrationProfile
from reviewers.web import walls


def defer(profile: CalibrationProfile) -> None:
    """Have a profile compared once the transaction is committed."""
    compare.defer(profile=str(profile.pk), organisation=str(profile.organisation_id))


@app.task
def compare(profile: str, organisation: str) -> None:
    """Compare a profile with what is active, on stored answers. Done twice it is a second comparison, and the newest counts."""
    with walls.within(UUID(organisation)):
        comparing.compare_profile(profile_id=UUID(profile), organisation_id=UUID(organisation), now=timezone.now())
