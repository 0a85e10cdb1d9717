"""Under which profile a record is attributed: the default one, unless a slice above this one has one for its combination.

It stands above and may not be imported here, so it says here how it finds profiles, and takes note of combinations that are new.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import Enum
from typing import NamedTuple, Protocol
from uuid import UUID

from attribution import DEFAULT_PROFILE, Profile


class Combination(NamedTuple):
    """What a record was made by, as it says itself. Labels on one combination tell nothing of another."""

    model: str
    prompt_version: str
    schema_version: str


class Standing(Enum):
    """Whether a combination has a profile, and whether it is believed."""

    NONE = "none"
    ACTIVE = "active"
    SUSPENDED = "suspended"


class Chooser(Protocol):
    """Knows the profiles of combinations."""

    def find(self, organisation_id: UUID, combinations: Collection[Combination]) -> Mapping[Combination, Profile | None]:
        """Those of the combinations that were seen before, each with its profile if it has one; in one statement."""

    def standing(self, organisation_id: UUID, combination: Combination) -> Standing:
        """How a combination stands; in one statement."""

    def note(self, organisation_id: UUID, combinations: Collection[Combination]) -> None:
        """These are seen for the first time."""


_choosers: list[Chooser] = []


def choose_with(chooser: Chooser) -> None:
    """Ask this one from now on, instead of any before."""
    _choosers[:] = [chooser]


def combination_of(names: Mapping[str, str]) -> Combination:
    """The combination that a record's names tell."""
    return Combination(*(names.get(name, "") for name in Combination._fields))


def profiles_for(organisation_id: UUID, combinations: Collection[Combination]) -> Mapping[Combination, Profile]:
    """The profile to attribute records of each combination under. Called where records are written: new combinations are noted."""
    known: dict[Combination, Profile | None] = {}
    for chooser in _choosers:
        known |= chooser.find(organisation_id, combinations)
        if new := set(combinations) - known.keys():
            chooser.note(organisation_id, new)
    return {each: known.get(each) or DEFAULT_PROFILE for each in combinations}


def standing_of(organisation_id: UUID, combination: Combination) -> Standing:
    """Whether there is a profile for a combination now, and whether it is believed."""
    return next((chooser.standing(organisation_id, combination) for chooser in _choosers), Standing.NONE)
