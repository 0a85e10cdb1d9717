"""Traces as applications send them, in both encodings."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.test import Client
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from reviewers.snapshots.models import Snapshot, Trace
from reviewers.snapshots.otlp.actions import freeze_batch
from tests.factories import NOW

ADDRESS, SHORT_ADDRESS = "/api/v1/otlp/v1/traces", "/v1/traces"
PROTOBUF, JSON = "application/x-protobuf", "application/json"
TRACE = bytes(range(16))
ROOT, CHILD = b"\1" * 8, b"\2" * 8
ENDED = 1_772_000_000_000_000_000

QUIET = timedelta(seconds=5)
LONGEST = timedelta(minutes=10)


def value_of(value: Any) -> AnyValue:
    """A value of an attribute."""
    if isinstance(value, dict):
        made = AnyValue()
        made.kvlist_value.SetInParent()
        made.kvlist_value.values.extend(KeyValue(key=name, value=value_of(each)) for name, each in value.items())
        return made
    if isinstance(value, list):
        made = AnyValue()
        made.array_value.SetInParent()
        made.array_value.values.extend(value_of(each) for each in value)
        return made
    kinds = {bool: "bool_value", int: "int_value", float: "double_value", str: "string_value", bytes: "bytes_value"}
    return AnyValue(**{kinds[type(value)]: value}) if value is not None else AnyValue()


def pairs(attributes: Mapping[str, Any]) -> list[KeyValue]:
    return [KeyValue(key=name, value=value_of(value)) for name, value in attributes.items()]


def span(attributes: Mapping[str, Any] | None = None, **changes: Any) -> Span:
    """A span; the root of a trace unless it has a parent."""
    events = changes.pop("events", [])
    given = {"trace_id": TRACE, "span_id": ROOT, "name": "turn", "start_time_unix_nano": ENDED - 10**9, "end_time_unix_nano": ENDED}
    made = Span(**given | changes, attributes=pairs(attributes or {}))
    for name, values in events:
        made.events.add(name=name, attributes=pairs(values))
    return made


def child(attributes: Mapping[str, Any] | None = None, number: int = 0, **changes: Any) -> Span:
    """A span below the root. The higher its number the later it began."""
    given = {"span_id": bytes([2, number]) * 4, "parent_span_id": ROOT, "start_time_unix_nano": ENDED - 10**8 + number, "name": "call"}
    return span(attributes, **given | changes)


def request_of(*spans: Span, service: str = "caremate") -> ExportTraceServiceRequest:
    """An export request."""
    made = ExportTraceServiceRequest()
    of_resource = made.resource_spans.add()
    of_resource.resource.attributes.extend(pairs({"service.name": service}))
    of_resource.scope_spans.add().spans.extend(spans)
    return made


def as_json(request: ExportTraceServiceRequest) -> bytes:
    """The request in OTLP's JSON, whose identifiers are hexadecimal."""
    read = MessageToDict(request)
    sent = [each for resource in request.resource_spans for scope in resource.scope_spans for each in scope.spans]
    told = [each for resource in read["resourceSpans"] for scope in resource["scopeSpans"] for each in scope.get("spans", [])]
    for made, given in zip(told, sent, strict=True):
        made |= {"traceId": given.trace_id.hex(), "spanId": given.span_id.hex(), "parentSpanId": given.parent_span_id.hex()}
    return json.dumps(read).encode()


def post_body(program: Client, body: bytes, content_type: str = PROTOBUF, address: str = ADDRESS, **headers: str) -> HttpResponse:
    """Send a body."""
    return program.generic("POST", address, body, content_type, headers=headers, CONTENT_TYPE=content_type)


def send(program: Client, *spans: Span, content_type: str = PROTOBUF, packed: bool = False, **options: Any) -> HttpResponse:
    """Send spans."""
    request = request_of(*spans)
    body = as_json(request) if content_type == JSON else request.SerializeToString()
    headers = {"Content-Encoding": "gzip"} if packed else {}
    return post_body(program, gzip.compress(body) if packed else body, content_type, **headers, **options)


def accepted(response: HttpResponse) -> tuple[int, str]:
    """The number of refused spans, and the first reason."""
    assert (response.status_code, response["Content-Type"]) == (200, PROTOBUF)
    told = ExportTraceServiceResponse.FromString(response.content).partial_success
    return told.rejected_spans, told.error_message


def age(by: timedelta = QUIET) -> None:
    """Let time pass for what waits."""
    for trace in Trace.objects.filter(state="waiting"):
        Trace.objects.filter(pk=trace.pk).update(first_at=trace.first_at - by, last_at=trace.last_at - by)


def freeze(organisation_id: UUID, now: datetime = NOW) -> int:
    """End everything that is due."""
    count = 0
    while ended := freeze_batch(organisation_id=organisation_id, now=now):
        count += ended
    return count


def records(snapshots: Sequence[Snapshot] | None = None) -> list[dict[str, Any]]:
    """The records of all snapshots, in order."""
    return [json.loads(bytes(each.record)) for each in snapshots or Snapshot.objects.order_by("pk")]
