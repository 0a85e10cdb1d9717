"""Endpoints of the API that take markers out of an answer or a conversation, for runtimes without a stripper. Nothing is stored."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema
from ninja.responses import Status

from attribution import InputError, read_json, strip, strip_history
from reviewers.accounts.models import Scope
from reviewers.accounts.service_keys import KeyWithScope
from reviewers.snapshots.api.schemas import EVERYWHERE, Problem, problem_of
from reviewers.snapshots.ingest.records import RecordError, kind_of
from reviewers.web.http.responses import ascii_json

MOST_MESSAGES = 10_000
_TEXT: dict[str, Any] = {
    "type": "object",
    "required": ["text"],
    "properties": {"text": {"type": "string", "description": "The answer, whole, as the model wrote it."}},
}
_MESSAGES: dict[str, Any] = {
    "type": "object",
    "required": ["messages"],
    "properties": {
        "messages": {
            "type": "array",
            "maxItems": MOST_MESSAGES,
            "items": {"type": "object"},
            "description": "Chat messages with `role` and `content`: text, or a list of parts with `text`. Anything else stays as it is.",
        }
    },
}
_CITING = "Your risk is elevated [[SF:risk_level]]."


class StrippedText(Schema):
    """An answer without its markers."""

    text: str


class StrippedHistory(Schema):
    """A conversation whose assistant's turns have no markers."""

    messages: list[dict[str, Any]]


router = Router(tags=["markers"])


def _body(schema: dict[str, Any], example: dict[str, Any]) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema, "example": example}}}}


@router.post(
    "/strip",
    auth=KeyWithScope(Scope.INGEST),
    response={200: StrippedText} | dict.fromkeys((400, 413, 422), Problem) | EVERYWHERE,
    openapi_extra=_body(_TEXT, {"text": _CITING}),
    operation_id="reviewers_snapshots_api_strip_markers",
    summary="Strip the markers of an answer",
)
def strip_markers(request: HttpRequest) -> HttpResponse | Status[Any]:
    """The answer without its markers and the space before each, as people should see it. Nothing is stored.

    For an answer that streams use the module in JavaScript or the engine: they strip it as it comes.
    """
    try:
        text = _read_text(request)
    except RecordError as error:
        return Status(error.status, problem_of(error))
    return ascii_json({"text": strip(text)})


@router.post(
    "/history",
    auth=KeyWithScope(Scope.INGEST),
    response={200: StrippedHistory} | dict.fromkeys((400, 413, 422), Problem) | EVERYWHERE,
    openapi_extra=_body(_MESSAGES, {"messages": [{"role": "user", "content": "am I at risk?"}, {"role": "assistant", "content": _CITING}]}),
    operation_id="reviewers_snapshots_api_strip_conversation",
    summary="Strip the markers of a conversation",
)
def strip_conversation(request: HttpRequest) -> HttpResponse | Status[Any]:
    """The messages in their order; those of the assistant without markers, all others as they were. Nothing is stored.

    Send this to the model instead of its earlier turns as it wrote them: a model that sees its own markers cites more than it uses.
    """
    try:
        messages = _read_messages(request)
    except RecordError as error:
        return Status(error.status, problem_of(error))
    return ascii_json({"messages": strip_history(messages)})


def _read_text(request: HttpRequest) -> str:
    text = _read(request, "text")
    if not isinstance(text, str):
        raise RecordError("text", f"must be text, not {kind_of(text)}")
    return text


def _read_messages(request: HttpRequest) -> list[dict[str, Any]]:
    messages = _read(request, "messages")
    if not isinstance(messages, list):
        raise RecordError("messages", f"must be a list, not {kind_of(messages)}")
    if len(messages) > MOST_MESSAGES:
        raise RecordError("messages", f"has {len(messages):,} entries, more than {MOST_MESSAGES:,}")
    for index, message in enumerate(messages):
        if not isinstance(message, dict):
            raise RecordError(f"messages.{index}", f"must be an object, not {kind_of(message)}")
    return messages


def _read(request: HttpRequest, name: str) -> Any:
    """Return the field of this name of the body, which is an object."""
    megabytes = settings.LARGEST_FORM // (1024 * 1024)
    try:
        body = request.body
    except RequestDataTooBig:
        body = b" " * (settings.LARGEST_FORM + 1)
    if len(body) > settings.LARGEST_FORM:
        raise RecordError("", f"larger than {megabytes} MB", status=413)
    try:
        value = read_json(body)
    except InputError as error:
        raise RecordError(error.place, error.reason, status=400) from error
    if not isinstance(value, dict):
        raise RecordError("", f"must be an object, not {kind_of(value)}")
    if name not in value:
        raise RecordError(name, "is missing")
    return value[name]
