"""OpenAI: chat completions and responses with their messages, and the lines of a batch's two files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reviewers.snapshots.importers.chat import (
    first_of,
    metadata_attributes,
    nanoseconds,
    object_of,
    present,
    side_attributes,
    tool_calls_in,
)
from reviewers.snapshots.importers.tool import Belonging, JSONObject, Score, Tool, text
from reviewers.snapshots.otlp.spans import SpanValues, parsed

_OBJECTS = ("chat.completion", "response")


def _given(entry: JSONObject) -> JSONObject:
    """Return the request in an entry: its own, that in a line of a batch's input, or the entry itself, which may have its messages."""
    return object_of(entry.get("request")) or object_of(entry.get("body")) or entry


def _answer(entry: JSONObject) -> JSONObject:
    """Return the completion or response in an entry; an empty object if there is none."""
    if entry.get("object") in _OBJECTS:
        return entry
    held = object_of(entry.get("response"))
    return object_of(held.get("body")) or held


def _is_known(entry: JSONObject) -> bool:
    is_request = "custom_id" in entry and ("body" in entry or "response" in entry)
    return is_request or _answer(entry).get("object") in _OBJECTS or isinstance(entry.get("messages"), list)


def _belonging(entry: JSONObject) -> Belonging:
    return Belonging(text(first_of(entry, "custom_id", "id")) or text(_answer(entry).get("id")))


def _spans(turn: str, entries: Sequence[JSONObject]) -> list[SpanValues]:
    answer = next((found for entry in entries if (found := _answer(entry))), {})
    given = next((found for entry in entries if first_of(found := _given(entry), "messages", "input")), {})
    messages, output = parsed(first_of(given, "messages", "input")), _output(answer)
    if not answer and isinstance(messages, list) and messages and object_of(messages[-1]).get("role") == "assistant":
        messages, output = messages[:-1], messages[-1:]
    attributes = _names(given, answer) | side_attributes("input", messages) | side_attributes("output", output)
    ended = nanoseconds(first_of(answer, "completed_at", "created", "created_at"))
    tools = [
        SpanValues(f"{turn}/{number}".encode(), turn.encode(), "", number + 1, 0, each)
        for number, each in enumerate(tool_calls_in(messages))
    ]
    return [SpanValues(turn.encode(), b"", "completion", 0, ended, attributes), *tools]


def _output(answer: JSONObject) -> Any:
    return first_of(answer, "choices", "output", "output_text")


def _names(given: JSONObject, answer: JSONObject) -> dict[str, Any]:
    prompt = object_of(first_of(answer, "prompt") or given.get("prompt"))
    named = {
        "llm.model_name": first_of(answer, "model") or given.get("model"),
        "user.id": first_of(given, "user") or answer.get("user"),
        "session.id": object_of(answer.get("conversation")).get("id"),
        "gen_ai.prompt.name": prompt.get("id"),
        "gen_ai.prompt.version": prompt.get("version"),
        "llm.prompt_template.variables": object_of(prompt.get("variables")) or None,
    }
    return present(named) | metadata_attributes(given.get("metadata")) | metadata_attributes(answer.get("metadata"))


def _scores(entries: Sequence[JSONObject]) -> list[Score]:
    del entries  # these exports have none
    return []


OPENAI = Tool("openai", _is_known, _belonging, _spans, _scores)
