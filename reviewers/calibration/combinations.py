"""Which combinations answers came from, and the profile that is active for each."""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db.models import Case, F, Q, QuerySet, When
from django.utils import timezone

from attribution import DEFAULT_PROFILE, ENGINE_VERSION, Profile, calibrated
from attribution.calibration import Scope
from reviewers.calibration.models import CalibrationProfile, SeenCombination
from reviewers.snapshots.hooks import Combination, ProfileStatus, choose_with

ENGINE = f"{ENGINE_VERSION} {DEFAULT_PROFILE.id}"
"""What scores come from: another engine, or another default profile, gives others."""

_COLUMNS = Combination._fields


def scope_of(seen: SeenCombination) -> Scope:
    """The scope of a profile for it, as the engine names its parts."""
    return Scope(str(seen.organisation_id), seen.model, seen.prompt_version, seen.schema_version, seen.engine)


def key_of(seen: SeenCombination) -> Combination:
    """What its records say of themselves."""
    return Combination(seen.model, seen.prompt_version, seen.schema_version)


class ActiveProfiles:
    """Finds the active profile of combinations in one statement; the profiles themselves are kept, for they never change."""

    def find(self, organisation_id: UUID, combinations: Collection[Combination]) -> Mapping[Combination, Profile | None]:
        """Those that were seen before, each with its profile if one is active."""
        wanted = [sorted({getattr(each, name) for each in combinations}) for name in _COLUMNS]
        return {Combination(*names): _read(name, believed_id) for *names, name, believed_id in _seen(organisation_id, *wanted)}

    def standing(self, organisation_id: UUID, combination: Combination) -> ProfileStatus:
        """Whether its profile is active or suspended."""
        seen = SeenCombination.objects.filter(organisation=organisation_id, engine=ENGINE, **combination._asdict()).exclude(active=None)
        is_suspended = seen.annotate(is_suspended=Q(suspension__isnull=False)).values_list("is_suspended", flat=True).first()
        if is_suspended is None:
            return ProfileStatus.NONE
        return ProfileStatus.SUSPENDED if is_suspended else ProfileStatus.ACTIVE

    def note(self, organisation_id: UUID, combinations: Collection[Combination]) -> None:
        """Seen for the first time. In the order of their names, so that two that note the same ones wait for each other in turn."""
        now = timezone.now()
        new = [
            SeenCombination(organisation_id=organisation_id, engine=ENGINE, first_seen_at=now, **each._asdict())
            for each in sorted(combinations)
        ]
        SeenCombination.objects.bulk_create(new, ignore_conflicts=True)


def _seen(organisation_id: UUID, *wanted: list[str]) -> QuerySet[SeenCombination, tuple[Any, ...]]:
    """Combinations of any of these names, each with its profile where that is believed."""
    named = {f"{name}__in": names for name, names in zip(_COLUMNS, wanted, strict=True)}
    seen = SeenCombination.objects.filter(organisation=organisation_id, engine=ENGINE, **named)
    return seen.annotate(believed=Case(When(suspension=None, then=F("active_id")))).values_list(*_COLUMNS, "active__name", "believed")


def _read(name: str, profile_id: UUID | None) -> Profile | None:
    return read_profile(name, profile_id) if profile_id else None


@lru_cache(maxsize=64)
def read_profile(name: str, profile_id: UUID) -> Profile:
    """A profile by its name, which says what it is: the same name is never another profile."""
    del name
    document = CalibrationProfile.objects.values_list("document", flat=True).get(pk=profile_id)
    return calibrated(DEFAULT_PROFILE, json.loads(zlib.decompress(bytes(document))))


choose_with(ActiveProfiles())
