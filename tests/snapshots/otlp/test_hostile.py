"""Hostile and broken bodies end in a refusal that says why, or in a finding; nothing of them is stored by half."""

from __future__ import annotations

import gzip
import json
import zlib
from datetime import timedelta

import pytest
from django.utils import timezone

from reviewers.ledger.models import AuditEvent
from reviewers.snapshots.models import Snapshot, Trace, WaitingSpans
from reviewers.snapshots.otlp import actions, encoding
from tests.api.sending import program_of
from tests.factories import make_organisation, sign_in
from tests.sampling import sampled
from tests.snapshots.otlp.tracing import (
    JSON,
    LONGEST,
    PROTOBUF,
    ROOT,
    TRACE,
    accepted,
    age,
    as_json,
    child,
    freeze,
    post_body,
    records,
    request_of,
    send,
    span,
)

pytestmark = pytest.mark.django_db

ANSWER = {"output.value": "Your risk is elevated.", "footnote.context": "{}"}
MEGABYTE = 1024 * 1024


@pytest.fixture
def program(organisation):
    return program_of(organisation)


def end(organisation, **options) -> None:
    age(**options)
    freeze(organisation.pk, timezone.now())


def reason_of(response, content_type: str = PROTOBUF) -> str:
    """The message of a refusal: the second field of a status."""
    assert response["Content-Type"] == content_type
    if content_type == JSON:
        return response.json()["message"]
    (part,) = encoding._Walk(10).parts(memoryview(response.content), {2})
    return bytes(part[1]).decode()


def nested(depth: int) -> bytes:
    """A value in so many lists, in protobuf."""
    content = b""
    for _ in range(depth):
        content = encoding._field(5, encoding._field(1, content))
    return content


NO_PROTOBUF = {
    "noise": b"\xff" * 100,
    "text": b"hello, this is text",
    "JSON": b'{"resourceSpans": []}',
    "cut off": request_of(span(ANSWER)).SerializeToString()[:-3],
    "a number without end": b"\x0a" + b"\xff" * 20,
    "a length beyond the end": b"\x0a\xff\xff\xff\xff\x7f",
    "a span of noise": encoding._field(1, encoding._field(2, encoding._field(2, b"\xff\xff\xff"))),
    "text that is no UTF-8": encoding._field(1, encoding._field(2, encoding._field(2, b"\x2a\x02\xff\xfe"))),
    "a resource of noise": encoding._field(1, encoding._field(1, b"\xff\xff\xff")),
    "lists in lists": encoding._field(1, encoding._field(2, encoding._field(2, encoding._field(9, encoding._field(2, nested(200)))))),
}


@pytest.mark.parametrize("name", NO_PROTOBUF)
def test_a_body_that_is_no_protobuf_is_refused(program, name):
    response = post_body(program, NO_PROTOBUF[name])

    assert (response.status_code, reason_of(response)) == (400, "the body is no export request in protobuf")
    assert not Trace.objects.exists()


NO_JSON = {
    "protobuf": (b"\x0a\x00", "the body is no JSON"),
    "a list": (b"[]", "the body must be a JSON object"),
    "resources that are none": (b'{"resourceSpans": [1]}', "resourceSpans must be a list of objects"),
    "an empty object for a list": (b'{"resourceSpans": {}}', "resourceSpans must be a list of objects"),
    "a resource that is a list": (b'{"resourceSpans": [{"resource": [1]}]}', "a resource has values of the wrong type"),
    "scopes that are none": (b'{"resourceSpans": [{"scopeSpans": {}, "resource": 7}]}', "a resource has values of the wrong type"),
    "spans that are none": (b'{"resourceSpans": [{"scopeSpans": [{"spans": "x"}]}]}', "spans must be a list of objects"),
    "depth": (b'{"resourceSpans": ' + b"[" * 50_000, "the body is no JSON"),
}


@pytest.mark.parametrize("name", NO_JSON)
def test_a_body_that_is_no_json_of_spans_is_refused(program, name):
    body, reason = NO_JSON[name]

    response = post_body(program, body, JSON)

    assert response.status_code == 400
    assert reason_of(response, JSON).startswith(reason)


def in_json(**changes: object) -> bytes:
    read = json.loads(as_json(request_of(span(ANSWER), child())))
    read["resourceSpans"][0]["scopeSpans"][0]["spans"][1] |= changes
    return json.dumps(read).encode()


