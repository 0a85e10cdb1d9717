"""LangSmith: runs, alone or with their child runs, and feedback."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from reviewers.snapshots.importers.chat import (
    documents_in,
    first_of,
    input_attributes,
    metadata_attributes,
    nanoseconds,
    object_of,
    objects_of,
    present,
    side_attributes,
    tool_attributes,
)
from reviewers.snapshots.importers.tool import Belonging, JSONObject, Score, Tool, text, with_known_parents
from reviewers.snapshots.otlp.spans import SpanValues, parsed


def _is_feedback(entry: JSONObject) -> bool:
    return "key" in entry and "run_id" in entry and "run_type" not in entry


def _is_known(entry: JSONObject) -> bool:
    return _is_feedback(entry) or ("run_type" in entry and "id" in entry)


def _belonging(entry: JSONObject) -> Belonging:
    if _is_feedback(entry):
        return Belonging("", text(entry.get("run_id")))
    ids = [text(run.get("id")) for run in _runs([entry])]
    return Belonging(text(first_of(entry, "trace_id", "id")), spans=ids)


def _runs(entries: Iterable[JSONObject]) -> Iterator[JSONObject]:
    """Yield runs with their child runs."""
    ahead = list(reversed([entry for entry in entries if not _is_feedback(entry)]))
    while ahead:
        run = ahead.pop()
        yield run
        ahead += reversed(objects_of(run.get("child_runs")))


def _spans(turn: str, entries: Sequence[JSONObject]) -> list[SpanValues]:
    runs = sorted(_runs(entries), key=lambda run: text(run.get("id")) != turn)
    variables = next((inputs for run in runs if run.get("run_type") == "prompt" and (inputs := object_of(run.get("inputs")))), None)
    spans = with_known_parents(_span(run, is_turn=number == 0, variables=variables) for number, run in enumerate(runs))
    return spans or [SpanValues(turn.encode(), b"", "", 0, 0, {})]


def _span(run: JSONObject, *, is_turn: bool, variables: JSONObject | None) -> SpanValues:
    attributes = _attributes(run)
    if is_turn:
        attributes |= side_attributes("output", run.get("outputs")) | input_attributes(run.get("inputs"))
        if variables:
            attributes["llm.prompt_template.variables"] = _without_messages(variables)
    return SpanValues(
        id=text(run.get("id")).encode(),
        parent=_parent_of(run).encode(),
        name=text(run.get("name")),
        started=nanoseconds(run.get("start_time")),
        ended=nanoseconds(first_of(run, "end_time", "start_time")),
        attributes=attributes | _from_metadata(run),
    )


def _parent_of(run: JSONObject) -> str:
    """Return the identifier of the run above. The bulk export has those of all runs above, the nearest last."""
    above = parsed(run.get("parent_run_ids"))
    return text(run.get("parent_run_id")) or (text(above[-1]) if isinstance(above, list) and above else "")


def _without_messages(variables: JSONObject) -> dict[str, Any]:
    """Return the variables of a prompt that are no lists: these are earlier messages, which the record has beside its context."""
    return {name: value for name, value in variables.items() if not isinstance(value, list)}


def _from_metadata(run: JSONObject) -> dict[str, Any]:
    metadata = object_of(object_of(run.get("extra")).get("metadata")) or object_of(run.get("metadata"))
    parameters = object_of(object_of(run.get("extra")).get("invocation_params"))
    named = {
        "session.id": run.get("thread_id"),
        "llm.model_name": first_of(metadata, "ls_model_name") or first_of(parameters, "model", "model_name"),
        "gen_ai.prompt.name": metadata.get("lc_hub_repo"),
        "gen_ai.prompt.version": metadata.get("lc_hub_commit_hash"),
    }
    return present(named) | metadata_attributes(metadata)


def _attributes(run: JSONObject) -> dict[str, Any]:
    kind, outputs = run.get("run_type"), run.get("outputs")
    if kind == "tool":
        return tool_attributes(run.get("id"), run.get("name"), run.get("inputs"), outputs)
    if kind == "retriever":
        return {"openinference.span.kind": "RETRIEVER", "gen_ai.retrieval.documents": documents_in(outputs)}
    return {"openinference.span.kind": "LLM"} | input_attributes(run.get("inputs")) if kind == "llm" else {}


def _scores(entries: Sequence[JSONObject]) -> list[Score]:
    found = [Score(text(entry.get("key")), first_of(entry, "value", "score")) for entry in entries if _is_feedback(entry)]
    for run in _runs(entries):
        found += [Score(key, object_of(told).get("avg")) for key, told in object_of(run.get("feedback_stats")).items()]
    return found


LANGSMITH = Tool("langsmith", _is_known, _belonging, _spans, _scores)
