"""Finds the answer object in a response: alone, in a block of code, or with prose before or behind it."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from attribution.documents import keys
from attribution.errors import InputError
from attribution.strict_json import read_json_at

_FENCED = re.compile(r"(?:```|~~~)[ \t]*\w*[ \t]*\n?\s*(?=\{)")
_LINE = re.compile(r"^[ \t]*(?=\{)", re.MULTILINE)
_FENCE_BEHIND = re.compile(r"\s*(?:```|~~~)[ \t]*(?=\n|\Z)")
_MOST_TRIED = 4
_TEXTS = ("answer", "text", "response", "summary")
_LISTS = ("claims", "citations", "sources")


class FoundObject(NamedTuple):
    """An answer object, and the whole answer as it is read: the object's text, with the prose around the object.

    ``value`` is nothing where a response begins such an object and does not end it; then ``fault`` says what is wrong with it.
    """

    value: keys.Object | None
    text: str
    fault: str = ""


def object_in(response: str) -> FoundObject:
    """Return the answer object that a response holds; the response itself where it is prose."""
    if "{" not in response or not any(f'"{name}"' in response for name in (*_LISTS, *_TEXTS)):
        return FoundObject(None, response)
    fault = ""
    for before, start in _beginnings(response):
        try:
            value, end = read_json_at(response, start)
        except InputError as error:
            fault = fault or (error.reason if _is_begun(response, before, start) else "")
            continue
        if is_answer_object(value):
            return FoundObject(value, _whole(response, before, value, end))
    return FoundObject(None, response, fault)


def _beginnings(response: str) -> list[tuple[int, int]]:
    """Return where objects begin: the end of the prose before each, and its bracket."""
    found = {match.end(): match.start() for match in (*_LINE.finditer(response), *_FENCED.finditer(response))}
    first = response.find("{")
    found.setdefault(first, first)
    return [(found[start], start) for start in sorted(found)[:_MOST_TRIED]]


def _is_begun(response: str, before: int, start: int) -> bool:
    """Return True if a response consists of something that is nearly an answer object."""
    return not response[:before].strip() and any(f'"{name}"' in response[start:] for name in _TEXTS)


def _whole(response: str, before: int, value: keys.Object, end: int) -> str:
    behind = _FENCE_BEHIND.match(response, end) if before < end else None
    parts = (response[:before].strip(), answer_text(value), response[behind.end() if behind else end :].strip())
    return "\n\n".join([part for part in parts if part])


def is_answer_object(value: Any) -> bool:
    """Return True if a value is an answer with claims or with citations, and not only a list of citations."""
    return has_claims(value) or (
        isinstance(value, dict) and bool(keys.text(value, *_TEXTS)) and any(isinstance(value.get(name), list) for name in _LISTS)
    )


def has_claims(value: Any) -> bool:
    """Return True if a value is an answer object that states claims."""
    return isinstance(value, dict) and isinstance(value.get("claims"), list)


def answer_text(value: keys.Object) -> str:
    """Return the text of an answer object; one that has none is the sentences of its claims."""
    written = keys.text(value, *_TEXTS)
    return written or " ".join([keys.text(keys.mapping(claim), "text", "claim") for claim in keys.items(value.get("claims"))])
