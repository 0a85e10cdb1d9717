"""Label Studio: annotated tasks as JSON, or as the flat rows of JSON_MIN and CSV. A task's data are the fields of a record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from reviewers.snapshots.importers.chat import first_of, metadata_attributes, nanoseconds, object_of, objects_of, present, side_attributes
from reviewers.snapshots.importers.tool import Belonging, JSONObject, Score, Tool, text, verdict
from reviewers.snapshots.otlp.mapping import OWN
from reviewers.snapshots.otlp.spans import SpanValues

_OF_A_TASK = ("annotations", "completions", "annotation_id", "lead_time", "annotator", "total_annotations")
_TEXTS = {
    "response": ("response", "answer", "completion", "output"),
    "user_text": ("user_text", "question", "query", "prompt", "input"),
    "context": ("context",),
}
_SAME = (
    *("documents", "tool_calls", "conversation_id", "client_reference", "provider", "model", "prompt_version", "schema_version"),
    *("turn_index", "hidden_sections", "completeness", "field_citations", "citations", "native", "answered_at"),
)
"""Fields of a record that a task's data may have under the same name."""


def _is_known(entry: JSONObject) -> bool:
    return "id" in entry and any(name in entry for name in _OF_A_TASK)


def _belonging(entry: JSONObject) -> Belonging:
    return Belonging(text(entry.get("id")))


def _data(entry: JSONObject) -> JSONObject:
    return object_of(entry.get("data")) or entry


def _spans(turn: str, entries: Sequence[JSONObject]) -> list[SpanValues]:
    data = _data(entries[0]) if entries else {}
    own = {name: first_of(data, *keys) for name, keys in _TEXTS.items()} | {name: data.get(name) for name in _SAME}
    attributes = {OWN + name: value for name, value in own.items() if value not in (None, "")}
    attributes |= side_attributes("input", first_of(data, "messages", "dialogue")) | metadata_attributes(data.get("metadata"))
    ended = nanoseconds(entries[0].get("created_at")) if entries else 0
    return [SpanValues(turn.encode(), b"", "task", 0, ended, present(attributes))]


def _scores(entries: Sequence[JSONObject]) -> list[Score]:
    return [score for entry in entries for score in (_flat(entry) if _data(entry) is entry else _annotated(entry))]


def _annotated(entry: JSONObject) -> Iterator[Score]:
    """Yield what people chose; an annotation that was cancelled is none, and predictions are a model's."""
    for annotation in objects_of(first_of(entry, "annotations", "completions")):
        if not annotation.get("was_cancelled"):
            yield from (Score(text(each.get("from_name")), _chosen(each.get("value"))) for each in objects_of(annotation.get("result")))


def _flat(entry: JSONObject) -> Iterator[Score]:
    for name, value in entry.items():
        if "." in name and verdict(chosen := _chosen(value)) is not None:
            yield Score(name, chosen)


def _chosen(value: Any) -> Any:
    """Return the one choice that was made, or a number; None if there are several."""
    if not isinstance(value, dict):
        return value
    choices = value.get("choices")
    if isinstance(choices, list):
        return choices[0] if len(choices) == 1 else None
    return first_of(value, "choices", "rating", "number")


LABEL_STUDIO = Tool("label-studio", _is_known, _belonging, _spans, _scores)
