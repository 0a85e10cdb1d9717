"""A turn of another tool as a record, by the mapping that traces have, and by the paths of a mapping file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from attribution import InputError, read_json
from reviewers.snapshots.importers.tool import FieldLabels, JSONObject, Tool, import_findings, no_answer, read_labels, text
from reviewers.snapshots.otlp.mapping import OWN, map_trace
from reviewers.snapshots.otlp.spans import TraceSpans, parsed

FIELDS = (
    *("id", "response", "user_text", "context", "documents", "tool_calls", "conversation_id", "client_reference", "model"),
    *("prompt_version", "schema_version", "provider", "turn_index", "answered_at", "hidden_sections", "completeness"),
    *("completeness_threshold", "citation_instruction", "field_citations", "citations", "native", "abstention_reason"),
)
_LABELS = "labels"


class MappingError(Exception):
    """A mapping file that cannot be used, with the reason."""


@dataclass(frozen=True, slots=True)
class Paths:
    """Paths by field of a record, and fields of a context by the name of a score."""

    fields: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    def values(self, entries: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the values of the fields, each from the first of the objects that has its path."""
        listed = list(entries)
        found = {
            name: next((each for entry in listed if (each := value_at(entry, path)) is not None), None)
            for name, path in self.fields.items()
        }
        return {name: as_field(name, value) for name, value in found.items() if value is not None}


def as_field(name: str, value: Any) -> Any:
    """Return the value of a record's field. Tables have numbers as texts."""
    is_number = name == "turn_index" and isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 10
    return int(value) if is_number else value


def read_paths(path: Path) -> Paths:
    """Return the paths in a mapping file; raise ``MappingError`` if it is none."""
    try:
        data = read_json(path.read_bytes())
    except (OSError, InputError) as error:
        raise MappingError(str(error)) from error
    if not isinstance(data, dict):
        raise MappingError("must be a JSON object of paths by field")
    labels = data.pop(_LABELS, {})
    for named, place in ((data, ""), (labels, f"{_LABELS}.")):
        if not isinstance(named, dict):
            raise MappingError(f"{_LABELS}: must be an object of fields by the name of a score")
        for name, told in named.items():
            if not isinstance(told, str) or not told:
                raise MappingError(f"{place}{name}: must be text")
    if unknown := [name for name in data if name not in FIELDS]:
        raise MappingError(f"{unknown[0]}: no field of a record; there are {', '.join(FIELDS)}, and {_LABELS}")
    return Paths(data, labels)


def value_at(value: Any, path: str) -> Any:
    """Return the value at a path of keys and numbers with dots between, or None. A key may have dots itself; the longest is tried first."""
    read = parsed(value)
    if not path:
        return read
    keys = path.split(".")
    if isinstance(read, list):
        is_place = keys[0].isascii() and keys[0].isdecimal() and int(keys[0][:9]) < len(read)
        return value_at(read[int(keys[0][:9])], ".".join(keys[1:])) if is_place else None
    if isinstance(read, dict):
        for count in range(len(keys), 0, -1):
            key = ".".join(keys[:count])
            if key in read and (found := value_at(read[key], ".".join(keys[count:]))) is not None:
                return found
    return None


# Turns.


_NO_LABELS = FieldLabels({})
_NAMES = ("conversation_id", "model", "prompt_version", "schema_version")
_TEXTS = ("user_text", "response")


@dataclass(frozen=True, slots=True)
class ReadTurn:
    """A record with its labels, and what is missing in it in words; or the reason why the objects are no turn."""

    record: Mapping[str, Any]
    findings: Sequence[str] = ()
    labels: FieldLabels = _NO_LABELS
    error: str = ""

    def labelled(self) -> dict[str, Any]:
        """Return the turn as a labelled turn, as imports of labels read it."""
        kept = {name: self.record[name] for name in ("id", "context", *_NAMES, *_TEXTS) if name in self.record}
        return kept | {"gold": self.labels.gold()}


def read_turn(tool: Tool, turn: str, entries: Sequence[JSONObject], paths: Paths) -> ReadTurn:
    """Return what the objects of a turn map to. The paths of a mapping file win over what the tool's reader finds."""
    given = paths.values(entries)
    first, *others = tool.spans(turn, entries)
    own = {OWN + name: value for name, value in given.items() if name != "id"}
    first = replace(first, attributes={**first.attributes, **own})
    spans = [first, *sorted(others, key=lambda span: (span.started, span.id))]
    mapped = map_trace(TraceSpans(turn, spans))
    if mapped.no_turn:
        return ReadTurn({}, error=no_answer(tool.name))
    told = {"tool": tool.name, "findings": mapped.findings}
    record = mapped.record | {"id": text(given.get("id")) or turn, "trace": told}
    labels = read_labels(tool.scores(entries), record["context"], paths.labels)
    return ReadTurn(record, import_findings(tool.name, mapped.findings), labels)


def read_record_entry(entry: JSONObject, paths: Paths) -> ReadTurn:
    """Return a record that is one already, with the fields of a mapping file in place of its own."""
    named = {name: as_field(name, value) for name, value in entry.items()}
    return ReadTurn(named | paths.values([entry]))
