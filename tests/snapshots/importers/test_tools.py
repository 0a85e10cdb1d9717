"""The exports of each tool, read into the parts of a record; what is missing is said in the tool's words."""

from __future__ import annotations

import json
import time
import tracemalloc
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attribution import canonical_bytes
from reviewers.snapshots.importers.export import find_tool
from reviewers.snapshots.importers.tool import FieldLabels
from reviewers.snapshots.importers.tools import TOOLS
from reviewers.snapshots.importers.turns import Paths, import_findings, read_turn
from reviewers.snapshots.ingest.records import read_record
from tests.snapshots.importers.exported import (
    ANSWER,
    ASKED,
    CONTEXT,
    DOCUMENT,
    EVERY_EXPORT,
    FOLDER,
    HELLO,
    OPENING,
    read,
    records,
)

FILES = [(tool, file) for tool, *files in EVERY_EXPORT for file in files]

OUTPUT = {"text": "Your risk is low.", "field_citations": [{"tool": "SF", "field": "risk_level", "text": "Your risk is low"}]}


def whole(tool: str, identifier: str, call: str, **more: Any) -> dict[str, Any]:
    """The record of a turn whose export has all of it."""
    return {
        "id": identifier,
        "response": ANSWER,
        "user_text": ASKED,
        "context": OPENING | CONTEXT,
        "documents": [DOCUMENT],
        "tool_calls": [{"id": call, "name": "opening_hours", "parameters": {"house": "ferry"}, "output": OPENING["opening_hours"]}],
        "client_reference": "client-7",
        "model": "caremate-4",
        "answered_at": "2026-03-02T18:00:04+00:00",
        "trace": {"tool": tool, "findings": []},
    } | more


def test_a_trace_of_langfuse_with_its_observations_and_scores():
    (turn,), _ = read("langfuse", "langfuse-3/trace.json")

    names = {"conversation_id": "talk-31", "prompt_version": "visits 7", "earlier_turns": HELLO}
    assert turn.read.record == whole("langfuse", "8f1c2a7e90b34d55a1c07e2d6b9f0a11", "a3", **names)
    assert turn.read.labels == FieldLabels({("plan", "coverage"): True, ("wishes", "evening"): False}, ["helpfulness"], [])


def test_a_trace_that_was_downloaded_from_langfuse_with_its_observations_twice():
    (turn,), _ = read("langfuse", "langfuse-3/trace-download.json")

    names = {"conversation_id": "talk-31", "prompt_version": "visits 7", "earlier_turns": HELLO}
    assert turn.read.record == whole("langfuse", "c0ffee00" * 4, "a3", **names)


def test_a_table_of_langfuses_observations_and_one_of_scores():
    (turn,), export = read("langfuse", "langfuse-3/observations_v2.jsonl", "langfuse-3/scores.jsonl")

    told = turn.read.record
    assert (told["id"], told["response"], told["user_text"], told["context"]) == (
        "b7d20c41f3a94e6f8a5512c3d4e5f607",
        ANSWER,
        ASKED,
        CONTEXT,
    )
    assert (told["conversation_id"], told["model"], told["prompt_version"]) == ("talk-32", "caremate-4", "visits 7")
    assert turn.read.labels.labels == {("plan", "coverage"): True}
    assert export.without_turn == 1


def test_a_table_of_langfuses_traces_says_what_it_does_not_have():
    (turn, warm_up), _ = read("langfuse", "langfuse-3/traces.csv")

    assert (turn.read.record["response"], turn.read.record["user_text"], turn.read.record["context"]) == (ANSWER, ASKED, {})
    assert turn.read.findings == [
        "No context in this trace: it is read from footnote.context in the trace's metadata; or name its path in a mapping file.",
        "No model in this trace: name its path in a mapping file.",
        "No prompt version in this trace: name its path in a mapping file.",
    ]
    assert warm_up.read.error == "no answer in this trace; if it has one, name its path as response in a mapping file"


def test_runs_of_langsmith_in_any_order_and_feedback_on_any_of_them():
    (turn,), _ = read("langsmith", "langsmith-0.6/runs.jsonl", "langsmith-0.6/feedback.jsonl")

    root = "0195a1f0-0000-7000-8000-000000000001"
    names = {"conversation_id": "talk-41", "prompt_version": "visits 9ac3"}
    assert turn.read.record == whole("langsmith", root, root[:-1] + "3", **names)
    assert turn.read.labels == FieldLabels({("plan", "coverage"): True}, ["coverage_used", "correctness"], [])


def test_a_run_of_langsmith_with_its_child_runs():
    (turn,), _ = read("langsmith", "langsmith-0.6/runs-with-child-runs.json")

    root = "0195a1f0-0000-7000-8000-000000000009"
    assert turn.read.record == whole("langsmith", root, root[:-1] + "3", conversation_id="talk-41", prompt_version="visits 9ac3")
    assert turn.read.labels.labels == {("plan", "coverage"): True}


