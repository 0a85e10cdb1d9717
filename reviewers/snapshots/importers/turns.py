"""A turn of another tool as a record, by the mapping that traces have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reviewers.snapshots.importers.labels import FieldLabels, read_labels
from reviewers.snapshots.importers.paths import Paths, as_field
from reviewers.snapshots.importers.tool import JSONObject, Tool, text
from reviewers.snapshots.importers.wording import import_findings, no_answer
from reviewers.snapshots.otlp.mapping import OWN, map_trace
from reviewers.snapshots.otlp.spans import TraceSpans

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