WRONG_IN_JSON = {
    "name": {"name": 7},
    "time": {"startTimeUnixNano": "yesterday"},
    "negative time": {"startTimeUnixNano": -1},
    "attributes": {"attributes": "x"},
    "attribute": {"attributes": [{"key": "a", "value": 7}]},
    "value": {"attributes": [{"key": "a", "value": {"intValue": "x"}}]},
    "events": {"events": [7]},
    "an id in base64": {"spanId": "AgICAgICAgI="},
    "a number for an id": {"spanId": 7},
    "an empty id": {"traceId": ""},
    "status": {"status": 7},
}


@pytest.mark.parametrize("name", WRONG_IN_JSON)
def test_a_span_with_wrong_types_is_refused_and_the_others_are_kept(program, name):
    response = post_body(program, in_json(**WRONG_IN_JSON[name]), JSON)

    assert response.status_code == 200
    assert response.json()["partialSuccess"]["rejectedSpans"] == "1"
    assert response.json()["partialSuccess"]["errorMessage"].startswith("a span has ")
    assert Trace.objects.get().span_count == 1


def test_unknown_fields_are_passed_over(program):
    assert post_body(program, in_json(somethingNew={"deep": [1]}), JSON).content == b"{}"


WRONG_IDS = {
    "a short trace id": ({"trace_id": b"\1" * 15}, "a span has no trace id of 16 bytes"),
    "a trace id of zeros": ({"trace_id": bytes(16)}, "a span has no trace id of 16 bytes"),
    "no span id": ({"span_id": b""}, "a span has no span id of 8 bytes"),
    "a long span id": ({"span_id": b"\1" * 100_000}, "a span has no span id of 8 bytes"),
}


@pytest.mark.parametrize("name", WRONG_IDS)
def test_a_span_without_identifiers_is_refused(program, name):
    changes, reason = WRONG_IDS[name]

    assert accepted(send(program, span(ANSWER, **changes), span(ANSWER))) == (1, reason)
    assert Trace.objects.get().trace_id == TRACE.hex()


def test_a_span_of_ten_megabytes_is_refused_and_the_others_are_kept(program):
    large = child({"output.value": "x" * 10 * MEGABYTE})

    assert accepted(send(program, span(ANSWER), large)) == (1, "a span is larger than 5 MB")
    assert Trace.objects.get().span_count == 1


def test_a_span_with_a_hundred_thousand_attributes_is_refused(program):
    many = child({f"attribute.{number}": number for number in range(100_000)})

    assert accepted(send(program, span(ANSWER), many)) == (1, "a span has more than 10,000 attributes")


def test_so_are_the_attributes_of_its_events(program):
    many = child(events=[("event", {f"attribute.{number}": number for number in range(100)}) for _ in range(101)])

    assert accepted(send(program, span(ANSWER), many)) == (1, "a span has more than 10,000 attributes")


SMALL_PARTS = {
    "resources": b"\x0a\x00",
    "fields that nobody knows": b"\x78\x01",
    "scopes": b"\x12\x00",
    "spans": b"\x12\x00",
}


@pytest.mark.parametrize("name", SMALL_PARTS)
def test_a_body_of_millions_of_empty_parts_is_refused(program, name):
    body = SMALL_PARTS[name] * 4_000_000
    if name in ("scopes", "spans"):
        body = encoding._field(1, body if name == "scopes" else encoding._field(2, body))

    response = post_body(program, gzip.compress(body, 1), **{"Content-Encoding": "gzip"})

    assert response.status_code == 413
    assert "send fewer" in reason_of(response)


PACKED = {
    "a bomb": (gzip.compress(bytes(200 * MEGABYTE), 9), 413, "unpacked, the body is larger than 32 MB; send fewer spans at once"),
    "no gzip": (b"hello", 400, "the body is not gzip"),
    "zlib": (zlib.compress(b"hello"), 400, "the body is not gzip"),
    "cut off": (gzip.compress(bytes(range(256)) * 10)[:-9], 400, "the body is not one whole gzip stream"),
    "two streams": (gzip.compress(b"") * 2, 400, "the body is not one whole gzip stream"),
    "nothing": (b"", 400, "the body is not one whole gzip stream"),
}


@pytest.mark.parametrize("name", PACKED)
def test_a_packed_body_is_unpacked_within_bounds(program, name):
    body, status, reason = PACKED[name]

    response = post_body(program, body, **{"Content-Encoding": "gzip"})

    assert (response.status_code, reason_of(response)) == (status, reason)