def test_runs_of_langsmiths_bulk_export_name_all_runs_above_them(tmp_path):
    root = "0195a1f0-0000-7000-8000-000000000001"
    (tmp_path / "runs.jsonl").write_text(
        "".join(
            json.dumps({name: each[name] for name in each if name != "parent_run_id"} | more) + "\n"
            for each in map(json.loads, (FOLDER / "langsmith-0.6/runs.jsonl").read_text().splitlines())
            for more in [
                {"parent_run_ids": [root], "thread_id": "talk-42"} if each["id"] != root else {"is_root": True, "parent_run_ids": []}
            ]
        )
    )

    (told,) = records("langsmith", tmp_path / "runs.jsonl")

    assert told == whole("langsmith", root, root[:-1] + "3", conversation_id="talk-41", prompt_version="visits 9ac3")


def test_spans_of_phoenix_and_an_annotation_on_one_of_them():
    (turn,), _ = read("phoenix", "phoenix-13/spans.json", "phoenix-13/span_annotations.json")

    names = {"conversation_id": "talk-51", "prompt_version": "visits 7"}
    assert turn.read.record == whole("phoenix", "1f" * 16, "s3", **names)
    assert turn.read.labels.labels == {("plan", "coverage"): True}


def test_a_data_frame_of_phoenix():
    (told,) = records("phoenix", "phoenix-13/spans.csv")

    assert (told["response"], told["user_text"], told["context"], told["earlier_turns"]) == (ANSWER, ASKED, CONTEXT, HELLO)
    assert told["model"] == "caremate-4"


def test_completions_of_openai_with_their_messages():
    stored, logged = records("openai", "openai-v1/completions.jsonl")

    assert (stored["id"], stored["response"], stored["user_text"], stored["context"]) == ("chatcmpl-1", ANSWER, ASKED, CONTEXT)
    assert (stored["conversation_id"], stored["prompt_version"], stored["answered_at"]) == (
        "talk-61",
        "visits 7",
        "2026-03-02T18:00:04+00:00",
    )
    assert (logged["id"], logged["client_reference"], logged["context"]) == ("chatcmpl-2", "client-7", OPENING)
    assert logged["tool_calls"] == stored["tool_calls"] == whole("openai", "", "call_1")["tool_calls"]


def test_the_two_files_of_a_batch_of_openai():
    (done, expired), _ = read("openai", "openai-v1/batch-output.jsonl", "openai-v1/batch-input.jsonl")

    assert (done.read.record["id"], done.read.record["response"], done.read.record["user_text"]) == ("turn-1", ANSWER, ASKED)
    assert done.read.record["context"] == OPENING
    assert expired.read.error.startswith("no answer in this completion")


def test_a_response_of_openai_with_the_variables_of_its_prompt():
    (told,) = records("openai", "openai-v1/responses.jsonl")

    assert (told["id"], told["response"], told["user_text"], told["context"]) == ("resp_1", ANSWER, ASKED, CONTEXT)
    assert (told["conversation_id"], told["prompt_version"]) == ("conv_1", "visits 7")


def test_a_line_for_fine_tuning_is_a_turn_where_a_path_names_its_identifier(tmp_path):
    path = tmp_path / "tuning.jsonl"
    messages = [{"role": "user", "content": ASKED}, {"role": "assistant", "content": ANSWER}]
    path.write_text(json.dumps({"messages": messages, "case": "c-1"}))

    _, export = read("openai", path)
    (told,) = records("openai", path, paths=Paths({"id": "case"}))

    assert export.refused == ["tuning.jsonl, line 1: has no identifier; name its path as id in a mapping file"]
    assert (told["id"], told["response"], told["user_text"]) == ("c-1", ANSWER, ASKED)
    assert "earlier_turns" not in told


def test_tasks_of_label_studio_with_what_people_chose():
    (turn,), _ = read("label-studio", "label-studio-1/tasks.json")

    told = turn.read.record
    assert (told["id"], told["response"], told["user_text"], told["context"]) == ("501", ANSWER, ASKED, CONTEXT)
    assert (told["model"], told["prompt_version"]) == ("caremate-4", "visits 7")
    assert turn.read.labels == FieldLabels({("plan", "coverage"): True}, ["tone"], ["wishes.evening"])


def test_rows_of_label_studio_that_are_one_task():
    (turn,), _ = read("label-studio", "label-studio-1/tasks.csv")

    assert (turn.read.record["id"], turn.read.record["context"]) == ("502", CONTEXT)
    assert turn.read.labels.labels == {("plan", "coverage"): True}


@pytest.mark.parametrize("created", [1e308, -1e308, 10**400, -5])
def test_a_number_that_is_no_time_is_none(tmp_path, created):
    answer = {
        "object": "chat.completion",
        "id": "c-1",
        "created": created,
        "choices": [{"message": {"role": "assistant", "content": "Yes."}}],
    }
    (tmp_path / "completions.jsonl").write_text(json.dumps(answer))

    (turn,), _ = read("openai", tmp_path / "completions.jsonl")
    assert (turn.read.error, turn.read.record["response"], "answered_at" in turn.read.record) == ("", "Yes.", False)


