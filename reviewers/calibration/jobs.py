"""What the worker does for calibration."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils import timezone
from procrastinate.contrib.django import app

from reviewers.calibration import comparing
from reviewers.calibration.models import CalibrationProfile, Recomputation
from reviewers.web import walls

_BEHIND_OTHERS = -1


def defer(profile: CalibrationProfile) -> None:
    """Have a profile compared once the transaction is committed."""
    compare.defer(profile=str(profile.pk), organisation=str(profile.organisation_id))


@app.task
def compare(profile: str, organisation: str) -> None:
    """Compare a profile with what is active, on stored answers. Done twice it is a second comparison, and the newest counts."""
    with walls.within(UUID(organisation)):
        comparing.compare_profile(profile_id=UUID(profile), organisation_id=UUID(organisation), now=timezone.now())


def recompute_next(row: Recomputation) -> None:
    """Have the next piece done once the transaction is committed; what else the worker has to do comes first."""
    recompute.configure(priority=_BEHIND_OTHERS).defer(recomputation=str(row.pk), organisation=str(row.organisation_id))


@app.task
def recompute(recomputation: str, organisation: str) -> None:
    """One piece of a recomputation, and the job of the next."""
    from reviewers.calibration.recomputing import recompute_piece  # noqa: PLC0415 — it has this module put into the queue

    with walls.within(UUID(organisation)), transaction.atomic():
        if recompute_piece(recomputation_id=UUID(recomputation), now=timezone.now()):
            recompute_next(Recomputation.objects.get(pk=recomputation))
