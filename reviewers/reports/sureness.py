"""How sure it is that the answer draws on a value: in words and with the figure, both by the profile, and only where it was measured."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from attribution import FieldAttribution, Profile, read_profile
from reviewers.review.items import Item
from reviewers.snapshots.models import Profile as StoredProfile


@dataclass(frozen=True, slots=True)
class Sureness:
    """So many in a hundred such rows were found to be right; ``words`` say it without a figure."""

    words: str
    in_a_hundred: int


HowSure = Callable[[FieldAttribution], Sureness | None]


def how_sure(item: Item) -> HowSure:
    """Says how sure a row is: nothing where no labels stand behind the number, which then is a score and no share of anything."""
    if not item.attribution.is_calibrated:
        return lambda _row: None
    profile = _read(item.attribution.profile)
    return lambda row: _sureness(row, profile)


def _sureness(row: FieldAttribution, profile: Profile) -> Sureness | None:
    if row.estimate is None:
        return None
    return Sureness(profile.in_words(row.confidence), min(99, max(1, round(100 * row.confidence))))


@lru_cache(maxsize=16)
def _read(name: str) -> Profile:
    """A profile never changes under its name."""
    document = StoredProfile.objects.values_list("document", flat=True).get(pk=name)
    return read_profile(json.loads(bytes(document)))
