"""Traces over OTLP: spans that are acknowledged a second while the worker freezes, and turns that are frozen a second."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from functools import partial
from http.client import OK

import psycopg
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from benchmarks.client import Client
from benchmarks.measuring import Row, rate_of
from benchmarks.sealing import database_of
from benchmarks.site import Site
from reviewers.demonstration.generator import generate

_TURNS = 2_000
_SPANS_A_TURN = 5
_SPANS_A_REQUEST = 500
_CLIENTS = 2
_PATIENCE = 600
_GLANCE = 0.2
_NANOSECONDS = 10**9


def measure(site: Site) -> Iterator[Row]:
    """Send spans of turns, and wait until all are frozen."""
    spans = [span for record in generate(_TURNS, seed=7) for span in _spans_of(record)]
    bodies = [_request_of(spans[start : start + _SPANS_A_REQUEST]) for start in range(0, len(spans), _SPANS_A_REQUEST)]
    with database_of(site) as connection:
        wanted = _count_frozen(connection) + _TURNS
        begin = time.perf_counter()
        rate = rate_of([partial(_send, site, bodies[number::_CLIENTS]) for number in range(_CLIENTS)])
        yield Row(f"spans over OTLP, {_SPANS_A_TURN} a turn, {_CLIENTS} clients", rate * _SPANS_A_REQUEST, "spans/s", "2,000")
        while _count_frozen(connection) < wanted:
            if time.perf_counter() - begin > _PATIENCE:
                raise RuntimeError("traces were not frozen")
            time.sleep(_GLANCE)
        yield Row("traces over OTLP, until all are frozen", _TURNS / (time.perf_counter() - begin), "turns/s")


def _count_frozen(connection: psycopg.Connection) -> int:
    row = connection.execute("SELECT count(*) FROM snapshots_trace WHERE state = 'frozen'").fetchone()
    return row[0] if row else 0


def _spans_of(record: dict[str, object]) -> Iterator[Span]:
    """Yield the spans of one turn: three steps, the call of the model, and the root, which ends last."""
    trace_id = hashlib.sha256(f"benchmark {record['id']}".encode()).digest()[:16]
    now = time.time_ns()
    for number in range(_SPANS_A_TURN - 2):
        yield _span(trace_id, 2 + number, now, {"openinference.span.kind": "CHAIN", "step.number": str(number)})
    call = {"openinference.span.kind": "LLM", "llm.model_name": str(record["model"])}
    yield _span(trace_id, 9, now, call | {"llm.prompt_template.variables": json.dumps(record["context"])})
    yield _span(trace_id, 1, now, {"input.value": str(record["user_text"]), "output.value": str(record["response"])})


def _span(trace_id: bytes, number: int, ended_at: int, attributes: dict[str, str]) -> Span:
    made = Span(trace_id=trace_id, span_id=bytes([number]) * 8, parent_span_id=b"" if number == 1 else b"\1" * 8, name="step")
    made.start_time_unix_nano, made.end_time_unix_nano = ended_at - _NANOSECONDS, ended_at
    for name, value in attributes.items():
        pair = KeyValue(key=name)
        pair.value.string_value = value
        made.attributes.append(pair)
    return made


def _request_of(spans: list[Span]) -> bytes:
    request = ExportTraceServiceRequest()
    request.resource_spans.add().scope_spans.add().spans.extend(spans)
    return bytes(request.SerializeToString())


def _send(site: Site, bodies: list[bytes]) -> int:
    client = Client(site.port)
    headers = {"Authorization": f"Bearer {site.key}", "Content-Type": "application/x-protobuf"}
    for body in bodies:
        status, told = client.request("POST", "/v1/traces", body=body, headers=headers)
        if status != OK or told:
            raise RuntimeError(f"{status}: {told[:200]!r}")
    return len(bodies)
