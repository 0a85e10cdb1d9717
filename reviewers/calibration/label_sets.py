"""A set of labels as lines of JSON: kept with each profile, exported, and read again somewhere else for the same profile.

The first line of an export says what the profile was fitted for. Each other line is an observation with the labels it was made of, or
names one that was left out, and why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from attribution import InputError, canonical_bytes, read_json
from attribution.calibration import Imported, Observation, Scope
from reviewers.calibration.gathering import Gathered
from reviewers.calibration.importing.observations import read_imports, read_observation, read_scope
from reviewers.calibration.importing.strictly import take_object, take_text, take_texts

SCHEMA = "footnote-labels/1"


@dataclass(frozen=True, slots=True)
class Exported:
    """What a fit needs to give the same profile: the labels, and the profile that was active before. ``digest`` is what line 1 claims."""

    scope: Scope
    parent: str | None
    gathered: Gathered
    digest: str
    calibrator: Mapping[str, Any] | None = None


class NotLabelsError(ValueError):
    """A file is no export of labels; the message says where."""


def lines_of(gathered: Gathered) -> Iterator[bytes]:
    """A line for each field, those that were used first."""
    for each in sorted(gathered.observations, key=lambda one: one.id):
        observed = {name: value for name, value in asdict(each).items() if name != "scope"}
        yield canonical_bytes({"observation": observed, "labels": list(gathered.members.get(each.id, ()))})
    for name, reason in sorted(gathered.excluded.items()):
        yield canonical_bytes({"excluded": name, "because": reason, "labels": list(gathered.members.get(name, ()))})


def heading(
    scope: Scope, parent: str | None, digest: str, imports: Iterable[Imported] = (), calibrator: Mapping[str, Any] | None = None
) -> bytes:
    """The first line; with the calibrator of the profile before where the labels shift it."""
    head = {"schema": SCHEMA, "scope": asdict(scope), "parent": parent, "digest": digest}
    told = [asdict(each) for each in imports]
    return canonical_bytes(head | ({"imports": told} if told else {}) | ({"calibrator": calibrator} if calibrator else {}))


def is_export(line: bytes) -> bool:
    """Whether a first line is that of an export, well-formed or not."""
    return b'"' + SCHEMA.partition("/")[0].encode() + b"/" in line[:100_000]


def read_export(lines: Iterable[bytes]) -> Exported:
    """An export, read. Raises ``NotLabelsError`` with line and place."""
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    number, first = next(numbered, (1, b""))
    observations: list[Observation] = []
    excluded: dict[str, str] = {}
    members: dict[str, list[str]] = {}
    try:
        head = _read_head(first)
        scope, imports, parent = read_scope(head), read_imports(head), head.get("parent")
        if parent is not None:
            parent = take_text(head, "parent", "")
        digest = take_text(head, "digest", "")
        for number, line in numbered:  # noqa: B007 — it says where reading has come to
            _read_line(line, scope, observations, excluded, members)
    except InputError as error:
        raise NotLabelsError(f"line {number}: {error}") from error
    calibrator = take_object(head["calibrator"], "calibrator") if "calibrator" in head else None
    return Exported(scope, parent, Gathered(observations, excluded, members, imports), digest, calibrator)


def _read_head(line: bytes) -> dict[str, Any]:
    try:
        head = read_json(line)
    except InputError as error:
        raise InputError("", "this is no export of labels") from error
    if not isinstance(head, dict) or "schema" not in head:
        raise InputError("", "this is no export of labels")
    if head["schema"] != SCHEMA:
        raise InputError("schema", f"it is {head['schema']!r}, not {SCHEMA!r}")
    return head


def _read_line(line: bytes, scope: Scope, observations: list[Observation], excluded: dict[str, str], members: dict[str, list[str]]) -> None:
    data = take_object(read_json(line), "")
    if "excluded" in data:
        name = take_text(data, "excluded", "")
        excluded[name] = take_text(data, "because", "")
    else:
        observations.append(read_observation(data, scope))
        name = observations[-1].id
    if name in members:
        raise InputError("observation.id", "another line tells of the same label")
    members[name] = list(take_texts(data, "labels", ""))
