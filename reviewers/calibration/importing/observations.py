"""An exported observation, read again."""

from __future__ import annotations

from attribution import InputError
from attribution.calibration import Imported, Observation, Scope, Stream
from reviewers.calibration.importing.strictly import Thing, take_flag, take_object, take_share, take_text, take_texts, take_truth

_NAMES = ("id", "message", "conversation", "section", "path", "field_type", "method", "rule")
_SCOPE = ("organisation", "model", "prompt", "schema", "engine")
_STREAMS = {each.value: each for each in Stream}


def read_observation(line: Thing, scope: Scope, place: str = "observation") -> Observation:
    """The observation that stands in a line under the name of its place. Raises ``InputError`` with its place."""
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


def read_scope(head: Thing) -> Scope:
    """What the labels hold for."""
    data = take_object(head.get("scope"), "scope")
    return Scope(**{name: take_text(data, name, "scope", longest=200) for name in _SCOPE})


def read_imports(head: Thing) -> tuple[Imported, ...]:
    """The sets from elsewhere that were among the labels already."""
    given = head.get("imports", [])
    if not isinstance(given, list):
        raise InputError("imports", "must be a list")
    return tuple(_read_import(take_object(each, f"imports.{number}"), f"imports.{number}") for number, each in enumerate(given))


def _read_import(data: Thing, place: str) -> Imported:
    count = data.get("labels")
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise InputError(f"{place}.labels", "must be a whole number")
    return Imported(take_text(data, "source", place), take_text(data, "digest", place), count)
