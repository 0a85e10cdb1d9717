"""Hooks of snapshots: lists that slices above fill in their ``AppConfig.ready``, and their use.

Slices above choose the profile of an attribution, withhold attributions and records from programs, add to the API's response, and take
the labels of imported turns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from attribution import DEFAULT_PROFILE, Profile
from reviewers.accounts.audit import Actor
from reviewers.accounts.models import Organisation


class Combination(NamedTuple):
    """The model, prompt version and schema version that a turn names. Labels on one combination say nothing about another."""

    model: str
    prompt_version: str
    schema_version: str


class ProfileStatus(Enum):
    """The status of a combination's profile."""

    NONE = "none"
    ACTIVE = "active"
    SUSPENDED = "suspended"


class ProfileChooser(Protocol):
    """Knows the profiles of combinations."""

    def find(self, organisation_id: UUID, combinations: Collection[Combination]) -> Mapping[Combination, Profile | None]:
        """Return the combinations that were seen before, each with its active profile or None; in one query."""

    def status(self, organisation_id: UUID, combination: Combination) -> ProfileStatus:
        """Return the status of a combination's profile; in one query."""

    def note(self, organisation_id: UUID, combinations: Collection[Combination]) -> None:
        """Store combinations that are seen for the first time."""


profile_choosers: list[ProfileChooser] = []

withheld_checks: list[tuple[str, Callable[[Collection[UUID]], Collection[UUID]]]] = []
"""Pairs of a reason and a callable that returns those snapshots whose attribution is withheld from programs now."""

repeating_checks: list[Callable[[UUID], bool]] = []
"""Each returns True if another turn of a snapshot's conversation is withheld, which the snapshot's record may repeat."""

response_additions: list[tuple[str, Callable[[UUID, UUID], Any]]] = []
"""Pairs of a name in the API's response and a callable that returns its JSON value for an organisation and a snapshot."""


contradiction_listeners: list[Callable[[UUID, Sequence[UUID], datetime], None]] = []
"""Called with an organisation, its turns just frozen whose answers contradict their records, and the time; in their transaction."""


class LabelImporter(Protocol):
    """Takes the labels that come with imported turns."""

    def __call__(self, lines: Sequence[tuple[int, bytes]], organisation: Organisation, source: str, by: Actor, now: datetime) -> list[str]:
        """Store the labels of labelled turns, one a line, and return sentences of what came in. Labels that are known change nothing.

        Raise ``LabelsRefusedError`` if they cannot be used; none is stored then.
        """


class LabelsRefusedError(Exception):
    """Labels that cannot be used, with the reason."""


label_importers: list[LabelImporter] = []


def tell_contradictions(organisation_id: UUID, snapshot_ids: Sequence[UUID], at: datetime) -> None:
    """Call every listener, if there are any such turns."""
    for listener in contradiction_listeners if snapshot_ids else ():
        listener(organisation_id, snapshot_ids, at)


def combination_of(names: Mapping[str, str]) -> Combination:
    """Return the combination that a turn's names make up."""
    return Combination(*(names.get(name, "") for name in Combination._fields))


def profiles_for(organisation_id: UUID, combinations: Collection[Combination]) -> Mapping[Combination, Profile]:
    """Return the profile for attributing turns of each combination. New combinations are stored, so call this where turns are written."""
    known: dict[Combination, Profile | None] = {}
    for chooser in profile_choosers:
        known |= chooser.find(organisation_id, combinations)
        if new := set(combinations) - known.keys():
            chooser.note(organisation_id, new)
    return {each: known.get(each) or DEFAULT_PROFILE for each in combinations}


def profile_status(organisation_id: UUID, combination: Combination) -> ProfileStatus:
    """Return the status of a combination's profile."""
    return next((chooser.status(organisation_id, combination) for chooser in profile_choosers), ProfileStatus.NONE)


def reasons_among(snapshot_ids: Collection[UUID]) -> Mapping[UUID, str]:
    """Return the reason for each of these snapshots whose attribution is withheld."""
    return {pk: reason for reason, check in withheld_checks for pk in (check(snapshot_ids) if snapshot_ids else ())}


def why_withheld(snapshot_id: UUID) -> str:
    """Return the reason why a snapshot's attribution is withheld, or an empty string."""
    return reasons_among([snapshot_id]).get(snapshot_id, "")


def import_labels(lines: Sequence[tuple[int, bytes]], organisation: Organisation, source: str, by: Actor, now: datetime) -> list[str]:
    """Store the labels of labelled turns; return sentences of what came in."""
    return [said for take in label_importers for said in take(lines, organisation, source, by, now)]


def repeats_withheld(snapshot_id: UUID) -> bool:
    """Return True if a snapshot's record may repeat a turn that is withheld."""
    return any(check(snapshot_id) for check in repeating_checks)


def read_additions(organisation_id: UUID, snapshot_id: UUID) -> dict[str, Any]:
    """Return everything that slices above add to the response for a snapshot."""
    return {name: read(organisation_id, snapshot_id) for name, read in response_additions}
