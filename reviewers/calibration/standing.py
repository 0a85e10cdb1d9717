"""How models with their prompts stand, for pages that know no schemas: one statement for all of an organisation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Q

from reviewers.calibration import words
from reviewers.calibration.combinations import ENGINE
from reviewers.calibration.models import SeenCombination
from reviewers.calibration.queries import badge_of
from reviewers.calibration.states import ProfileState
from reviewers.review.words import Badge


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Whether new answers show confidences, and the page that says more; where there are several schemas that of all combinations."""

    badge: Badge
    combination_id: UUID | None


def calibration_by_name(organisation_id: UUID) -> Mapping[tuple[str, str], Calibrated]:
    """By model and prompt version, of the engine that runs."""
    seen = SeenCombination.objects.filter(organisation=organisation_id, engine=ENGINE).order_by()
    counts = {"believed": Count("active", filter=Q(suspension=None)), "approved": Count("active")}
    rows = seen.values_list("model", "prompt_version").annotate(ids=ArrayAgg("pk"), **counts)
    return {
        (model, prompt): Calibrated(_badge(believed, approved, len(ids)), ids[0] if len(ids) == 1 else None)
        for model, prompt, ids, believed, approved in rows
    }


def _badge(believed: int, approved: int, schemas: int) -> Badge:
    if approved and not believed:
        return badge_of(ProfileState.SUSPENDED)
    if not believed:
        return words.UNCALIBRATED
    if believed == schemas:
        return words.CALIBRATED
    said = f"Calibrated for {believed} of {schemas} schemas"
    return Badge(said, said, "warn", "unsure")