HEADERS = {
    "another encoding": (PROTOBUF, {"Content-Encoding": "br"}, 415),
    "another type": ("text/plain", {}, 415),
    "a form": ("application/x-www-form-urlencoded", {}, 415),
    "no length": (PROTOBUF, {"Transfer-Encoding": "chunked"}, 411),
}


@pytest.mark.parametrize("name", HEADERS)
def test_what_cannot_be_read_is_refused(program, name):
    content_type, headers, status = HEADERS[name]

    assert post_body(program, b"", content_type, **headers).status_code == status


def test_nothing_is_nothing(program):
    assert accepted(post_body(program, b"")) == (0, "")
    assert not Trace.objects.exists()


def test_a_body_in_json_has_a_bound_of_its_own(program, monkeypatch):
    monkeypatch.setattr(encoding, "MOST_JSON", 100)

    assert send(program, span(ANSWER), content_type=JSON).status_code == 413


def test_parents_in_a_circle_are_no_turn(program, organisation):
    first, second = (child(span_id=bytes([own]) * 8, parent_span_id=bytes([parent]) * 8) for own, parent in ((5, 6), (6, 5)))
    send(program, first, second)
    end(organisation, by=LONGEST)

    assert Trace.objects.get().state == "no_turn"


def test_a_turn_in_a_circle_is_frozen(program, organisation):
    own = {"output.value": "Your risk is elevated.", "footnote.turn": True}
    send(program, child(own, span_id=b"\5" * 8, parent_span_id=b"\6" * 8), child(span_id=b"\6" * 8, parent_span_id=b"\5" * 8))
    send(program, child(trace_id=b"\7" * 16, parent_span_id=ROOT, span_id=ROOT))
    end(organisation, by=LONGEST)

    assert len(records()) == 1
    assert Trace.objects.count() == 2


def test_a_chain_of_thousands_of_spans_is_read(program, organisation):
    links = [child(span_id=number.to_bytes(8), parent_span_id=(number - 1).to_bytes(8)) for number in range(2**32, 2**32 + 5_000)]
    links[0].parent_span_id = ROOT
    send(program, span(ANSWER), *links)
    end(organisation)

    assert Trace.objects.get().span_count == 5_001
    assert len(Trace.objects.get().outline) == 50


HOSTILE_VALUES = {
    "NUL": "a\0b",
    "a script": "<script>alert(1)</script>",
    "a number": 7,
    "a list": [1, "x", None],
    "an object": {"a": {"b": 1}},
    "nothing": None,
    "bytes": b"\xff\x00",
    "infinity": float("inf"),
    "no number": float("nan"),
    "JSON": '{"a": [1, {"b": NaN}]}',
    "broken JSON": '{"a": ',
    "deep JSON": "[" * 100_000,
    "JSON of some depth": "[" * 90 + "]" * 90,
    "JSON that is too deep for a record": '{"a":' * 900 + "1" + "}" * 900,
    "a number out of range": '{"a": {"b": 1e999}}',
    "a key twice": '{"a": {"b": 1, "b": 2}}',
    "a large number": "[1" + "0" * 5000 + "]",
    "a lone surrogate": '"\\ud800"',
}
PARTS = (
    *("footnote.context", "footnote.documents", "footnote.tool_calls", "footnote.response", "footnote.user_text", "footnote.turn"),
    *("footnote.completeness", "footnote.hidden_sections", "footnote.answered_at", "footnote.native", "footnote.citations"),
    *("llm.prompt_template.variables", "gen_ai.output.messages", "gen_ai.input.messages", "gen_ai.retrieval.documents"),
    *("session.id", "user.id", "llm.model_name", "llm.prompt_template.version", "gen_ai.prompt.name", "gen_ai.prompt.version"),
    *("output.mime_type", "input.mime_type", "input.value", "openinference.span.kind", "service.name", "tool.name", "a\0b", ""),
    *("retrieval.documents.0.document.content", "retrieval.documents.0.document.metadata", "retrieval.documents.999999999.document.id"),
    *("llm.input_messages.0.message.content", "llm.output_messages.0.message.contents.0.message_content.text"),
)


