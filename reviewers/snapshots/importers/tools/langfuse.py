"""Langfuse: traces with their observations, tables of observations, and scores.

They have the names of the API, of a trace that was downloaded, or of the blob storage export.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reviewers.snapshots.importers.chat import (
    documents_in,
    first_of,
    input_attributes,
    metadata_attributes,
    nanoseconds,
    objects_of,
    present,
    side_attributes,
    tool_attributes,
)
from reviewers.snapshots.importers.tool import Belonging, JSONObject, Score, Tool, text, with_known_parents
from reviewers.snapshots.otlp.spans import SpanValues

_TYPES = ("GENERATION", "SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL")


def _trace_id(entry: JSONObject) -> str:
    return text(first_of(entry, "traceId", "trace_id"))


def _is_observation(entry: JSONObject) -> bool:
    return entry.get("type") in _TYPES and bool(_trace_id(entry))


def _is_score(entry: JSONObject) -> bool:
    is_named = "name" in entry and any(key in entry for key in ("value", "stringValue", "string_value"))
    return is_named and bool(_trace_id(entry)) and not _is_observation(entry)


def _trace_of(entry: JSONObject) -> JSONObject:
    """Return the trace in an object. A download has it beside its observations."""
    held = entry.get("trace")
    return {**held, "observations": [*_observations_of(entry), *_observations_of(held)]} if isinstance(held, dict) else entry


def _observations_of(entry: JSONObject) -> list[dict[str, Any]]:
    return objects_of(entry.get("observations"))


def _is_known(entry: JSONObject) -> bool:
    entry = _trace_of(entry)
    is_trace = "timestamp" in entry and any(key in entry for key in ("sessionId", "session_id", "observations", "userId", "user_id"))
    return _is_observation(entry) or _is_score(entry) or (is_trace and "id" in entry)


def _belonging(entry: JSONObject) -> Belonging:
    if _is_score(entry):
        return Belonging("", _trace_id(entry))
    turn = _trace_id(entry) if _is_observation(entry) else text(_trace_of(entry).get("id"))
    return Belonging(turn, spans=[turn])


def _spans(turn: str, entries: Sequence[JSONObject]) -> list[SpanValues]:
    traces = [_trace_of(entry) for entry in entries if not _is_observation(entry) and not _is_score(entry)]
    observations = _once([entry for entry in entries if _is_observation(entry)], traces)
    below = with_known_parents(map(_observation, observations), turn.encode())
    ordered = [each for _, each in sorted(zip(below, observations, strict=True), key=lambda pair: (pair[0].started, pair[0].id))]
    tops = {span.id for span in below if span.parent == turn.encode()}
    return [_turn(turn, traces, ordered, [each for each in ordered if text(each.get("id")).encode() in tops]), *below]


def _once(rows: Sequence[JSONObject], traces: Sequence[JSONObject]) -> list[JSONObject]:
    """Return the observations among rows and in traces, each once: the one that has an input or output, if not all have."""
    found: dict[str, JSONObject] = {}
    for each in [*rows, *(each for trace in traces for each in _observations_of(trace))]:
        known = found.setdefault(text(each.get("id")), each)
        if first_of(known, "input", "output") is None:
            found[text(each.get("id"))] = each
    return list(found.values())


def _turn(turn: str, traces: Sequence[JSONObject], observations: Sequence[JSONObject], tops: Sequence[JSONObject]) -> SpanValues:
    """Return the span of a trace. What it does not say is that of the observations at its top: the first input and the last output."""
    given = next((value for each in [*traces, *tops] if (value := each.get("input")) not in (None, "")), None)
    answering = next((each for each in [*traces, *reversed(tops)] if each.get("output") not in (None, "")), {})
    attributes: dict[str, Any] = {}
    for each in reversed([*traces, *observations]):
        names = {"session.id": first_of(each, "sessionId", "session_id"), "user.id": first_of(each, "userId", "user_id")}
        attributes |= present(names)
    for each in reversed([*traces, *tops]):
        attributes |= metadata_attributes(each.get("metadata"))
    attributes |= input_attributes(given) | side_attributes("output", answering.get("output"))
    ends = [_ended(each) for each in observations]
    ended = _ended(answering) or max(ends, default=0)
    return SpanValues(turn.encode(), b"", "trace", 0, max([ended, *ends]) if answering in traces else ended, attributes)


def _ended(entry: JSONObject) -> int:
    return nanoseconds(first_of(entry, "endTime", "end_time", "startTime", "start_time", "timestamp"))


def _observation(entry: JSONObject) -> SpanValues:
    return SpanValues(
        id=text(entry.get("id")).encode(),
        parent=text(first_of(entry, "parentObservationId", "parent_observation_id")).encode(),
        name=text(entry.get("name")),
        started=nanoseconds(first_of(entry, "startTime", "start_time")),
        ended=_ended(entry),
        attributes=metadata_attributes(entry.get("metadata")) | _attributes(entry),
    )


def _attributes(entry: JSONObject) -> dict[str, Any]:
    kind = entry.get("type")
    if kind == "TOOL":
        return tool_attributes(entry.get("id"), entry.get("name"), entry.get("input"), entry.get("output"))
    if kind == "RETRIEVER":
        return {"openinference.span.kind": kind, "gen_ai.retrieval.documents": documents_in(entry.get("output"))}
    if kind != "GENERATION":
        return {}
    named = {
        "llm.model_name": first_of(entry, "model", "providedModelName", "provided_model_name"),
        "gen_ai.prompt.name": first_of(entry, "promptName", "prompt_name"),
        "gen_ai.prompt.version": first_of(entry, "promptVersion", "prompt_version"),
    }
    return {"openinference.span.kind": "LLM"} | present(named) | input_attributes(entry.get("input"))


def _scores(entries: Sequence[JSONObject]) -> list[Score]:
    scores = [entry for entry in entries if _is_score(entry)]
    scores += [each for entry in entries for each in objects_of(_trace_of(entry).get("scores"))]
    return [Score(text(each.get("name")), first_of(each, "stringValue", "string_value", "value")) for each in scores]


LANGFUSE = Tool("langfuse", _is_known, _belonging, _spans, _scores)
