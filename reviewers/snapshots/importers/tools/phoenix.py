"""Phoenix: spans with OpenInference's attributes, from its API or as columns of a data frame, and their annotations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from reviewers.snapshots.importers.chat import first_of, metadata_attributes, nanoseconds, object_of, present
from reviewers.snapshots.importers.tool import Belonging, JSONObject, Score, Tool, text, with_known_parents
from reviewers.snapshots.otlp.mapping import OWN
from reviewers.snapshots.otlp.spans import SpanValues, parsed

_COLUMN = "attributes."
_WHOLE = ("llm.prompt_template.variables", "tool.parameters", "input.value", "output.value", "metadata", "llm.invocation_parameters")
"""Attributes that hold a value of their own, rather than others below their name."""
_DEEPEST = 16
_LONGEST = 1_000
"""Characters of a name; none that is read has more."""


def _identifiers(entry: JSONObject) -> tuple[str, str]:
    """Return the identifiers of a span's trace and of itself."""
    context = object_of(entry.get("context"))
    ids = [first_of(entry, f"context.{name}", name) or context.get(name) for name in ("trace_id", "span_id")]
    return text(ids[0]), text(ids[1])


def _is_annotation(entry: JSONObject) -> bool:
    return "span_id" in entry and any(name in entry for name in ("result", "result.label", "result.score"))


def _is_known(entry: JSONObject) -> bool:
    has_attributes = "attributes" in entry or any(name.startswith(_COLUMN) for name in entry)
    return _is_annotation(entry) or (has_attributes and all(_identifiers(entry)))


def _belonging(entry: JSONObject) -> Belonging:
    if _is_annotation(entry):
        return Belonging("", text(entry.get("span_id")))
    trace, span = _identifiers(entry)
    return Belonging(trace, spans=[span])


def _spans(turn: str, entries: Sequence[JSONObject]) -> list[SpanValues]:
    spans = with_known_parents(_span(entry) for entry in entries if not _is_annotation(entry))
    return sorted(spans, key=lambda span: (bool(span.parent), span.started)) or [SpanValues(turn.encode(), b"", "", 0, 0, {})]


def _span(entry: JSONObject) -> SpanValues:
    attributes = dict(_flat(_attributes(entry)))
    span_id = _identifiers(entry)[1]
    return SpanValues(
        id=span_id.encode(),
        parent=text(entry.get("parent_id")).encode(),
        name=text(entry.get("name")),
        started=nanoseconds(entry.get("start_time")),
        ended=nanoseconds(first_of(entry, "end_time", "start_time")),
        attributes=metadata_attributes(attributes.get("metadata"))
        | present({"openinference.span.kind": entry.get("span_kind"), "tool_call.id": span_id})
        | {name: value for name, value in attributes.items() if value is not None},
    )


def _attributes(entry: JSONObject) -> JSONObject:
    given = object_of(entry.get("attributes"))
    return given or {name.removeprefix(_COLUMN): value for name, value in entry.items() if name.startswith(_COLUMN)}


def _flat(given: JSONObject, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield attributes by their whole names: exports nest them, and number the entries of lists."""
    for key, value in given.items():
        if len(prefix) + len(key) > _LONGEST:
            continue
        name = f"{prefix}{key}"
        is_whole = name in _WHOLE or name.startswith(OWN) or name.endswith((".metadata", ".arguments")) or depth >= _DEEPEST
        read = value if is_whole or isinstance(value, str) else parsed(value)
        if is_whole or not isinstance(read, dict | list):
            yield name, read
        else:
            yield from _flat(read if isinstance(read, dict) else _numbered(read), f"{name}.", depth + 1)


def _numbered(values: Sequence[Any]) -> JSONObject:
    return {str(number): value for number, value in enumerate(values)}


def _scores(entries: Sequence[JSONObject]) -> list[Score]:
    return [_score(entry) for entry in entries if _is_annotation(entry)]


def _score(entry: JSONObject) -> Score:
    result = object_of(entry.get("result"))
    value = first_of(result, "label", "score")
    return Score(
        text(first_of(entry, "name", "annotation_name")), first_of(entry, "result.label", "result.score") if value is None else value
    )


PHOENIX = Tool("phoenix", _is_known, _belonging, _spans, _scores)
