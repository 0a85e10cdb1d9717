"""Messages of a conversation in both vocabularies: OpenInference's numbered attributes, and OpenTelemetry's lists of messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from reviewers.snapshots.otlp.spans import SpanValues, parsed

MOST_MESSAGES = 1_000

_TEXT_KEYS = ("content", "text")

Note = Callable[[str], object]
"""Takes the name of an attribute that was read."""


class ChatMessage(NamedTuple):
    """A message, as far as it is text."""

    role: str
    text: str


def numbered(attributes: Mapping[str, Any], prefix: str, note: Note) -> list[dict[str, Any]]:
    """Return numbered attributes, such as ``retrieval.documents.0.document.id``, as a list of objects by what follows the number."""
    pattern = re.compile(re.escape(prefix) + r"\.([0-9]{1,6})\.(.+)", re.DOTALL)
    found: dict[int, dict[str, Any]] = {}
    for name, value in attributes.items():
        if match := pattern.fullmatch(name):
            note(name)
            found.setdefault(int(match[1]), {})[match[2]] = value
    return [found[number] for number in sorted(found)]


def openinference_messages(span: SpanValues, prefix: str, note: Note) -> list[ChatMessage]:
    """Return OpenInference's messages under a prefix, such as ``llm.input_messages``."""
    found = [_numbered_message(each, note) for each in numbered(span.attributes, prefix, note)[:MOST_MESSAGES]]
    return [message for message in found if message.text]


def _numbered_message(values: Mapping[str, Any], note: Note) -> ChatMessage:
    text = values.get("message.content")
    if not isinstance(text, str):
        parts = numbered(values, "message.contents", note)
        text = "".join(part for each in parts if isinstance(part := each.get("message_content.text"), str))
    return ChatMessage(str(values.get("message.role") or ""), text)


def genai_messages(span: SpanValues, name: str, note: Note) -> list[ChatMessage]:
    """Return OpenTelemetry's messages, in an attribute of the span or of one of its events."""
    for attributes in (span.attributes, *span.events):
        if name in attributes:
            note(name)
            return [message for message in _listed(parsed(attributes[name])) if message.text]
    return []


def _listed(value: Any) -> Iterator[ChatMessage]:
    for each in as_list(value)[:MOST_MESSAGES]:
        if isinstance(each, dict):
            yield ChatMessage(str(each.get("role") or ""), text_of(each))
        elif isinstance(each, str):
            yield ChatMessage("", each)


def text_of(message: Mapping[str, Any]) -> str:
    """Return the text of a message's parts, or of its content where there are none. Reasoning and tool calls are no text."""
    parts = message.get("parts", message.get("content"))
    if isinstance(parts, str):
        return parts
    return "".join(_text_of_part(part) for part in as_list(parts))


def _text_of_part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict) or part.get("type", "text") not in ("text", "output_text", "input_text"):
        return ""
    return next((text for key in _TEXT_KEYS if isinstance(text := part.get(key), str)), "")


def as_list(value: Any) -> Sequence[Any]:
    """Return the value if it is a list, or an empty one."""
    return value if isinstance(value, list) else []


def answer_among(messages: Sequence[ChatMessage]) -> str:
    """Return the last message of the assistant, or the last one without a role."""
    return next((message.text for message in reversed(messages) if message.role in ("assistant", "model", "ai", "")), "")


def split_turn(messages: Sequence[ChatMessage]) -> tuple[str, list[ChatMessage]]:
    """Return the user's last message, and what people and the assistant said before it."""
    places = [place for place, message in enumerate(messages) if message.role in ("user", "human", "")]
    if not places:
        return "", []
    return messages[places[-1]].text, list(_spoken(messages[: places[-1]]))


def _spoken(messages: Iterable[ChatMessage]) -> Iterator[ChatMessage]:
    roles = {"user": "user", "human": "user", "": "user", "assistant": "assistant", "model": "assistant", "ai": "assistant"}
    for message in messages:
        if message.role in roles:
            yield ChatMessage(roles[message.role], message.text)
