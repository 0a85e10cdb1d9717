"""Under which profile a record is attributed: the default one, unless a slice above this one has one for its combination.

It stands above and may not be imported here, so it says here how it finds profiles, and takes note of combinations that are new.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from enum import Enum
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from attribution import DEFAULT_PROFILE, Profile


class Combination(NamedTuple):
    """What a record was made by, as it says itself. Labels on one combination tell nothing of another."""

    model: str
    prompt_version: str
    schema_version: str


class ProfileStatus(Enum):
    """Whether a combination has a profile, and whether it is believed."""

    NONE = "none"
    ACTIVE = "active"
    SUSPENDED = "suspended"


class Chooser(Protocol):
    """Knows the profiles of combinations."""

    def find(self, organisation_id: UUID, combinations: Collection[Combination]) -> Mapping[Combination, Profile | None]:
        """Those of the combinations that were seen before, each with its profile if it has one; in one statement."""

    def standing(self, organisation_id: UUID, combination: Combination) -> ProfileStatus:
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


def profile_status(organisation_id: UUID, combination: Combination) -> ProfileStatus:
    """Whether there is a profile for a combination now, and whether it is believed."""
    return next((chooser.standing(organisation_id, combination) for chooser in _choosers), ProfileStatus.NONE)


# What slices above this one keep from programs for a while, such as an attribution under blind review.
#
# They stand above and may not be imported here, so they say here which snapshots they mean. Every answer to a program asks, whether the
# snapshot was asked for or its record was sent once more.


Withholds = Callable[[Collection[UUID]], Collection[UUID]]
"""Picks out of some snapshots those whose attribution is kept back now."""

_reasons: dict[str, Withholds] = {}


def withhold(reason: str, check: Withholds) -> None:
    """Keep back attributions, and say why."""
    _reasons[reason] = check


def reasons_among(snapshot_ids: Collection[UUID]) -> Mapping[UUID, str]:
    """Return why the attributions of some snapshots are kept back, of those that are."""
    return {pk: reason for reason, check in _reasons.items() for pk in (check(snapshot_ids) if snapshot_ids else ())}


def why_withheld(snapshot_id: UUID) -> str:
    """Return why the attribution of a snapshot is kept back; nothing where it is not."""
    return reasons_among([snapshot_id]).get(snapshot_id, "")


# What slices above add to the API's answer of a snapshot. They may not be imported here, so they say so when the site starts.


Read = Callable[[UUID, UUID], Any]
"""Takes the identifiers of the organisation and of the snapshot; gives plain JSON values."""

_additions: dict[str, Read] = {}


def add_to_answer(name: str, read: Read) -> None:
    """The answer has one member more."""
    _additions[name] = read


def read_additions(organisation_id: UUID, snapshot_id: UUID) -> dict[str, Any]:
    """All that is added to the answer of one snapshot."""
    return {name: read(organisation_id, snapshot_id) for name, read in _additions.items()}
