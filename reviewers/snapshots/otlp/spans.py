"""Spans as plain values: their attributes as JSON, and the spans of a trace in their order and as a tree."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import isfinite
from typing import Any

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span as ProtobufSpan

TURN = "footnote.turn"
_SAFE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]{0,79}", re.ASCII)
_NUMBER_IN_NAME = re.compile(r"\.[0-9]+(?=\.|$)")
_MOST_SHOWN_SPANS, _MOST_SHOWN_NAMES, _MOST_SHOWN_IN_ALL = 50, 60, 600


@dataclass(frozen=True, slots=True)
class SpanValues:
    """A span: its identifiers, times in nanoseconds and attributes. ``events`` are the attributes of its events.

    If it ``has_repeated``, it came with an attribute twice, of which one value is lost.
    """

    id: bytes
    parent: bytes
    name: str
    started: int
    ended: int
    attributes: Mapping[str, Any]
    events: Sequence[Mapping[str, Any]] = ()
    has_repeated: bool = False

    @property
    def kind(self) -> str:
        """Return what the span did in its vocabulary's word, such as LLM, TOOL or execute_tool; empty if it does not say."""
        told = self.attributes.get("openinference.span.kind") or self.attributes.get("gen_ai.operation.name") or ""
        return told if isinstance(told, str) else ""

    @property
    def is_turn(self) -> bool:
        """True if the span says that it is the turn."""
        return self.attributes.get(TURN) not in (None, False, "", "false", 0)


def values_of(span: ProtobufSpan) -> SpanValues:
    """Return a span as plain values."""
    attributes, events = _attributes(span.attributes), [_attributes(event.attributes) for event in span.events]
    came = sum(map(len, (span.attributes, *(event.attributes for event in span.events))))
    return SpanValues(
        id=span.span_id,
        parent=span.parent_span_id if any(span.parent_span_id) else b"",
        name=span.name,
        started=span.start_time_unix_nano,
        ended=span.end_time_unix_nano,
        attributes=attributes,
        events=[each for each in events if each],
        has_repeated=sum(map(len, (attributes, *events))) < came,
    )


def service_of(resource: Resource) -> str:
    """Return the name of the service that sent a resource, if it may be shown."""
    name = _attributes(resource.attributes).get("service.name")
    return shown_name(name) if isinstance(name, str) else ""


def _attributes(pairs: Iterable[KeyValue]) -> dict[str, Any]:
    """Return attributes as an object. One with a key twice inside a value is a list of pairs, as `parsed` leaves it a text."""
    return {pair.key: _json(pair.value) for pair in pairs}


def _json(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_json(each) for each in value.array_value.values]
    if kind == "kvlist_value":
        pairs = value.kvlist_value.values
        read = _attributes(pairs)
        return read if len(read) == len(pairs) else [[pair.key, _json(pair.value)] for pair in pairs]
    if kind == "bytes_value":
        return b64encode(value.bytes_value).decode()
    plain = getattr(value, kind) if kind else None
    return None if isinstance(plain, float) and not isfinite(plain) else plain


def parsed(value: Any) -> Any:
    """Return a value that may be written as JSON in a text: exporters only send plain values.

    A text that is no JSON stays one, and so does an object with a key twice: one of the two values would be lost. Numbers that are none,
    or out of range, are null.
    """
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[", '"')):
        return value
    try:
        return json.loads(value, parse_constant=lambda _: None, parse_float=_finite, object_pairs_hook=_distinct)
    except (ValueError, RecursionError):
        return value


def _finite(text: str) -> float | None:
    return number if isfinite(number := float(text)) else None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("a key stands there twice")
    return read


@dataclass(frozen=True)
class TraceSpans:
    """The spans of a trace, in the order in which they began. ``keys`` are the identifiers of the service keys that sent them.

    If it ``is_rest``, spans came before that were not kept.
    """

    trace_id: str
    spans: Sequence[SpanValues]
    service: str = ""
    keys: Sequence[str] = ()
    is_rest: bool = False

    @cached_property
    def roots(self) -> Sequence[SpanValues]:
        """Return the spans without a parent."""
        return [span for span in self.spans if not span.parent]

    @cached_property
    def marked(self) -> Sequence[SpanValues]:
        """Return the spans that say that they are the turn."""
        return [span for span in self.spans if span.is_turn]

    @cached_property
    def _children(self) -> Mapping[bytes, list[SpanValues]]:
        found: dict[bytes, list[SpanValues]] = {}
        for span in self.spans:
            found.setdefault(span.parent, []).append(span)
        return found

    def below(self, top: SpanValues) -> Sequence[SpanValues]:
        """Return the spans below one, in their order. Parents in a circle are no trouble: each is visited once."""
        seen, ahead = {top.id}, [top]
        while ahead:
            for span in self._children.get(ahead.pop().id, ()):
                if span.id not in seen:
                    seen.add(span.id)
                    ahead.append(span)
        return [span for span in self.spans if span.id in seen and span.id != top.id]


def trace_of(trace_id: str, received: Iterable[tuple[Resource, ProtobufSpan]], keys: Sequence[str], *, is_rest: bool) -> TraceSpans:
    """Return the spans of a trace. Of those with one identifier the first counts."""
    spans: dict[bytes, SpanValues] = {}
    service = ""
    for resource, span in received:
        if span.span_id not in spans:
            spans[span.span_id] = values_of(span)
            service = service or service_of(resource)
    return TraceSpans(trace_id, sorted(spans.values(), key=lambda span: (span.started, span.id)), service, keys, is_rest)


# The outline of a trace, for a page: names of spans and attributes, and no value.


def shown_name(name: str) -> str:
    """Return a name if it is one as programs give them; anything else could be protected text."""
    return name if _SAFE_NAME.fullmatch(name) else ""


def general_name(name: str) -> str:
    """Return an attribute's name with N for each number in it."""
    return _NUMBER_IN_NAME.sub(".N", name)


def outline(trace: TraceSpans) -> list[dict[str, Any]]:
    """Return what came of a trace: for each span its name, what it did, its depth and the names of its attributes."""
    left = _MOST_SHOWN_IN_ALL
    shown: list[dict[str, Any]] = []
    for span, depth in islice(_in_tree(trace), _MOST_SHOWN_SPANS):
        names = list(islice(_names(span), min(left, _MOST_SHOWN_NAMES)))
        left -= len(names)
        name = span.name if shown_name(span.name.replace(" ", "_")) else ""
        shown.append({"name": name, "kind": shown_name(span.kind), "depth": depth, "attributes": names})
    return shown


def _names(span: SpanValues) -> Iterator[str]:
    names = dict.fromkeys(general_name(name) for each in (span.attributes, *span.events) for name in each)
    yield from (shown for name in names if (shown := shown_name(name)))


_DEEPEST = 8


def _in_tree(trace: TraceSpans) -> Iterator[tuple[SpanValues, int]]:
    """Yield spans, each before those below it, with its depth; those without a parent that came begin at the left."""
    known, seen = {span.id for span in trace.spans}, set[bytes]()
    tops_first = sorted(trace.spans, key=lambda span: span.parent in known)
    ahead = [(span, 0) for span in reversed(tops_first)]
    while ahead:
        span, depth = ahead.pop()
        if span.id in seen:
            continue
        seen.add(span.id)
        yield span, min(depth, _DEEPEST)
        below = trace._children.get(span.id, ())  # noqa: SLF001 — of the same module
        ahead += [(each, depth + 1) for each in reversed(below)]
