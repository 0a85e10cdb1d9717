"""Reads the reply of a model strictly: one JSON object with citations, or an error that says where and why."""

from __future__ import annotations

import re
from typing import Any

from attribution.errors import InputError
from attribution.strict_json import read_json

LONGEST_REPLY = 1_048_576
"""Bytes. A longer one is not read."""
_DEEPEST = 16
_FENCE = b"```"


class MalformedReply(Exception):  # noqa: N818 — what came, not whose error it is
    """A reply that cannot be read as a whole. ``reason`` says where and why, without a word of the reply."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read_reply(reply: bytes) -> list[Any]:
    """The list of citations of a reply in UTF-8, optionally inside one code fence; what stands in the list is not looked at yet."""
    if len(reply) > LONGEST_REPLY:
        raise MalformedReply(f"the reply has {len(reply)} bytes, and {LONGEST_REPLY} are read at most")
    found = read_document(_without_fence(reply.strip()), _DEEPEST)
    if type(found) is not dict:
        raise MalformedReply(f"the reply is {_kind(found)}, not an object")
    if "citations" not in found:
        raise MalformedReply("the reply is an object without citations")
    if type(found["citations"]) is not list:
        raise MalformedReply(f"citations is {_kind(found['citations'])}, not a list")
    citations: list[Any] = found["citations"]
    return citations


def _without_fence(reply: bytes) -> bytes:
    """Return what stands inside the one code fence around a reply, if there is one."""
    opening, _, rest = reply.partition(b"\n")
    is_fenced = opening.strip().lower() in (_FENCE, _FENCE + b"json") and rest.endswith(_FENCE)
    return rest.removesuffix(_FENCE) if is_fenced else reply


def read_document(document: bytes, deepest: int) -> Any:
    """A JSON document that somebody sent; what is wrong with it is said without quoting it."""
    if not document.strip():
        raise MalformedReply("the reply is empty")
    try:
        return read_json(document, deepest)
    except InputError as error:
        raise MalformedReply(f"the reply cannot be read: {_without_quotes(error.reason)}") from None


def _without_quotes(reason: str) -> str:
    """A reason without what it quotes: a key or a number of the reply may be anybody's."""
    return re.split(r" \"|: (?=[-\d'])", reason, maxsplit=1)[0]


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    names = {dict: "an object", list: "a list", str: "a text", int: "a number", float: "a number"}
    return names.get(type(value), "null")