@pytest.mark.parametrize("name", sampled(HOSTILE_VALUES, more=6))
def test_any_value_of_any_attribute_ends_in_a_snapshot_or_in_a_refusal_in_words(program, organisation, alice, name):
    spans = []
    for number, part in enumerate(PARTS):
        changes = {"trace_id": bytes([number + 1]) * 16}
        spans.append(span({"output.value": "Your risk is elevated.", part: HOSTILE_VALUES[name]}, **changes))
        kind = {"openinference.span.kind": "TOOL", "output.value": HOSTILE_VALUES[name], "tool.parameters": HOSTILE_VALUES[name]}
        spans.append(child({part: HOSTILE_VALUES[name]} | kind, **changes))

    assert accepted(send(program, *spans)) == (0, "")
    end(organisation)

    traces = Trace.objects.filter(organisation=organisation)
    assert traces.count() == len(PARTS)
    assert all(trace.state == "frozen" or trace.reason for trace in traces)
    assert not traces.filter(reason__contains="the site failed").exists()
    assert not WaitingSpans.objects.exists()
    for snapshot in Snapshot.objects.all()[:3]:
        assert sign_in(alice).get(f"/items/{snapshot.pk}/").status_code == 200


def test_a_resource_is_as_small_in_json_as_in_protobuf(program):
    """A larger one was taken and could not be read again: no trace of the organisation was frozen any more."""
    request = request_of(span(ANSWER), service="x" * 1_100_000)

    assert post_body(program, request.SerializeToString()).status_code == 413
    assert post_body(program, as_json(request), JSON).status_code == 413
    assert not Trace.objects.exists()


def test_spans_that_cannot_be_read_again_keep_no_other_trace_waiting(program, organisation):
    send(program, span(ANSWER))
    WaitingSpans.objects.update(content=b"\xff")
    send(program, span(ANSWER, trace_id=b"\7" * 16))
    end(organisation)

    assert Snapshot.objects.count() == 1
    assert set(Trace.objects.values_list("state", "reason")) == {
        ("frozen", ""),
        ("refused", "Refused: the site failed to read this trace; its log says why."),
    }


def test_a_key_of_a_record_is_no_part_of_the_reason_for_refusing_it(program, organisation):
    """Whoever reads settings may not read answers, whose keys may be names of people."""
    send(program, span(ANSWER | {"footnote.completeness": '{"Jane Doe 1970": 7}'}))
    end(organisation)

    assert Trace.objects.get().reason == "Refused: completeness: must be a number from 0 to 1."


def test_a_span_cannot_name_another_organisation(program, organisation):
    other = make_organisation("Elsewhere")
    own = ANSWER | {"organisation": str(other.pk), "footnote.organisation": str(other.pk), "footnote.organisation_id": str(other.pk)}
    send(program, span(own))
    end(organisation)

    assert Snapshot.objects.get().organisation == organisation
    assert "footnote.organisation" in Trace.objects.get().unread


def raw_span(rest: bytes, trace: int = 1, number: int = 1) -> bytes:
    return encoding._field(2, encoding._field(1, trace.to_bytes(16)) + encoding._field(2, number.to_bytes(8)) + rest)


def raw_request(*spans: bytes, resource: bytes = b"") -> bytes:
    return encoding._field(1, encoding._field(1, resource) + encoding._field(2, b"".join(spans)))


def raw_attribute(name: str, text: str = "") -> bytes:
    return encoding._field(1, name.encode()) + encoding._field(2, encoding._field(1, text.encode()))


SMALL_PARTS_OF_SPANS = {"attributes": b"\x4a\x00", "events": b"\x5a\x00", "links": b"\x6a\x00"}


@pytest.mark.parametrize("name", SMALL_PARTS_OF_SPANS)
def test_millions_of_empty_parts_of_one_span_are_counted_before_they_are_read(program, name, monkeypatch):
    monkeypatch.setattr(encoding, "MOST_PARTS", 1)  # reading them would take these parts

    response = post_body(program, raw_request(raw_span(SMALL_PARTS_OF_SPANS[name] * 500_000)))

    assert accepted(response) == (1, "a span has more than 10,000 attributes")


@pytest.mark.parametrize("name", SMALL_PARTS_OF_SPANS)
def test_all_spans_of_a_request_have_so_many_parts_together(program, name):
    body = raw_request(*(raw_span(SMALL_PARTS_OF_SPANS[name] * 10_000, number=number) for number in range(1, 42)))

    response = post_body(program, body)

    assert (response.status_code, reason_of(response)) == (
        413,
        "has more than 400,000 attributes, events and links; send fewer spans at once",
    )


def test_attributes_of_resources_are_parts_as_well(program):
    response = post_body(program, raw_request(raw_span(b""), resource=b"\x0a\x00" * 400_001))

    assert response.status_code == 413


