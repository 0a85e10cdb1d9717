"""The format of a label set: lines of JSON, stored with each profile, exported, and read again elsewhere for the same profile.

The first line of an export describes the fit. Each other line is an observation with its labels, an observation held out for certificates,
or a field that was left out, and why. Values are read strictly, and errors name their place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from attribution import InputError, canonical_bytes, read_json
from attribution.calibration import Imported, Observation, Scope, Stream
from reviewers.calibration.labels.dataset import Dataset

JSONMapping = Mapping[str, Any]


def take_object(data: Any, place: str) -> JSONMapping:
    """Return an object."""
    if not isinstance(data, dict):
        raise InputError(place, "must be an object")
    return data


def take_text(data: JSONMapping, key: str, place: str, *, longest: int = 2_000, default: str | None = None) -> str:
    """Return the text under a key, or the default if the key is missing."""
    value = data.get(key, default)
    if not isinstance(value, str):
        raise InputError(_at(place, key), "must be text")
    if len(value) > longest:
        raise InputError(_at(place, key), f"longer than {longest:,} characters")
    if "\0" in value or any("\ud800" <= each <= "\udfff" for each in value):
        raise InputError(_at(place, key), "holds characters that no text has")
    return value


def take_share(data: JSONMapping, key: str, place: str) -> float:
    """Return a number from 0 to 1, which may be written as a whole number."""
    value = data.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InputError(_at(place, key), "must be a number from 0 to 1")
    return float(value)


def take_truth(data: JSONMapping, key: str, place: str) -> bool | None:
    """Return true, false or None; a missing key is an error."""
    value = data.get(key, "")
    if value is not None and not isinstance(value, bool):
        raise InputError(_at(place, key), "must be true, false or null")
    return value


def take_flag(data: JSONMapping, key: str, place: str) -> bool:
    """Return true or false."""
    value = data.get(key)
    if not isinstance(value, bool):
        raise InputError(_at(place, key), "must be true or false")
    return value


def take_texts(data: JSONMapping, key: str, place: str) -> tuple[str, ...]:
    """Return a list of texts."""
    value = data.get(key)
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise InputError(_at(place, key), "must be a list of texts")
    return tuple(value)


def _at(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


_NAMES = ("id", "message", "conversation", "section", "path", "field_type", "method", "rule")
_SCOPE = ("organisation", "model", "prompt", "schema", "engine")
_STREAMS = {each.value: each for each in Stream}


def read_observation(line: JSONMapping, scope: Scope, place: str) -> Observation:
    """Return the observation under a line's key ``place``; raise ``InputError`` for an invalid one."""
    data = take_object(line.get(place), place)
    stream = _STREAMS.get(take_text(data, "stream", place))
    if stream is None:
        raise InputError(f"{place}.stream", f"must be one of {', '.join(_STREAMS)}")
    inclusion = take_share(data, "inclusion", place)
    if not inclusion:
        raise InputError(f"{place}.inclusion", "must be above 0")
    return Observation(
        **{name: take_text(data, name, place) for name in _NAMES},
        score=take_share(data, "score", place),
        uncapped_score=None if data.get("uncapped_score") is None else take_share(data, "uncapped_score", place),
        is_used=take_truth(data, "is_used", place),
        is_cited=take_flag(data, "is_cited", place),
        fired=take_texts(data, "fired", place),
        stream=stream,
        stratum=take_text(data, "stratum", place),
        inclusion=inclusion,
        scope=scope,
        reviewer=take_text(data, "reviewer", place),
        is_blind=take_flag(data, "is_blind", place),
    )


def read_scope(head: JSONMapping) -> Scope:
    """Return the scope of an export."""
    data = take_object(head.get("scope"), "scope")
    return Scope(**{name: take_text(data, name, "scope", longest=200) for name in _SCOPE})


def read_imports(head: JSONMapping) -> tuple[Imported, ...]:
    """Return the imported sets among the labels of an export."""
    given = head.get("imports", [])
    if not isinstance(given, list):
        raise InputError("imports", "must be a list")
    return tuple(_read_import(take_object(each, f"imports.{number}"), f"imports.{number}") for number, each in enumerate(given))


def _read_import(data: JSONMapping, place: str) -> Imported:
    count = data.get("labels")
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise InputError(f"{place}.labels", "must be a whole number")
    return Imported(take_text(data, "source", place), take_text(data, "digest", place), count)


def _read_thresholds(given: JSONMapping) -> dict[str, float]:
    """Return thresholds by name; whether there are such, and such values, says the profile that is made with them."""
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"thresholds.{name}", "must be a number")
    return dict(given)


SCHEMA = "footnote-labels/1"


@dataclass(frozen=True, slots=True)
class Exported:
    """The content of an export, enough for a fit to give the same profile.

    ``digest`` is the one that line 1 states for the labels learned from, and ``audit`` for those held out, if any.
    """

    scope: Scope
    parent: str | None
    gathered: Dataset
    digest: str
    audit: str | None = None
    calibrator: Mapping[str, Any] | None = None


class NotLabelsError(ValueError):
    """A file is no export of labels; the message says where."""


def lines_of(gathered: Dataset) -> Iterator[bytes]:
    """Yield a line for each field, those that were used first."""
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
    thresholds: Mapping[str, float] | None = None,
) -> bytes:
    """Return the first line.

    ``audit`` is the digest of the labels held out, ``calibrator`` the one that these labels shift, ``thresholds`` are those that their
    answers were read under.
    """
    head = {"schema": SCHEMA, "scope": asdict(scope), "parent": parent, "digest": digest}
    told = {"imports": [asdict(each) for each in imports], "audit": audit, "calibrator": calibrator, "thresholds": thresholds}
    return canonical_bytes(head | {name: value for name, value in told.items() if value})


def is_export(line: bytes) -> bool:
    """Return True if a first line is that of an export, well-formed or not."""
    return b'"' + SCHEMA.partition("/")[0].encode() + b"/" in line[:100_000]


def read_export(lines: Iterable[bytes]) -> Exported:
    """Return an export; raise ``NotLabelsError`` with line and place."""
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    number, first = next(numbered, (1, b""))
    read = _Read([], [], {}, {})
    try:
        head = _read_head(first)
        scope, imports = read_scope(head), read_imports(head)
        parent, audit = (None if head.get(name) is None else take_text(head, name, "") for name in ("parent", "audit"))
        digest = take_text(head, "digest", "")
        calibrator = take_object(head["calibrator"], "calibrator") if "calibrator" in head else None
        thresholds = _read_thresholds(take_object(head.get("thresholds", {}), "thresholds"))
        for number, line in numbered:  # noqa: B007 — used in the error below
            _read_line(line, scope, read)
    except InputError as error:
        raise NotLabelsError(f"line {number}: {error}") from error
    gathered = Dataset(read.observations, read.excluded, read.members, imports, read.held, thresholds)
    return Exported(scope, parent, gathered, digest, audit, calibrator)


class _Read(NamedTuple):
    """The content read so far."""

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
