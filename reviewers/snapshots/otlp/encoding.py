"""OTLP/HTTP bodies: gzip, protobuf and JSON, read span by span and within bounds, and the responses in the same encoding.

A message of two bytes takes a hundred in memory. So the outer messages are only walked through, and each span is decoded by itself: what a
request can make the site hold is bounded by its size and by the largest span.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from google.protobuf.json_format import MessageToJson, ParseDict, ParseError
from google.protobuf.message import DecodeError, Message
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from attribution import InputError, read_json

PROTOBUF, JSON = "application/x-protobuf", "application/json"

MOST_UNPACKED = 32 * 1024 * 1024
MOST_JSON = 8 * 1024 * 1024
"""Bytes of a body in JSON: read, it takes ten times as much."""
MOST_OBJECTS = 60_000
"""Objects in a body in JSON, and as many lists: each takes as long as a hundred bytes of protobuf, and an empty one a hundred in memory."""
MOST_SPANS = 20_000
"""Spans in a request."""
MOST_TRACES = 5_000
"""Traces in a request: each has rows of its own."""
MOST_PARTS = 400_000
"""Attributes, events and links of all spans and resources in a request. In two bytes each there could be forty times as many."""
MOST_ATTRIBUTES = 10_000
"""Attributes of a span, its events and links."""

_MEGABYTE = 1024 * 1024
_MOST_STEPS = 3 * MOST_SPANS
_NO_PROTOBUF = "the body is no export request in protobuf"
_TRACE_ID, _SPAN_ID = 16, 8
_LONGEST_NUMBER = 10
_LONGEST_SERVICE = 200
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class UnreadableBody(Exception):  # noqa: N818 — says what it is
    """A body that cannot be read as OTLP. ``status`` is its HTTP status."""

    def __init__(self, reason: str, status: int = 400) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


@dataclass(frozen=True, slots=True)
class ReceivedSpan:
    """A span as it was received: its identifiers, its resource and itself in protobuf, and the facts that storing needs."""

    trace_id: str
    span_id: bytes
    resource: bytes
    content: bytes
    is_answering: bool

    @property
    def size(self) -> int:
        """Return the number of bytes that are stored."""
        return len(self.content) + len(self.resource)


@dataclass(slots=True)
class RefusedSpans:
    """The spans of a request that were refused: their number, and the first reason."""

    count: int = 0
    reason: str = ""

    def add(self, reason: str, count: int = 1) -> None:
        """Count spans that were refused for a reason."""
        self.count += count
        self.reason = self.reason or reason


class _Unusable(Exception):  # noqa: N818 — says what it is
    """A span that is refused, with the reason."""


# Bodies.


class Unpacking:
    """A gzip stream that is unpacked in steps, so that a caller can ask for room before there is much of it."""

    def __init__(self, body: bytes) -> None:
        self._stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._rest = body

    def read(self, most: int) -> bytes:
        """Return the next bytes, at most so many."""
        try:
            piece = self._stream.decompress(self._rest, most)
        except zlib.error as error:
            raise UnreadableBody("the body is not gzip") from error
        self._rest = self._stream.unconsumed_tail
        return piece

    @property
    def is_done(self) -> bool:
        """True if the stream has ended."""
        return self._stream.eof

    def read_rest(self, begun: bytes) -> bytes:
        """Return the whole body; raise ``UnreadableBody`` if it is too large or cut off."""
        whole = begun if self.is_done else begun + self.read(MOST_UNPACKED - len(begun) + 1)
        if len(whole) > MOST_UNPACKED:
            raise UnreadableBody(f"unpacked, the body is larger than {MOST_UNPACKED // _MEGABYTE} MB; send fewer spans at once", 413)
        if not self.is_done or self._stream.unused_data:
            raise UnreadableBody("the body is not one whole gzip stream")
        return whole


def read_spans(body: bytes, content_type: str, refused: RefusedSpans) -> list[ReceivedSpan]:
    """Return the usable spans of a body; count the others in ``refused``. Raise ``UnreadableBody`` if it is no export request."""
    found: list[ReceivedSpan] = []
    traces: set[str] = set()
    parts = _Parts()
    for number, (resource, content) in enumerate(_pairs(body, content_type, parts)):
        if number >= MOST_SPANS:
            raise UnreadableBody(f"has more than {MOST_SPANS:,} spans; send fewer at once", 413)
        try:
            found.append(_received(resource, content, parts))
        except _Unusable as error:
            refused.add(str(error))
        else:
            traces.add(found[-1].trace_id)
        if len(traces) > MOST_TRACES:
            raise UnreadableBody(f"has more than {MOST_TRACES:,} traces; send fewer at once", 413)
    return found


class _Parts:
    """The attributes, events and links of a request. They are counted before any of them is looked at."""

    def __init__(self) -> None:
        self._left = MOST_PARTS

    def take(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise UnreadableBody(f"has more than {MOST_PARTS:,} attributes, events and links; send fewer spans at once", 413)


def _pairs(body: bytes, content_type: str, parts: _Parts) -> Iterator[tuple[bytes, bytes | dict[str, Any]]]:
    """Yield the spans of a body as they are there, each with what is kept of its resource in protobuf."""
    if content_type == JSON:
        yield from _pairs_of_json(body, parts)
    else:
        yield from _pairs_of_protobuf(body, parts)


def _received(resource: bytes, content: bytes | dict[str, Any], parts: _Parts) -> ReceivedSpan:
    span, raw = _decoded(content)
    if len(raw) + len(resource) > settings.LARGEST_RECORD:
        raise _Unusable(f"a span is larger than {settings.LARGEST_RECORD // _MEGABYTE} MB")
    if len(span.trace_id) != _TRACE_ID or not any(span.trace_id):
        raise _Unusable("a span has no trace id of 16 bytes")
    if len(span.span_id) != _SPAN_ID or not any(span.span_id):
        raise _Unusable("a span has no span id of 8 bytes")
    _count(span, parts)
    is_answering = not any(span.parent_span_id) or any(each.key == "footnote.turn" for each in span.attributes)
    return ReceivedSpan(span.trace_id.hex(), span.span_id, resource, raw, is_answering)


def _decoded(content: bytes | dict[str, Any]) -> tuple[Span, bytes]:
    if isinstance(content, bytes):
        if len(content) > settings.LARGEST_RECORD:
            raise _Unusable(f"a span is larger than {settings.LARGEST_RECORD // _MEGABYTE} MB")
        return read_span(content), content
    try:
        span: Span = ParseDict(_with_base64(content), Span(), ignore_unknown_fields=True)
    except (ParseError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise _Unusable("a span has values of the wrong type") from error
    return span, span.SerializeToString()


def read_span(content: bytes) -> Span:
    """Return a span; raise ``UnreadableBody`` if the bytes are none."""
    try:
        span: Span = Span.FromString(content)
    except DecodeError as error:
        raise UnreadableBody(_NO_PROTOBUF) from error
    return span


def _count(span: Span, parts: _Parts) -> None:
    """Count the parts of a span. Lists have their lengths at once; each of their elements takes time and room to look at."""
    outer = len(span.attributes) + len(span.events) + len(span.links)
    if outer <= MOST_ATTRIBUTES:
        parts.take(outer)
        inner = sum(len(each.attributes) for each in (*span.events, *span.links))
        if outer + inner <= MOST_ATTRIBUTES:
            parts.take(inner)
            return
    raise _Unusable(f"a span has more than {MOST_ATTRIBUTES:,} attributes")


# JSON: identifiers are hexadecimal, where protobuf's own mapping has base64.


def _pairs_of_json(body: bytes, parts: _Parts) -> Iterator[tuple[bytes, dict[str, Any]]]:
    if len(body) > MOST_JSON:
        raise UnreadableBody(f"in JSON the body may have {MOST_JSON // _MEGABYTE} MB; send fewer spans at once, or protobuf", 413)
    if max(body.count(b"{"), body.count(b"[")) > MOST_OBJECTS:
        reason = f"in JSON the body may have {MOST_OBJECTS:,} objects, and as many lists; send fewer spans at once, or protobuf"
        raise UnreadableBody(reason, 413)
    try:
        read = read_json(body)
    except InputError as error:
        raise UnreadableBody(f"the body is no JSON: {error.reason}") from error
    if not isinstance(read, dict):
        raise UnreadableBody("the body must be a JSON object")
    for of_resource in _objects(read, "resourceSpans"):
        resource = _resource(of_resource.get("resource"), parts)
        for of_scope in _objects(of_resource, "scopeSpans"):
            yield from ((resource, span) for span in _objects(of_scope, "spans"))


def _objects(value: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = [] if value.get(name) is None else value[name]
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise UnreadableBody(f"{name} must be a list of objects")
    return found


def _resource(value: Any, parts: _Parts) -> bytes:
    try:
        read: Resource = ParseDict({} if value is None else value, Resource(), ignore_unknown_fields=True)
    except (ParseError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableBody("a resource has values of the wrong type") from error
    return _service_only(read, parts)


def _with_base64(span: dict[str, Any]) -> dict[str, Any]:
    named = {name: _base64(span[name]) for name in ("traceId", "spanId", "parentSpanId") if span.get(name)}
    links = span.get("links")
    return span | named | ({"links": []} if links else {})


def _base64(value: Any) -> str:
    with suppress(ValueError, TypeError):
        return b64encode(bytes.fromhex(value)).decode()
    raise ValueError("an identifier is not hexadecimal")


# Protobuf: resource_spans = 1 { resource = 1, scope_spans = 2 { spans = 2 } }


def _pairs_of_protobuf(body: bytes, parts: _Parts) -> Iterator[tuple[bytes, bytes]]:
    walk = _Walk(_MOST_STEPS)
    for _, of_resource in walk.parts(memoryview(body), {1}):
        fields = list(walk.parts(of_resource, {1, 2}))
        resource = _read_resource(b"".join(bytes(part) for number, part in fields if number == 1), parts)
        for number, of_scope in fields:
            if number == 2:
                yield from ((resource, bytes(span)) for _, span in walk.parts(of_scope, {2}))


def _read_resource(content: bytes, parts: _Parts) -> bytes:
    try:
        return _service_only(Resource.FromString(content), parts)
    except DecodeError as error:
        raise UnreadableBody(_NO_PROTOBUF) from error


def _service_only(resource: Resource, parts: _Parts) -> bytes:
    """Return what is kept of a resource, with each of its spans: its service. Of one large resource there could be thousands of copies."""
    if resource.ByteSize() > _MEGABYTE:
        raise UnreadableBody("a resource is larger than 1 MB", 413)
    parts.take(len(resource.attributes))
    kept = [each for each in resource.attributes if each.key == "service.name" and len(each.value.string_value) <= _LONGEST_SERVICE]
    return bytes(Resource(attributes=kept[:1]).SerializeToString())


class _Walk:
    """A walk through the outer messages of a body, of so many steps at most."""

    def __init__(self, steps: int) -> None:
        self._steps = steps

    def parts(self, data: memoryview, wanted: set[int]) -> Iterator[tuple[int, memoryview]]:
        """Yield the wanted length-delimited fields of a message, by number, without decoding them."""
        place, end = 0, len(data)
        while place < end:
            self._count()
            tag, place = _number(data, place)
            begin, place = _extent(data, tag & 7, place)
            if place > end:
                raise UnreadableBody(_NO_PROTOBUF)
            if tag & 7 == _BYTES and tag >> 3 in wanted:
                yield tag >> 3, data[begin:place]

    def _count(self) -> None:
        self._steps -= 1
        if self._steps < 0:
            raise UnreadableBody(f"has more than {MOST_SPANS:,} spans, or as many other parts; send fewer at once", 413)


def _extent(data: memoryview, kind: int, place: int) -> tuple[int, int]:
    """Return where the content of a field begins and ends."""
    if kind == _VARINT:
        return place, _number(data, place)[1]
    if kind == _BYTES:
        length, begin = _number(data, place)
        return begin, begin + length
    if kind in (_FIXED64, _FIXED32):
        return place, place + (8 if kind == _FIXED64 else 4)
    raise UnreadableBody(_NO_PROTOBUF)


def _number(data: memoryview, place: int) -> tuple[int, int]:
    """Return a variable-length number and the place after it."""
    value = 0
    for index, byte in enumerate(data[place : place + _LONGEST_NUMBER]):
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value, place + index + 1
    raise UnreadableBody(_NO_PROTOBUF)


# Waiting spans are stored as an export request, so that they are read as they came.


def pack(spans: Iterable[ReceivedSpan]) -> bytes:
    """Return spans as an export request in protobuf."""
    by_resource: dict[bytes, list[bytes]] = {}
    for span in spans:
        by_resource.setdefault(span.resource, []).append(_field(2, span.content))
    return b"".join(_field(1, _field(1, resource) + _field(2, b"".join(each))) for resource, each in by_resource.items())


def unpack(content: bytes) -> Iterator[tuple[Resource, Span]]:
    """Yield the spans of a stored export request, each with its resource. Keep none of them: decoded they are forty times as large."""
    for resource, span in _pairs_of_protobuf(content, _Parts()):
        yield Resource.FromString(resource), read_span(span)


def count_spans(content: bytes) -> int:
    """Return the number of spans of a stored export request, without decoding them."""
    return sum(1 for _ in _pairs_of_protobuf(content, _Parts()))


def _field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | _BYTES]) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])


# Responses.


def accepted(content_type: str, refused: RefusedSpans) -> bytes:
    """Return the response to a request that was accepted, with the number and first reason of refused spans."""
    response = ExportTraceServiceResponse()
    if refused.count:
        response.partial_success.rejected_spans = refused.count
        response.partial_success.error_message = refused.reason
    return _written(response, content_type)


def problem(content_type: str, reason: str) -> bytes:
    """Return a ``google.rpc.Status`` with a message: its second field."""
    return json.dumps({"message": reason}).encode() if content_type == JSON else _field(2, reason.encode())


def _written(message: Message, content_type: str) -> bytes:
    return MessageToJson(message, indent=None).encode() if content_type == JSON else bytes(message.SerializeToString())
