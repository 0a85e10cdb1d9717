"""Reads what an endpoint of chat completions answers: the text of the model's reply, or why there is none."""

from __future__ import annotations

from typing import Any

from attribution.documents.model_search.reply import MalformedReply, read_document
from attribution.documents.searching import SearchFailed

_DEEPEST = 32


def read_completion(body: bytes) -> bytes:
    """The reply in the first choice of a chat completion, in UTF-8.

    Raises ``MalformedReply`` where there is none that can be read, and ``SearchFailed`` where it was withheld on purpose.
    """
    found = read_document(body, _DEEPEST)
    choices = found.get("choices") if type(found) is dict else None
    choice = choices[0] if type(choices) is list and choices else None
    message = choice.get("message") if type(choice) is dict else None
    if type(choice) is not dict or type(message) is not dict:
        raise MalformedReply("the endpoint's answer is no chat completion")
    _check_is_whole(choice.get("finish_reason"), message.get("refusal"))
    return _text_of(message.get("content")).encode("utf-8", "surrogatepass")


def _check_is_whole(ended: Any, refusal: Any) -> None:
    if ended == "content_filter":
        raise SearchFailed("the endpoint withheld the reply (its content filter)", may_pass=False)
    if refusal:
        raise SearchFailed("the model refused to reply", may_pass=False)
    if ended == "length":
        raise MalformedReply("the reply was cut off at the endpoint's limit")


def _text_of(content: Any) -> str:
    """A text, or the texts of its parts."""
    parts = content if type(content) is list else [{"text": content}]
    texts = [part.get("text") for part in parts if type(part) is dict]
    if not texts or not all(type(text) is str for text in texts):
        raise MalformedReply("the endpoint's answer holds no text")
    return "".join(map(str, texts))
