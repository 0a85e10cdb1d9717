"""Profiles that answers were attributed under, as they were then."""

from __future__ import annotations

import json
from functools import lru_cache

from attribution import Profile, read_profile
from reviewers.snapshots.models import Profile as StoredProfile


@lru_cache(maxsize=16)
def read_stored(name: str) -> Profile:
    """A profile never changes under its name, so each is read once."""
    document = StoredProfile.objects.values_list("document", flat=True).get(pk=name)
    return read_profile(json.loads(bytes(document)))


@lru_cache(maxsize=1024)
def read_cutoff(name: str) -> float | None:
    """Its cut-off alone, which is small: kept of many."""
    return read_stored(name).cutoff