@pytest.mark.parametrize(
    ("tool", "entry"),
    [
        ("langsmith", {"run_type": "chain", "id": "r-1", "inputs": {"text": "?"}, "outputs": OUTPUT}),
        ("langfuse", {"id": "t-1", "timestamp": "2026-03-01T10:00:00Z", "input": "?", "output": OUTPUT, "observations": []}),
        ("label-studio", {"id": 1, "annotations": [], "data": {"response": OUTPUT["text"], "field_citations": OUTPUT["field_citations"]}}),
    ],
)
def test_what_an_output_cites_beside_its_text_comes_along(tmp_path, tool, entry):
    (tmp_path / "export.json").write_text(json.dumps([entry]))

    (turn,), _ = read(tool, tmp_path / "export.json")
    assert (turn.read.record["response"], turn.read.record["field_citations"]) == (OUTPUT["text"], OUTPUT["field_citations"])


def test_very_many_scores_on_very_many_sections_are_read_at_once(tmp_path):
    context = {f"s{number}": {"a": 1} for number in range(20_000)}
    stats = {f"x{number}": {"avg": 1} for number in range(20_000)} | {"s19999.a": {"avg": 1}}
    entry = {"run_type": "chain", "id": "r-1", "inputs": {"text": "?", "context": context}, "outputs": {"text": "Yes."}}
    (tmp_path / "runs.jsonl").write_text(json.dumps(entry | {"feedback_stats": stats}))
    before = time.process_time()

    (turn,), _ = read("langsmith", tmp_path / "runs.jsonl")
    assert turn.read.labels.labels == {("s19999", "a"): True}
    assert time.process_time() - before < 10  # each score beside each section takes a minute


def test_attributes_below_a_long_name_are_passed_over(tmp_path):
    many = {"k" * 100_000: {"l" * 100_000: dict.fromkeys(map(str, range(2_000)), 1)}, "output": {"value": "Yes."}}
    (tmp_path / "spans.jsonl").write_text(json.dumps({"context": {"trace_id": "t", "span_id": "s"}, "attributes": many}))
    tracemalloc.start()

    (turn,), _ = read("phoenix", tmp_path / "spans.jsonl")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert turn.read.record["response"] == "Yes."
    assert most < 20_000_000  # with their whole names they take 400 MB


@pytest.mark.parametrize(("tool", "file"), FILES)
def test_each_file_is_known_by_itself(tool, file):
    assert find_tool(FOLDER / file) == tool


@pytest.mark.parametrize("export", EVERY_EXPORT, ids=lambda export: export[1])
def test_a_reader_is_pure_and_its_record_is_one_that_ingest_takes(export):
    first, again = records(*export), records(*export)

    assert first == again
    for told in first:
        if told:
            assert read_record(canonical_bytes(told)).external_id == told["id"]


def test_words_are_of_known_tools_and_findings_only():
    (said,) = import_findings("openai", ["no_context", "<b>", 7, None])
    assert said.startswith("No context in this completion: it is read from the results of tools, or footnote.context in the metadata; or ")
    assert import_findings("<b>", ["no_context"]) == import_findings(["langsmith"], ["no_context"]) == []


# Nothing that a file can hold stops an import.

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def objects_of(tool: str) -> list[dict[str, Any]]:
    """The objects of all files of a tool, as they are in the files of JSON."""
    found: list[Any] = []
    for each, *files in EVERY_EXPORT:
        for file in files if each == tool else ():
            content = (FOLDER / file).read_text()
            if file.endswith(".jsonl"):
                found += map(json.loads, content.splitlines())
            elif file.endswith(".json"):
                read_whole = json.loads(content)
                found += read_whole if isinstance(read_whole, list) else read_whole.get("data", read_whole.get("runs", [read_whole]))
    return found


def places_in(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The place of each value in a value."""
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place, *(found for key, each in below for found in places_in(each, (*place, key)))]


def changed(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    if not place:
        return new
    copy = value.copy()
    copy[place[0]] = changed(value[place[0]], place[1:], new)
    return copy


@pytest.mark.parametrize("tool", TOOLS)
@given(data=st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_any_value_in_an_export_gives_a_record_or_a_reason(tool, data):
    known = TOOLS[tool]
    chosen = data.draw(st.sampled_from(objects_of(tool)))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from([place for place in places_in(chosen) if place]))
        chosen = changed(chosen, place, data.draw(_JSON | st.sampled_from(["[[[[1]]]]", '{"messages": [{"role": 1}]}', [[]], [{}]])))

    if known.is_known(chosen):
        belonging = known.belonging(chosen)
        told = read_turn(known, belonging.turn or "turn", [chosen], Paths())
        assert told.error or canonical_bytes(told.record)
