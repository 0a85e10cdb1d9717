"""Inputs and outputs of models and tools, as other tools store them, in the attributes that a trace has for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from django.utils.dateparse import parse_datetime

from reviewers.snapshots.otlp.mapping import OWN
from reviewers.snapshots.otlp.messages import MOST_MESSAGES, text_of
from reviewers.snapshots.otlp.spans import parsed

JSONObject = Mapping[str, Any]

_ROLES = {"human": "user", "ai": "assistant", "aimessage": "assistant", "humanmessage": "user", "systemmessage": "system"}
_ROLES |= {"aimessagechunk": "assistant", "toolmessage": "tool", "functionmessage": "tool", "chatmessage": "user"}
_LANGCHAIN = {"human", "ai", "system", "tool", "function", "chat", "AIMessageChunk"}
_LISTS = ("messages", "choices", "generations", "output")
_TEXTS = {
    "input": ("user_text", "question", "query", "user_input", "message", "prompt", "input", "text", "content"),
    "output": ("response", "answer", "completion", "output", "result", "text", "content"),
}
"""Keys of an object that name its text, the surest first."""
_CONTEXTS = ("context", "variables")
_BESIDE = "field_citations"
_NAMES = {
    "session.id": ("conversation_id", "session_id", "thread_id"),
    "user.id": ("client_reference", "user_id"),
    "llm.prompt_template.version": ("prompt_version",),
}
"""Attributes of a trace, with the keys of metadata that give them."""


def first_of(given: JSONObject, *names: str) -> Any:
    """Return the first of the values that is not null or empty."""
    return next((given[name] for name in names if given.get(name) not in (None, "")), None)


def object_of(value: Any) -> dict[str, Any]:
    """Return an object, also one that is written as JSON in a text; an empty one for anything else."""
    read = parsed(value)
    return read if isinstance(read, dict) else {}


def objects_of(value: Any) -> list[dict[str, Any]]:
    """Return the objects in a list, which may be written as JSON in a text."""
    read = parsed(value)
    return [each for each in read if isinstance(each, dict)] if isinstance(read, list) else []


def side_attributes(side: str, value: Any) -> dict[str, Any]:
    """Return the attributes for an ``input`` or ``output``: a text, a conversation, or an object with a text in it."""
    read = parsed(value)
    if read is None:
        return {}
    if isinstance(read, str):
        return {f"{side}.value": read}
    if messages := messages_in(read):
        return {f"gen_ai.{side}.messages": messages}
    if isinstance(read, dict):
        named = next((read[name] for name in _TEXTS[side] if isinstance(read.get(name), str) and read[name]), None)
        if named is not None:
            return {f"{side}.value": named} | _cited_beside(side, read)
    return {f"{side}.value": read, f"{side}.mime_type": "application/json"}


def _cited_beside(side: str, read: JSONObject) -> dict[str, Any]:
    """Return what an output cites of the context beside its text."""
    return {f"{OWN}{_BESIDE}": read[_BESIDE]} if side == "output" and isinstance(read.get(_BESIDE), list) else {}


def input_attributes(value: Any) -> dict[str, Any]:
    """Return the attributes for an input, with the context in it as the variables of a prompt."""
    given = object_of(value)
    context = next((read for name in _CONTEXTS if (read := object_of(given.get(name)))), None)
    return side_attributes("input", value) | ({"llm.prompt_template.variables": context} if context else {})


def messages_in(value: Any) -> list[dict[str, Any]]:
    """Return the messages of a conversation, each with role and content; none if the value is no conversation."""
    if isinstance(value, dict):
        for key in _LISTS:
            if isinstance(value.get(key), list) and (found := messages_in(value[key])):
                return found
        return list(_messages([value]))
    if not isinstance(value, list):
        return []
    if value and all(isinstance(each, list) for each in value):
        return list(_messages(value[0][:MOST_MESSAGES]))
    return list(_messages(value[:MOST_MESSAGES]))


def _messages(values: Sequence[Any]) -> Iterator[dict[str, Any]]:
    for value in values:
        read = _message(value) if isinstance(value, dict) else None
        if read and read["content"]:
            yield read


def _message(value: JSONObject) -> dict[str, Any] | None:
    """Return a message in the shape of OpenAI, OpenTelemetry or LangChain, or of a choice or generation that holds one."""
    held = value.get("message")
    if isinstance(held, dict):
        value = held
    if isinstance(value.get("kwargs"), dict) and isinstance(value.get("id"), list) and value["id"]:
        return {"role": _role(str(value["id"][-1])), "content": text_of(value["kwargs"])}
    if isinstance(value.get("role"), str):
        return {"role": _role(value["role"]), "content": text_of(value)}
    if isinstance(value.get("type"), str) and value["type"] in _LANGCHAIN:
        return {"role": _role(value["type"]), "content": text_of(object_of(value.get("data")) or value)}
    return None


def _role(name: str) -> str:
    return _ROLES.get(name.lower(), name.lower())


def tool_calls_in(messages: Any) -> list[dict[str, Any]]:
    """Return the attributes of each result of a tool in a conversation, with the name and the arguments of its call."""
    listed = objects_of(messages)
    called = {str(call.get("id")): object_of(call.get("function")) for each in listed for call in objects_of(each.get("tool_calls"))}
    results = [each for each in listed if each.get("role") == "tool"]
    return [_tool_call(each, called.get(str(each.get("tool_call_id")), {})) for each in results]


def _tool_call(result: JSONObject, call: JSONObject) -> dict[str, Any]:
    name, arguments = call.get("name") or result.get("name"), call.get("arguments")
    return tool_attributes(result.get("tool_call_id"), name, arguments, text_of(result))


def tool_attributes(call_id: Any, name: Any, parameters: Any, output: Any) -> dict[str, Any]:
    """Return the attributes of a span of a tool. An output that only holds another is that other one."""
    read = parsed(output)
    if isinstance(read, dict) and set(read) == {"output"}:
        read = parsed(read["output"])
    if isinstance(read, dict) and (message := _message(read)):
        read = parsed(message["content"])
    given = {"tool_call.id": call_id, "tool.name": name, "tool.parameters": parameters, "output.value": read}
    return {"openinference.span.kind": "TOOL"} | {key: value for key, value in given.items() if value is not None}


def documents_in(value: Any) -> list[dict[str, Any]]:
    """Return the documents that a retriever gave, each with its content, and its metadata beside it."""
    read = parsed(value)
    listed = first_of(read, "documents", "docs", "results") if isinstance(read, dict) else read
    return [_document(each) for each in (listed if isinstance(listed, list) else [])]


def _document(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        return {"content": value} if isinstance(value, str) else {}
    given = {**value, **value["kwargs"]} if isinstance(value.get("kwargs"), dict) else dict(value)
    metadata = object_of(given.get("metadata"))
    told = {"id": first_of(given, "id", "document_id"), "content": first_of(given, "content", "page_content", "text")}
    told["id"] = first_of(metadata, "id", "doc_id", "document_id") if isinstance(told["id"], list | None) else told["id"]
    kept = {name: given[name] for name in ("title", "url", "uri", "published_at", "score") if name in given}
    return {name: each for name, each in (kept | told).items() if each is not None} | ({"metadata": metadata} if metadata else {})


def metadata_attributes(metadata: Any) -> dict[str, Any]:
    """Return the attributes that metadata give: our own, a context, and names of conversation, client and prompt version.

    Tools that take traces have the attributes of a span in its metadata.
    """
    given = object_of(metadata)
    given = object_of(given.get("attributes")) | given
    own = {OWN + name: value for name, value in object_of(given.get("footnote")).items()}
    own |= {name: value for name, value in given.items() if name.startswith(OWN)}
    names = {attribute: value for attribute, keys in _NAMES.items() if isinstance(value := first_of(given, *keys), str | int)}
    context = object_of(given.get("context"))
    return names | ({"llm.prompt_template.variables": context} if context else {}) | own


def present(attributes: JSONObject) -> dict[str, Any]:
    """Return the attributes that have a value."""
    return {name: value for name, value in attributes.items() if value not in (None, "")}


_MILLISECONDS_FROM = 100_000_000_000
"""A number of seconds that no export has: larger ones are milliseconds."""
_NO_TIME_FROM = 253_402_300_800_000
"""The milliseconds of the first year with five digits."""


def nanoseconds(value: Any) -> int:
    """Return a time, in text or as a number of seconds or milliseconds, in nanoseconds since 1970; 0 if it is none."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not 0 <= value < _NO_TIME_FROM:
            return 0
        seconds = value / 1000 if value >= _MILLISECONDS_FROM else value
        return int(seconds * 1_000_000) * 1000
    try:
        moment = parse_datetime(value.strip()) if isinstance(value, str) else None
    except ValueError:
        moment = None
    if moment is None:
        return 0
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return max((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds, 0) * 1000
