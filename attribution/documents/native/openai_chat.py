"""OpenAI's Chat Completions and Assistants: a message with annotations."""

from __future__ import annotations

from attribution.documents import keys
from attribution.documents.native.annotations import Annotations
from attribution.documents.native.reading import NativeAnswer


def read_openai_chat(response: keys.Object) -> NativeAnswer | None:
    """The first choice of a completion, a message alone, or a message of a thread."""
    choices = keys.items(response.get("choices"))
    message = keys.mapping(keys.mapping(choices[0]).get("message")) if choices else response
    annotations = Annotations()
    content = message.get("content")
    if isinstance(content, str) and (choices or "annotations" in message):
        annotations.read(keys.items(message.get("annotations")), content, 0)
        return NativeAnswer(content, annotations.citations, list(annotations.sources.values()), annotations.misplaced)
    parts = [keys.mapping(keys.mapping(part).get("text")) for part in keys.items(content)]
    if not any("value" in part for part in parts):
        return None
    texts: list[str] = []
    length = 0
    for part in parts:
        text = keys.text(part, "value")
        annotations.read(keys.items(part.get("annotations")), text, length)
        texts.append(text)
        length += len(text)
    return NativeAnswer("".join(texts), annotations.citations, list(annotations.sources.values()), annotations.misplaced)