@pytest.mark.parametrize("empty", [b"{}", b"[]"])
def test_a_body_in_json_has_so_many_objects_and_lists(program, empty):
    """Eight megabytes of empty lists took five seconds and two hundred megabytes."""
    response = post_body(program, b'{"resourceSpans": [' + (empty + b",") * 60_000 + empty + b"]}", JSON)

    assert (response.status_code, reason_of(response, JSON)) == (
        413,
        "in JSON the body may have 60,000 objects, and as many lists; send fewer spans at once, or protobuf",
    )


def test_a_request_has_so_many_traces(program):
    response = post_body(program, raw_request(*(raw_span(b"", trace=number) for number in range(1, 5_002))))

    assert (response.status_code, reason_of(response)) == (413, "has more than 5,000 traces; send fewer at once")


@pytest.mark.parametrize("content_type", [PROTOBUF, JSON])
def test_of_a_resource_only_its_service_is_stored_with_each_trace(program, content_type):
    request = request_of(*(span(ANSWER, trace_id=bytes([number]) * 16) for number in range(1, 51)))
    request.resource_spans[0].resource.attributes.add(key="padding").value.string_value = "x" * 100_000
    body = as_json(request) if content_type == JSON else request.SerializeToString()

    assert post_body(program, body, content_type).status_code == 200
    assert Trace.objects.count() == 50
    assert all(b"caremate" in bytes(each.content) for each in WaitingSpans.objects.all())
    assert sum(len(bytes(each.content)) for each in WaitingSpans.objects.all()) < 50 * 300


def test_going_on_with_many_traces_takes_few_statements(program, django_assert_max_num_queries):
    for number in (1, 2):
        body = raw_request(*(raw_span(b"", trace=trace, number=number) for trace in range(1, 201)))
        with django_assert_max_num_queries(30):
            assert accepted(post_body(program, body)) == (0, "")

    assert set(Trace.objects.values_list("span_count", flat=True)) == {2}


def test_a_request_goes_on_with_traces_of_so_many_spans_together(program, organisation, monkeypatch):
    """All their identifiers are held at once: five thousand traces of ten thousand spans are a gigabyte for a request of 250 kB."""
    monkeypatch.setattr(actions, "MOST_SPANS_GONE_ON_WITH", 5)
    send(program, *(span(ANSWER, trace_id=bytes([number]) * 16) for number in (1, 2, 3)))
    end(organisation)
    late = [child(trace_id=bytes([number]) * 16, span_id=bytes([9]) * 8) for number in (1, 2, 3)]
    assert accepted(send(program, *late)) == (0, "")

    response = send(program, *(child(trace_id=bytes([number]) * 16, span_id=bytes([8]) * 8) for number in (1, 2, 3)))

    reason = "goes on with traces that have more than 5 spans together; send fewer traces at once"
    assert (response.status_code, reason_of(response)) == (413, reason)
    assert accepted(send(program, child(trace_id=bytes([1]) * 16, span_id=bytes([8]) * 8))) == (0, "")
    assert sorted(Trace.objects.values_list("late_count", flat=True)) == [1, 1, 2]


def test_so_do_late_spans_of_many_traces(program, organisation, django_assert_max_num_queries):
    send(program, *(span(ANSWER, trace_id=bytes([number]) * 16) for number in range(1, 31)))
    end(organisation)

    with django_assert_max_num_queries(30):
        send(program, *(child(trace_id=bytes([number]) * 16) for number in range(1, 31)))

    assert set(Trace.objects.values_list("late_count", flat=True)) == {1}
    assert AuditEvent.objects.filter(action="spans.late").count() == 30


def test_a_trace_keeps_so_many_names_whatever_was_sent(program, organisation):
    names = [f"footnote.{number:05d}".ljust(78, "x") for number in range(5_000)]
    spans = [child(dict.fromkeys(names[start : start + 100], "x"), number=start // 100) for start in range(0, 5_000, 100)]
    send(program, span({"name": "no answer"}), *spans)
    end(organisation)

    trace = Trace.objects.get()
    assert len(trace.unread) == 50
    assert sum(len(each["attributes"]) for each in trace.outline) == 600


def test_old_traces_are_forgotten_in_pieces(program, organisation, monkeypatch):
    monkeypatch.setattr(actions, "_FORGOTTEN_AT_ONCE", 2)
    send(program, *(span({"name": "no answer"}, trace_id=bytes([number]) * 16) for number in range(1, 6)))
    end(organisation)

    actions.forget_old(timezone.now() + timedelta(days=8))

    assert not Trace.objects.exists()
