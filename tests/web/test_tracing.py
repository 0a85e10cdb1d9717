"""Spans of the site itself: none unless an endpoint is named, and nothing of a request in them but its route and its status."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.web.test_production import run_deployed

WORDS = "a-word-that-somebody-searched"

PROGRAM = f"""
import asyncio, django
django.setup()
from types import SimpleNamespace
from django.core.management import call_command
from django.test import Client
from reviewers.web.tracing import provider, trace_job

call_command("collectstatic", verbosity=0, interactive=False)
client = Client(headers={{"Host": "desk.example.org", "X-Forwarded-Proto": "https", "Cookie": "{WORDS}=1", "User-Agent": "{WORDS}"}})
client.get("/health/live?q={WORDS}")
client.get("/nowhere/{WORDS}/")
client.post("/drafts/keep/", {{"text": "{WORDS}"}})
client.generic("{WORDS}", "/health/live")

async def fail():
    raise ValueError("{WORDS}")

job = SimpleNamespace(task_name="reviewers.web.jobs.retry_stalled", queue="default", attempts=1, task_kwargs={{"words": "{WORDS}"}})
try:
    asyncio.run(trace_job(fail, SimpleNamespace(job=job), None))
except ValueError:
    pass
provider().force_flush()
"""


class Collector(BaseHTTPRequestHandler):
    """Keeps the bodies that come."""

    bodies: list[bytes]

    def do_POST(self) -> None:
        self.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def collecting() -> Iterator[tuple[str, list[bytes]]]:
    handler = type("Handler", (Collector,), {"bodies": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1/traces", handler.bodies
        server.shutdown()


@pytest.fixture(scope="module")
def bodies(tmp_path_factory) -> list[bytes]:
    with collecting() as (address, came):
        done = run_deployed(PROGRAM, FOOTNOTE_TRACES_URL=address, FOOTNOTE_VAR=str(tmp_path_factory.mktemp("var")))
    assert done.returncode == 0, done.stderr
    return came


@pytest.fixture(scope="module")
def spans(bodies) -> dict[str, Span]:
    resources = [each for body in bodies for each in ExportTraceServiceRequest.FromString(body).resource_spans]
    return {span.name: span for resource in resources for scope in resource.scope_spans for span in scope.spans}


def attributes(span: Span) -> dict[str, object]:
    return {each.key: each.value.string_value or each.value.int_value for each in span.attributes}


def test_each_request_and_job_has_a_span_with_its_route_and_status(spans):
    assert attributes(spans["GET health/live"]) == {
        "http.request.method": "GET",
        "http.route": "health/live",
        "http.response.status_code": 200,
    }
    assert attributes(spans["GET other"])["http.response.status_code"] == 404
    assert attributes(spans["POST drafts/keep/"])["http.route"] == "drafts/keep/"
    assert "other health/live" in spans


def test_a_job_that_failed_tells_the_type_of_the_error_alone(spans):
    span = spans["reviewers.web.jobs.retry_stalled"]

    assert attributes(span) == {"messaging.destination.name": "default", "footnote.attempt": 1, "error.type": "ValueError"}
    assert (span.status.code, span.status.message, len(span.events)) == (2, "", 0)


def test_no_word_of_a_request_or_job_is_in_what_is_sent(bodies, spans):
    assert len(spans) == 5
    assert WORDS.encode() not in b"".join(bodies)


@pytest.fixture
def var(tmp_path) -> str:
    """A folder whose static files are collected."""
    (tmp_path / "static").mkdir()
    return str(tmp_path)


def test_without_an_endpoint_nothing_is_imported_or_measured(var):
    done = run_deployed(
        "import json, sys, django; django.setup(); from django.conf import settings; import reviewers.wsgi;"
        "print(json.dumps([[name for name in sys.modules if name.startswith('opentelemetry.sdk')],"
        "[name for name in settings.MIDDLEWARE if 'tracing' in name]]))",
        FOOTNOTE_VAR=var,
    )

    assert json.loads(done.stdout) == [[], []]


def test_without_the_packages_it_says_which_are_missing(var):
    done = run_deployed(
        "import sys; sys.modules['opentelemetry.sdk'] = None; import django; django.setup(); import reviewers.wsgi",
        FOOTNOTE_TRACES_URL="https://collector.example.org/v1/traces",
        FOOTNOTE_VAR=var,
    )

    assert done.returncode == 1
    assert "pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http" in done.stderr
