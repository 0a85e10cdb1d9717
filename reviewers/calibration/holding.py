"""Keeps audit labels apart: what a promise rests on, nothing was learned from."""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection
from dataclasses import replace

from attribution.calibration import Observation, Stream, judged
from reviewers.calibration.gathering import Gathered
from reviewers.calibration.models import CalibrationProfile

ENOUGH_OTHERS = 200
"""So many labels besides those of audits are enough for a whole table; with fewer the audit's are learned from, too."""


def hold_out(gathered: Gathered, learned: Collection[str] = ()) -> Gathered:
    """Labels of audits kept apart, but for those that a profile has ``learned`` from before: these never were collected after it."""
    kept = [each for each in gathered.observations if is_for_promises(each) and each.id not in learned]
    names = {each.id for each in kept}
    others = [each for each in gathered.observations if each.id not in names]
    if len(judged(others)) < ENOUGH_OTHERS:
        return gathered
    return replace(gathered, observations=others, held=kept)


def learned_by(profile: CalibrationProfile | None) -> frozenset[str]:
    """The names of the labels that a profile was fitted to; what it kept apart is not among them."""
    if profile is None:
        return frozenset()
    lines = map(json.loads, zlib.decompress(bytes(profile.labels.document)).splitlines())
    return frozenset(line["observation"]["id"] for line in lines if "observation" in line)


def is_for_promises(observation: Observation) -> bool:
    """Whether it is of a kind that a promise may rest on: drawn by chance alone, and judged without knowing what the engine says."""
    return observation.stream is Stream.AUDIT and observation.is_blind
