"""Traces of a real exporter, sent to a real site, and a worker that is killed while it freezes them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import psycopg
import pytest
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor

from benchmarks.site import ROOT
from tests.packages import install
from tests.robustness.processes import managing, wait_until
from tests.robustness.test_worker import RETRY, enqueue, is_blocked, let_work_age
from tests.sampling import sampled

INSTRUMENTATION = "openinference-instrumentation==0.1.72"
MOST_LINES = 30
QUIET = {"FOOTNOTE_TRACE_QUIET_SECONDS": "1"}


def provider_for(web, processor, compression=Compression.NoCompression, path: str = "/v1/traces") -> TracerProvider:
    """An application's tracing, as its documentation sets it up."""
    exporter = OTLPSpanExporter(
        f"http://127.0.0.1:{web.port}{path}", headers={"Authorization": f"Bearer {web.house.key}"}, compression=compression, timeout=60
    )
    provider = TracerProvider(resource=Resource.create({"service.name": "caremate"}))
    provider.add_span_processor(processor(exporter))
    return provider


def answer(provider: TracerProvider, response: str) -> str:
    """Trace one turn, and return the id of its trace."""
    tracer = provider.get_tracer("caremate")
    with tracer.start_as_current_span("answer") as root:
        root.set_attribute("openinference.span.kind", "CHAIN")
        root.set_attribute("input.value", "am I at risk?")
        with tracer.start_as_current_span("chat") as call:
            call.set_attribute("openinference.span.kind", "LLM")
            call.set_attribute("llm.model_name", "caremate-4")
            call.set_attribute("llm.prompt_template.variables", json.dumps({"safety": {"risk_level": "elevated"}}))
        root.set_attribute("output.value", response)
    return f"{root.get_span_context().trace_id:032x}"


def records_of(connection: psycopg.Connection, trace_ids: list[str]) -> list[dict]:
    names = [f"trace-{trace_id}" for trace_id in trace_ids]
    found = connection.execute("SELECT record FROM snapshots_snapshot WHERE external_id = ANY(%s)", [names]).fetchall()
    return [json.loads(bytes(record)) for (record,) in found]


SENDERS = {
    "a span a request, those below first": (SimpleSpanProcessor, Compression.NoCompression, "/v1/traces"),
    "all in one, packed": (BatchSpanProcessor, Compression.Gzip, "/api/v1/otlp/v1/traces"),
}


@pytest.mark.parametrize("name", sampled(SENDERS, more=1))
def test_what_a_real_exporter_sends_becomes_snapshots(web, connection, name):
    provider = provider_for(web, *SENDERS[name])
    trace_ids = [answer(provider, "Your risk is elevated.") for _ in range(3)]
    assert provider.force_flush()
    provider.shutdown()

    with managing(web.house.folder, "work", **QUIET):
        wait_until(lambda: len(records_of(connection, trace_ids)) == len(trace_ids))
        wait_until(lambda: not is_freezing(connection))

    record = records_of(connection, trace_ids)[0]
    assert (record["user_text"], record["response"], record["model"]) == ("am I at risk?", "Your risk is elevated.", "caremate-4")
    assert record["context"] == {"safety": {"risk_level": "elevated"}}


EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "traces.md").read_text(encoding="utf-8"), re.DOTALL)


def test_the_examples_in_the_documentation_are_short():
    assert ["openinference.instrumentation" in each for each in EXAMPLES] == [False, True]
    assert all(len(each.split("\n")) <= MOST_LINES for each in EXAMPLES)


@pytest.mark.parametrize(
    "example", [EXAMPLES[0], pytest.param(EXAMPLES[-1], marks=pytest.mark.exhaustive)], ids=["by hand", "instrumented"]
)
def test_an_example_in_the_documentation_becomes_a_snapshot(web, connection, example, tmp_path):
    environment = install(tmp_path, INSTRUMENTATION) if "openinference.instrumentation" in example else os.environ
    before = count_frozen(connection)

    code = example.replace(":8000/", f":{web.port}/")
    subprocess.run([sys.executable, "-c", code], cwd=web.house.folder.parent, env=environment, check=True)  # noqa: S603 — ours

    with managing(web.house.folder, "work", **QUIET):
        wait_until(lambda: count_frozen(connection) == before + 1)
        wait_until(lambda: not is_freezing(connection))
    sent = connection.execute("SELECT record FROM snapshots_snapshot WHERE external_id LIKE 'trace-%' ORDER BY id DESC LIMIT 1").fetchone()
    record = json.loads(bytes(sent[0]))
    assert (record["user_text"], record["response"]) == ("am I at risk?", "Your risk is elevated.")
    assert (record["model"], record["prompt_version"]) == ("caremate-4", "match v18")
    assert [section["risk_level"] for section in record["context"].values()] == ["elevated"]
    assert [call["parameters"] for call in record.get("tool_calls", ())] == [{"client": 7}] * ("tracer.tool" in example)


def is_freezing(connection: psycopg.Connection) -> bool:
    """A worker that ends in the middle of it leaves a job which bars the next one until it is found again, minutes later."""
    found = connection.execute("SELECT FROM procrastinate_jobs WHERE task_name LIKE '%freeze_traces' AND status = 'doing'").fetchone()
    return found is not None


def count_frozen(connection: psycopg.Connection) -> int:
    return connection.execute("SELECT count(*) FROM snapshots_trace WHERE state = 'frozen'").fetchone()[0]


def test_a_trace_is_frozen_once_though_the_worker_is_killed_while_it_freezes(web, connection):
    provider = provider_for(web, BatchSpanProcessor)
    trace_ids = [answer(provider, f"Answer {number}.") for number in range(20)]
    provider.shutdown()
    with psycopg.connect(web.house.url()) as gate:
        gate.execute("LOCK TABLE ledger_auditevent IN ACCESS EXCLUSIVE MODE")
        with managing(web.house.folder, "work", **QUIET):
            wait_until(lambda: is_blocked(connection))
    assert records_of(connection, trace_ids) == []

    let_work_age(connection)
    enqueue(connection, RETRY)
    with managing(web.house.folder, "work", **QUIET):
        wait_until(lambda: len(records_of(connection, trace_ids)) == len(trace_ids))
        waiting = "SELECT count(*) FROM snapshots_trace WHERE state = 'waiting' AND trace_id = ANY(%s)"
        wait_until(lambda: connection.execute(waiting, [trace_ids]).fetchone()[0] == 0)
    assert len(records_of(connection, trace_ids)) == len(trace_ids)
