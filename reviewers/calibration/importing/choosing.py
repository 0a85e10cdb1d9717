"""Which imported labels a profile uses is chosen when it is proposed; here they come to those of the reviewers, and are told from them."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from attribution.calibration import Imported, Observation, Scope, Stream
from reviewers.calibration.combinations import scope_of
from reviewers.calibration.gathering import Gathered, gather
from reviewers.calibration.import_models import ImportedSet
from reviewers.calibration.label_sets import read_export
from reviewers.calibration.models import SeenCombination


def gather_with(seen: SeenCombination, chosen: Collection[UUID]) -> Gathered:
    """The labels of the reviewers of a combination, and those of the chosen sets; a set of another combination is passed over."""
    own = gather(seen)
    if not chosen:
        return own
    sets = ImportedSet.objects.filter(combination=seen, pk__in=list(chosen)).order_by("-id")
    return added(own, list(sets), scope_of(seen))


def added(own: Gathered, sets: Sequence[ImportedSet], scope: Scope) -> Gathered:
    """Labels with those of imported sets. On a field of an answer that has a label already no other is added: reviewers come first.

    An imported label stands for one row, in a stream of its own: it was drawn from other answers than those that are stored here.
    """
    observations, told = list(own.observations), list(own.imports)
    members = dict(own.members)
    taken = {each.id for each in observations} | own.excluded.keys()
    for each in sets:
        read = read_export(zlib.decompress(bytes(each.document)).splitlines()).gathered
        new = [_as_imported(one, scope) for one in read.observations if one.id not in taken and one.is_used is not None]
        observations += new
        members |= {one.id: read.members[one.id] for one in new}
        taken |= {one.id for one in new}
        told.append(Imported(each.source, f"sha256:{bytes(each.digest).hex()}", len(new)))
    return Gathered(observations, own.excluded, members, [each for each in told if each.labels])


def imports_of(record: Mapping[str, Any]) -> tuple[Imported, ...]:
    """What the record of a profile tells of the imported labels it uses."""
    return tuple(Imported(**each) for each in record["labels"].get("imports", ()))


def count_imported(record: Mapping[str, Any]) -> int:
    """How many they are."""
    return sum(each.labels for each in imports_of(record))


def _as_imported(observation: Observation, scope: Scope) -> Observation:
    return replace(observation, stream=Stream.IMPORTED, stratum="", inclusion=1.0, scope=scope)
