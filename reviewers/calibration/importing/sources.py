"""Reads a file of labels, whichever of the two kinds it is, into sets by combination."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain

from attribution import InputError
from attribution.calibration import Observation, Scope, label_set
from reviewers.calibration.combinations import ENGINE
from reviewers.calibration.gathering import Gathered
from reviewers.calibration.import_models import Origin
from reviewers.calibration.importing.turns import LabelledTurn, read_turn
from reviewers.calibration.label_sets import NotLabelsError, is_export, read_export
from reviewers.snapshots.choosing import Combination, combination_of

Numbered = tuple[int, bytes]
"""A line and its number in the file."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """Labels of one combination, as a file has them."""

    origin: Origin
    combination: Combination
    scope: Scope
    gathered: Gathered


def read_labels(lines: Iterable[Numbered], names: Mapping[str, str] | None = None) -> Iterator[Incoming | LabelledTurn]:
    """What a file holds: the whole set of an export, or its turns one by one, for they are many.

    ``names`` stand instead of what turns say that they were made by. Raises ``NotLabelsError`` with line and place.
    """
    numbered = iter(lines)
    first = next(numbered, None)
    if first is None:
        raise NotLabelsError("there is nothing in it")
    everything = chain([first], numbered)
    if is_export(first[1]):
        yield _read_export(line for _, line in everything)
        return
    for number, line in everything:
        try:
            turn = read_turn(line, number)
        except InputError as error:
            raise NotLabelsError(f"line {number}: {error}") from error
        yield turn if names is None else turn.named(names)


def sets_of_turns(turns: Iterable[tuple[LabelledTurn, str]], organisation: str) -> list[Incoming]:
    """Turns, each with the name of its message, as sets by combination. Raises ``NotLabelsError`` where two have one name."""
    by_combination: dict[Combination, dict[str, Observation]] = {}
    for turn, message in turns:
        known = by_combination.setdefault(combination_of(turn.names), {})
        for each in turn.observations(message):
            if each.id in known:
                raise NotLabelsError(f"two turns are called {turn.id}")
            known[each.id] = each
    return [_as_set(combination, list(known.values()), organisation) for combination, known in by_combination.items()]


def digest_of(incoming: Incoming) -> bytes:
    """The digest of the labels that say anything. Raises ``NotLabelsError`` where none does."""
    labels = label_set(incoming.gathered.observations)
    if not labels.labels:
        raise NotLabelsError("it holds no label that says anything")
    return bytes.fromhex(labels.digest.removeprefix("sha256:"))


def _read_export(lines: Iterable[bytes]) -> Incoming:
    read = read_export(lines)
    if read.scope.engine != ENGINE:
        raise NotLabelsError(f"line 1: scope.engine: the labels are on scores of {read.scope.engine}; here {ENGINE} gives them")
    learned, held = read.gathered.observations, read.gathered.held
    if label_set(learned).digest != read.digest or (label_set(held).digest if held else None) != read.audit:
        raise NotLabelsError("the labels do not give the digest in line 1: the file is not as it was exported")
    scope, everything = read.scope, replace(read.gathered, observations=[*learned, *held], held=())
    return Incoming(Origin.EXPORT, Combination(scope.model, scope.prompt, scope.schema), scope, everything)


def _as_set(combination: Combination, observations: list[Observation], organisation: str) -> Incoming:
    scope = Scope(organisation, combination.model, combination.prompt_version, combination.schema_version, ENGINE)
    return Incoming(Origin.TURNS, combination, scope, Gathered(observations, {}, {}))
