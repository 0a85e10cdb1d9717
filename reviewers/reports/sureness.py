"""How sure it is that the answer draws on a value: in words and with the figure, both by the profile, and only where it was measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attribution import FieldAttribution, Profile
from reviewers.review.items import Item
from reviewers.snapshots.stored_profiles import read_stored


@dataclass(frozen=True, slots=True)
class Sureness:
    """So many in a hundred such rows were found to be right; ``words`` say it without a figure.

    ``cutoff`` is the profile's, in a hundred, where this one lies below it.
    """

    words: str
    in_a_hundred: int
    cutoff: int | None = None


HowSure = Callable[[FieldAttribution], Sureness | None]


def how_sure(item: Item) -> HowSure:
    """Says how sure a row is: nothing where no labels stand behind the number, which then is a score and no share of anything."""
    if not item.attribution.is_calibrated:
        return lambda _row: None
    profile = read_stored(item.attribution.profile)
    return lambda row: _sureness(row, profile)


def _sureness(row: FieldAttribution, profile: Profile) -> Sureness | None:
    if row.estimate is None:
        return None
    is_below = profile.cutoff is not None and row.confidence < profile.cutoff
    cutoff = round(100 * profile.cutoff) if profile.cutoff is not None and is_below else None
    return Sureness(profile.in_words(row.confidence), min(99, max(1, round(100 * row.confidence))), cutoff)
