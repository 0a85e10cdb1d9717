"""Citations in the providers' own forms, read from the response as their SDKs serialise it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attribution import lenient_json
from attribution.documents.native.answer import NativeAnswer
from attribution.documents.native.anthropic import read_anthropic
from attribution.documents.native.cohere import read_cohere
from attribution.documents.native.gemini import read_gemini
from attribution.documents.native.openai import read_openai_chat, read_openai_responses

__all__ = ["NativeAnswer", "read_native"]

_READERS: tuple[Callable[[lenient_json.Object], NativeAnswer | None], ...] = (
    read_gemini,
    read_openai_responses,
    read_openai_chat,
    read_cohere,
    read_anthropic,
)


def read_native(value: Any) -> NativeAnswer | None:
    """The text and citations of a provider's response; nothing where it has the shape of none."""
    found = lenient_json.mapping(value)
    for reader in _READERS:
        answer = reader(found)
        if answer is not None:
            return answer
    return None
