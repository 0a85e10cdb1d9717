"""What the worker does for calibration."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone
from procrastinate.contrib.django import app

from reviewers.calibration import actions
from reviewers.web import walls


@app.task
def compare(profile: str, organisation: str) -> None:
    """Compare a profile with what is active, on stored answers. Done twice it is a second comparison, and the newest counts."""
    with walls.within(UUID(organisation)):
        actions.compare_profile(profile_id=UUID(profile), organisation_id=UUID(organisation), now=timezone.now())
