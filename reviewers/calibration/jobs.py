"""What the worker does for calibration."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from procrastinate.contrib.django import app

from reviewers.calibration import comparing
from reviewers.calibration.models import CalibrationProfile, Recomputation
from reviewers.calibration.undertaking_models import Undertaken, Undertaking
from reviewers.web import walls

_BEHIND_OTHERS = -1


def defer(profile: CalibrationProfile, now: datetime) -> None:
    """Have a profile compared once the transaction is committed; how far that is can be seen meanwhile."""
    asked: Undertaking = Undertaking.objects.create(
        organisation_id=profile.organisation_id,
        kind=Undertaken.COMPARE,
        combination_id=profile.combination_id,
        profile=profile,
        asked_at=now,
    )
    compare.defer(profile=str(profile.pk), organisation=str(profile.organisation_id), undertaking=str(asked.pk))


@app.task
def compare(profile: str, organisation: str, undertaking: str | None = None) -> None:
    """Compare a profile with what is active, on stored answers. Done twice it is a second comparison, and the newest counts."""
    with walls.within(UUID(organisation)):
        comparing.compare_profile(
            profile_id=UUID(profile),
            organisation_id=UUID(organisation),
            now=timezone.now(),
            undertaking_id=UUID(undertaking) if undertaking else None,
        )


def fit_later(asked: Undertaking) -> None:
    """Have a profile fitted and proposed once the transaction is committed."""
    fit.defer(undertaking=str(asked.pk), organisation=str(asked.organisation_id))


@app.task
def fit(undertaking: str, organisation: str) -> None:
    """Fit a profile and propose it; its comparison is the next job."""
    from reviewers.calibration.proposing import fit_asked  # noqa: PLC0415 — it has this module put into the queue

    with walls.within(UUID(organisation)):
        fit_asked(undertaking_id=UUID(undertaking), now=timezone.now())


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
