"""A set of labels as lines of JSON: kept with each profile, exported, and read again somewhere else for the same profile.

The first line of an export says what the profile was fitted for. Each other line is an observation with the labels it was made of,
or one that was held for promises and not learned from, or names one that was left out, and why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from attribution import InputError, canonical_bytes, read_json
from attribution.calibration import Imported, Observation, Scope
from reviewers.calibration.gathering import Gathered
from reviewers.calibration.importing.observations import read_imports, read_observation, read_scope
from reviewers.calibration.importing.strictly import take_object, take_text, take_texts

SCHEMA = "footnote-labels/1"


@dataclass(frozen=True, slots=True)
class Exported:
    """What a fit needs to give the same profile: the labels, and the profile that was active before.

    ``digest`` is what line 1 claims of those that are learned from, ``audit`` of those that were held, if any.
    """

    scope: Scope
    parent: str | None
    gathered: Gathered
    digest: str
    audit: str | None = None
    calibrator: Mapping[str, Any] | None = None


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


def heading(
    scope: Scope,
    parent: str | None,
    digest: str,
    imports: Iterable[Imported] = (),
    *,
    audit: str | None = None,
    calibrator: Mapping[str, Any] | None = None,
) -> bytes:
    """The first line. ``audit`` is the digest of the labels that were held, ``calibrator`` the one that these labels shift."""
    head = {"schema": SCHEMA, "scope": asdict(scope), "parent": parent, "digest": digest}
    told = {"imports": [asdict(each) for each in imports], "audit": audit, "calibrator": calibrator}
    return canonical_bytes(head | {name: value for name, value in told.items() if value})


def is_export(line: bytes) -> bool:
    """Whether a first line is that of an export, well-formed or not."""
    return b'"' + SCHEMA.partition("/")[0].encode() + b"/" in line[:100_000]


def read_export(lines: Iterable[bytes]) -> Exported:
    """An export, read. Raises ``NotLabelsError`` with line and place."""
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    number, first = next(numbered, (1, b""))
    read = _Read([], [], {}, {})
    try:
        head = _read_head(first)
        scope, imports = read_scope(head), read_imports(head)
        parent, audit = (None if head.get(name) is None else take_text(head, name, "") for name in ("parent", "audit"))
        digest = take_text(head, "digest", "")
        calibrator = take_object(head["calibrator"], "calibrator") if "calibrator" in head else None
        for number, line in numbered:  # noqa: B007 — it says where reading has come to
            _read_line(line, scope, read)
    except InputError as error:
        raise NotLabelsError(f"line {number}: {error}") from error
    gathered = Gathered(read.observations, read.excluded, read.members, imports, read.held)
    return Exported(scope, parent, gathered, digest, audit, calibrator)


class _Read(NamedTuple):
    """What was read so far."""

    observations: list[Observation]
    held: list[Observation]
    excluded: dict[str, str]
    members: dict[str, list[str]]


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


def _read_line(line: bytes, scope: Scope, read: _Read) -> None:
    data = take_object(read_json(line), "")
    if "excluded" in data:
        name = take_text(data, "excluded", "")
        read.excluded[name] = take_text(data, "because", "")
    else:
        kind, into = ("held", read.held) if "held" in data else ("observation", read.observations)
        into.append(read_observation(data, scope, kind))
        name = into[-1].id
    if name in read.members:
        raise InputError("observation.id", "another line tells of the same label")
    read.members[name] = list(take_texts(data, "labels", ""))
