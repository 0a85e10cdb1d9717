"""The endpoint that takes traces over OTLP/HTTP, and the page that shows what became of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET
from ninja import Router
from ninja.errors import Throttled

from reviewers.accounts.models import Scope
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.service_keys import LARGE, KeyRequest, KeyWithScope, limit_large_bodies
from reviewers.snapshots.api.schemas import EVERYWHERE
from reviewers.snapshots.otlp import actions, queries
from reviewers.snapshots.otlp.encoding import (
    JSON,
    MOST_UNPACKED,
    PROTOBUF,
    RefusedSpans,
    Unpacking,
    UnreadableBody,
    accepted,
    problem,
    read_spans,
)

router = Router(tags=["traces"])

_RETRY_AFTER = 5
"""Seconds until some of the waiting traces will have ended."""


def _listing(name: str, meaning: str, of: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with a list of objects."""
    return {"type": "object", "properties": {name: {"type": ["array", "null"], "items": of, "description": meaning}}}


_SPANS = _listing("spans", "Spans, as OTLP has them.", {"type": "object"})
_REQUEST = _listing("resourceSpans", "Spans, by what they come from.", _listing("scopeSpans", "Spans, by their instrumentation.", _SPANS))
_ENCODINGS = {
    PROTOBUF: {"schema": {"type": "string", "format": "binary", "description": "An `ExportTraceServiceRequest`."}},
    JSON: {"schema": _REQUEST | {"description": "The same in OTLP's JSON."}},
}
_ANSWERED = {PROTOBUF: {"schema": {"type": "string", "format": "binary"}}, JSON: {"schema": {"type": "object"}}}
_RESPONSE = {"description": "An `ExportTraceServiceResponse`.", "content": _ANSWERED}
_STATUS = {"description": "A `google.rpc.Status`, whose message is the reason.", "content": _ANSWERED}
_DESCRIBED: dict[str, Any] = {
    "requestBody": {"required": True, "content": _ENCODINGS},
    "responses": {200: _RESPONSE} | dict.fromkeys((400, 411, 413, 415), _STATUS),
}


@router.post(
    "/v1/traces",
    auth=KeyWithScope(Scope.INGEST),
    response=dict.fromkeys((200, 400, 411, 413, 415), None) | EVERYWHERE,
    openapi_extra=_DESCRIBED,
    url_name="post_traces",
    operation_id="reviewers_snapshots_api_post_traces",
    summary="Send spans over OTLP",
)
def post_traces(request: HttpRequest) -> HttpResponse:
    """Spans of any OpenTelemetry exporter, over OTLP/HTTP in protobuf or JSON, plain or gzip. Also at `/v1/traces`.

    What is acknowledged is stored. A trace becomes a snapshot once its root has come and nothing new came for some seconds, if its root, or
    the span with `footnote.turn`, has an answer. Sending spans again is harmless. Spans that are refused are counted in `partial_success`,
    with the first reason. With 429 and 503 nothing was stored; `Retry-After` says when to send the same again.
    """
    request = cast("KeyRequest", request)
    content_type = request.content_type or ""
    answered_in = content_type if content_type == JSON else PROTOBUF
    try:
        return HttpResponse(_take(request, content_type), content_type=answered_in)
    except UnreadableBody as error:
        return HttpResponse(problem(answered_in, error.reason), content_type=answered_in, status=error.status)
    except actions.TooManyWaiting as error:
        raise Throttled(_RETRY_AFTER) from error


def _take(request: KeyRequest, content_type: str) -> bytes:
    refused = RefusedSpans()
    with _body(request, content_type) as body:
        spans = read_spans(body, content_type, refused)
        if spans:
            actions.take(spans=spans, key=request.auth, at=timezone.now(), refused=refused)
    return accepted(content_type, refused)


@contextmanager
def _body(request: KeyRequest, content_type: str) -> Iterator[bytes]:
    """Yield the body as it was before it was packed. Few large ones of an organisation are held at once."""
    is_packed = _check_headers(request, content_type)
    try:
        sent = request.body
    except RequestDataTooBig as error:
        raise UnreadableBody(_too_large(), 413) from error
    if len(sent) > MOST_UNPACKED:
        raise UnreadableBody(_too_large(), 413)
    unpacking = Unpacking(sent) if is_packed else None
    begun = unpacking.read(LARGE + 1) if unpacking else sent
    with limit_large_bodies(request.auth.organisation_id, len(begun)) as may:
        if not may:
            raise Throttled(1)
        yield unpacking.read_rest(begun) if unpacking else sent


def _too_large() -> str:
    return f"the body is larger than {MOST_UNPACKED // (1024 * 1024)} MB; send fewer spans at once"


def _check_headers(request: KeyRequest, content_type: str) -> bool:
    """Return True if the body is packed; raise ``UnreadableBody`` for what cannot be read."""
    if content_type not in (PROTOBUF, JSON):
        raise UnreadableBody(f"send {PROTOBUF} or {JSON}", 415)
    if request.headers.get("Transfer-Encoding"):
        raise UnreadableBody("send the body in one piece, with its Content-Length", 411)
    encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in ("", "identity", "gzip"):
        raise UnreadableBody("send the body as it is, or with gzip", 415)
    return encoding == "gzip"


@require_GET
@requires(Permission.READ_SETTINGS)
def traces(request: MemberRequest) -> HttpResponse:
    """Show the last traces, as they came and what they became. There are names in them and no values."""
    return render(request, "snapshots/traces.html", {"traces": queries.list_traces(request.member), "most": queries.MOST_SHOWN})
