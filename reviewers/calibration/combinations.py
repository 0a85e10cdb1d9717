"""The combinations that turns came from, and the active profile of each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from attribution import DEFAULT_PROFILE, ENGINE_VERSION, Profile, calibrated
from attribution.calibration import Scope
from reviewers.calibration.models import CalibrationProfile, SeenCombination
from reviewers.snapshots.hooks import Combination, ProfileStatus
from reviewers.web.models import unpack
from reviewers.web.statements import read_rows

ENGINE = f"{ENGINE_VERSION} {DEFAULT_PROFILE.id}"
"""The origin of scores: another engine version or default profile gives other scores."""

_COLUMNS = Combination._fields


def scope_of(seen: SeenCombination) -> Scope:
    """Return the scope of a profile for a combination, with the engine's names for its parts."""
    return Scope(str(seen.organisation_id), seen.model, seen.prompt_version, seen.schema_version, seen.engine)


def key_of(seen: SeenCombination) -> Combination:
    """Return the combination as its turns name it."""
    return Combination(seen.model, seen.prompt_version, seen.schema_version)


class ActiveProfiles:
    """Finds the active profiles of combinations, each call with one query; the profiles never change, and are cached."""

    def find(self, organisation_id: UUID, combinations: Collection[Combination]) -> Mapping[Combination, Profile | None]:
        """Return the combinations that were seen before, each with its active profile or None."""
        wanted = [sorted({getattr(each, name) for each in combinations}) for name in _COLUMNS]
        return {
            Combination(*names): _read(name, believed_id)
            for *names, name, believed_id in read_rows(_SEEN, [organisation_id, ENGINE, *wanted])
        }

    def status(self, organisation_id: UUID, combination: Combination) -> ProfileStatus:
        """Return the status of a combination's profile."""
        seen = SeenCombination.objects.filter(organisation=organisation_id, engine=ENGINE, **combination._asdict()).exclude(active=None)
        is_suspended = seen.annotate(is_suspended=Q(suspension__isnull=False)).values_list("is_suspended", flat=True).first()
        if is_suspended is None:
            return ProfileStatus.NONE
        return ProfileStatus.SUSPENDED if is_suspended else ProfileStatus.ACTIVE

    def note(self, organisation_id: UUID, combinations: Collection[Combination]) -> None:
        """Store new combinations, sorted by name so that concurrent calls with the same ones cannot deadlock."""
        now = timezone.now()
        new = [
            SeenCombination(organisation_id=organisation_id, engine=ENGINE, first_seen_at=now, **each._asdict())
            for each in sorted(combinations)
        ]
        SeenCombination.objects.bulk_create(new, ignore_conflicts=True)


_SEEN = """
SELECT seen.model, seen.prompt_version, seen.schema_version, active.name, CASE WHEN seen.suspension_id IS NULL THEN seen.active_id END
FROM calibration_seencombination AS seen LEFT JOIN calibration_calibrationprofile AS active ON active.id = seen.active_id
WHERE seen.organisation_id = %s AND seen.engine = %s
AND seen.model = ANY(%s) AND seen.prompt_version = ANY(%s) AND seen.schema_version = ANY(%s)
"""
"""Combinations of any of these names, each with its profile where that is believed."""


def _read(name: str, profile_id: UUID | None) -> Profile | None:
    return read_profile(name, profile_id) if profile_id else None


@lru_cache(maxsize=64)
def read_profile(name: str, profile_id: UUID) -> Profile:
    """Return a profile. It is cached by its name, which is a digest of its content."""
    del name
    document = CalibrationProfile.objects.values_list("document", flat=True).get(pk=profile_id)
    return calibrated(DEFAULT_PROFILE, unpack(document))
