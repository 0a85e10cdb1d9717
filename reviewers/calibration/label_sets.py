"""A set of labels as lines of JSON: kept with each profile, exported, and read again somewhere else for the same profile.

The first line of an export says what the profile was fitted for. Each other line is an observation with the labels it was made of,
or one that was held for promises and not learned from, or names one that was left out, and why.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from attribution import canonical_bytes
from attribution.calibration import Observation, Scope, Stream
from reviewers.calibration.gathering import Gathered

SCHEMA = "footnote-labels/1"


@dataclass(frozen=True, slots=True)
class Exported:
    """What a fit needs to give the same profile: the labels, and the profile that was active before."""

    scope: Scope
    parent: str | None
    gathered: Gathered


class NotLabelsError(ValueError):
    """A file is no export of labels; the message says where."""


def lines_of(gathered: Gathered) -> Iterator[bytes]:
    """A line for each field, those that were used first."""
    for kind, observations in (("observation", gathered.observations), ("held", gathered.held)):
        for each in sorted(observations, key=lambda one: one.id):
            observed = {name: value for name, value in asdict(each).items() if name != "scope"}
            yield canonical_bytes({kind: observed, "labels": list(gathered.members.get(each.id, ()))})
    for name, reason in sorted(gathered.excluded.items()):
        yield canonical_bytes({"excluded": name, "because": reason, "labels": list(gathered.members.get(name, ()))})


def heading(scope: Scope, parent: str | None, digest: str) -> bytes:
    """The first line."""
    return canonical_bytes({"schema": SCHEMA, "scope": asdict(scope), "parent": parent, "digest": digest})


def read_export(lines: Iterable[bytes]) -> Exported:
    """An export, read. Raises ``NotLabelsError``."""
    numbered = enumerate(lines, start=1)
    try:
        _, first = next(numbered)
        head = json.loads(first)
        if head["schema"] != SCHEMA:
            raise NotLabelsError(f"line 1: the schema is {head['schema']!r}, not {SCHEMA!r}")
        scope = Scope(**head["scope"])
    except (StopIteration, KeyError, TypeError, json.JSONDecodeError) as error:
        raise NotLabelsError("line 1: this is no export of labels") from error
    read = _Read([], [], {}, {})
    for number, line in numbered:
        if line.strip():
            _read_line(number, line, scope, read)
    return Exported(scope, head["parent"], Gathered(read.observations, read.excluded, read.members, read.held))


class _Read(NamedTuple):
    """What was read so far."""

    observations: list[Observation]
    held: list[Observation]
    excluded: dict[str, str]
    members: dict[str, list[str]]


def _read_line(number: int, line: bytes, scope: Scope, read: _Read) -> None:
    try:
        data = json.loads(line)
        if "excluded" in data:
            name = data["excluded"]
            read.excluded[name] = data["because"]
        else:
            observation = _read_observation(data["held"] if "held" in data else data["observation"], scope)
            name = observation.id
            (read.held if "held" in data else read.observations).append(observation)
        read.members[name] = data["labels"]
    except (KeyError, TypeError, ValueError) as error:
        raise NotLabelsError(f"line {number}: {error}") from error


def _read_observation(data: Mapping[str, Any], scope: Scope) -> Observation:
    """Numbers that are whole come back as such, and are fractions all the same."""
    read = {**data, "scope": scope, "stream": Stream(data["stream"]), "fired": tuple(data["fired"])}
    return Observation(**read | {name: float(data[name]) for name in ("score", "uncapped_score", "inclusion")})
