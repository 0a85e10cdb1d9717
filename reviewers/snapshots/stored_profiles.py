"""Profiles that answers were attributed under, as they were then."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from attribution import Profile, read_profile
from reviewers.snapshots.models import Profile as StoredProfile


@dataclass(frozen=True, slots=True)
class Carried:
    """Whose counts a table has that was taken over: those of ``profile``, for another combination.

    It was shifted as ``labels`` labels ask for: in log odds, all rules by ``of_all`` and each besides by its own.
    """

    profile: str
    labels: int
    of_all: float
    by_rule: Mapping[str, float]

    def shift_of(self, rule: str) -> float:
        """By how much the confidences of a rule moved, in log odds."""
        return self.of_all + self.by_rule.get(rule, 0.0)


@lru_cache(maxsize=16)
def read_stored(name: str) -> Profile:
    """A profile never changes under its name, so each is read once."""
    document = StoredProfile.objects.values_list("document", flat=True).get(pk=name)
    return read_profile(json.loads(bytes(document)))


@lru_cache(maxsize=1024)
def read_cutoff(name: str) -> float | None:
    """Its cut-off alone, which is small: kept of many."""
    return read_stored(name).cutoff


@lru_cache(maxsize=1024)
def read_carried(name: str) -> Carried | None:
    """Whose counts it has; nothing where they are its own."""
    return carried_by(read_stored(name).data["calibration"])


def carried_by(calibration: Mapping[str, Any]) -> Carried | None:
    """The same of the record of a calibration. Records of earlier days do not say by how much they were shifted, and so nothing."""
    shift = calibration.get("shift")
    return Carried(calibration["parent"], shift["labels"], shift["of_all"], shift["by_rule"]) if shift else None
