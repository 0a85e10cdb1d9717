"""The three vocabularies, read into the parts of a record; ours wins, and what is missing is said."""

from __future__ import annotations

import json
from collections.abc import Mapping
from time import process_time
from typing import Any

import pytest

from reviewers.snapshots.otlp.encoding import PROTOBUF, RefusedSpans, pack, read_spans, unpack
from reviewers.snapshots.otlp.mapping import Mapped, map_trace
from reviewers.snapshots.otlp.spans import trace_of
from reviewers.snapshots.otlp.wording import FINDING_WORDS, TraceFinding, findings_in_words
from tests.snapshots.otlp.tracing import TRACE, child, pairs, request_of, span, value_of

SAFETY = {"safety": {"risk_level": "elevated"}}


def mapped(*spans, keys=(), is_rest=False) -> Mapped:
    """Return what these spans map to, as they are stored and read again."""
    received = read_spans(request_of(*spans).SerializeToString(), PROTOBUF, RefusedSpans())
    return map_trace(trace_of(TRACE.hex(), unpack(pack(received)), keys, is_rest=is_rest))


def record(*spans, **more: Any) -> Mapping[str, Any]:
    return mapped(*spans, **more).record


ANSWER = {"output.value": "Your risk is elevated."}


def test_many_results_of_tools_find_free_names_in_no_time_however_many_are_taken():
    taken = json.dumps({"look_up": {}} | {f"look_up {number}": {} for number in range(2, 30_000)})
    tools = [child({"tool.name": "look_up", "output.value": '{"a": 1}'}, number) for number in range(1, 251)]
    began = process_time()
    made = mapped(span(ANSWER | {"llm.prompt_template.variables": taken}), *tools)

    assert process_time() - began < 1
    assert list(made.record["context"])[:2] == ["look_up 30000", "look_up 30001"]
    assert len(made.record["context"]) == 29_999 + 250


OPENINFERENCE = [
    span(
        {
            "openinference.span.kind": "CHAIN",
            "input.value": "am I at risk?",
            "output.value": "Your risk is elevated.",
            "session.id": "session-1",
            "user.id": "client-7",
        }
    ),
    child(
        {
            "openinference.span.kind": "RETRIEVER",
            "retrieval.documents.0.document.id": "doc-a",
            "retrieval.documents.0.document.content": "Owls play at night.",
            "retrieval.documents.0.document.score": 0.75,
            "retrieval.documents.0.document.metadata": json.dumps({"title": "Owls", "source": "owls.md"}),
            "retrieval.documents.1.document.id": 2,
            "retrieval.documents.1.document.content": "Bats too.",
        },
        1,
    ),
    child(
        {
            "openinference.span.kind": "TOOL",
            "tool.name": "look_up",
            "tool_call.id": "call-1",
            "tool.parameters": json.dumps({"client": 7}),
            "output.value": json.dumps({"next_opening": "18:00"}),
        },
        2,
    ),
    child(
        {
            "openinference.span.kind": "LLM",
            "llm.model_name": "caremate-4",
            "llm.prompt_template.version": "v18",
            "llm.prompt_template.variables": json.dumps(SAFETY | {"tone": "calm"}),
            "llm.input_messages.0.message.role": "system",
            "llm.input_messages.0.message.content": "Be kind.",
            "llm.input_messages.1.message.role": "user",
            "llm.input_messages.1.message.content": "hello",
            "llm.input_messages.2.message.role": "assistant",
            "llm.input_messages.2.message.content": "Hello!",
            "llm.input_messages.10.message.role": "user",
            "llm.input_messages.10.message.content": "am I at risk?",
        },
        3,
    ),
]

GENAI = [
    span(
        {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.conversation.id": "session-1",
            "user.id": "client-7",
            "gen_ai.response.model": "caremate-4",
            "gen_ai.prompt.name": "match",
            "gen_ai.prompt.version": "v18",
            "gen_ai.input.messages": json.dumps(
                [
                    {"role": "user", "parts": [{"type": "text", "content": "hello"}]},
                    {"role": "assistant", "parts": [{"type": "text", "content": "Hello!"}]},
                    {"role": "user", "parts": [{"type": "text", "content": "am I "}, {"type": "text", "content": "at risk?"}]},
                ]
            ),
            "gen_ai.output.messages": json.dumps(
                [
                    {
                        "role": "assistant",
                        "parts": [
                            {"type": "reasoning", "content": "let me think"},
                            {"type": "tool_call", "id": "call-1", "name": "look_up"},
                            {"type": "text", "content": "Your risk is elevated."},
                        ],
                    }
                ]
            ),
        }
    ),
    child(
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "look_up",
            "gen_ai.tool.call.id": "call-1",
            "gen_ai.tool.call.arguments": json.dumps({"client": 7}),
            "gen_ai.tool.call.result": json.dumps({"next_opening": "18:00"}),
        },
        1,
    ),
    child({"gen_ai.retrieval.documents": json.dumps([{"id": "doc-a", "content": "Owls play at night.", "score": 0.75}])}, 2),
]

TOOL_CALL = {"id": "call-1", "name": "look_up", "parameters": {"client": 7}, "output": {"next_opening": "18:00"}}
EARLIER = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "Hello!"}]


def test_openinference_is_read():
    made = mapped(*OPENINFERENCE)

    told = made.record.pop("trace")
    assert made.record == {
        "id": f"trace-{TRACE.hex()}",
        "response": "Your risk is elevated.",
        "user_text": "am I at risk?",
        "earlier_turns": EARLIER,
        "context": SAFETY | {"look_up": {"next_opening": "18:00"}, "prompt": {"tone": "calm"}},
        "documents": [
            {"id": "doc-a", "content": "Owls play at night.", "score": 0.75, "title": "Owls", "uri": "owls.md"},
            {"id": 2, "content": "Bats too."},
        ],
        "tool_calls": [TOOL_CALL],
        "conversation_id": "session-1",
        "client_reference": "client-7",
        "model": "caremate-4",
        "prompt_version": "v18",
        "answered_at": "2026-02-25T06:13:20+00:00",
    }
    assert told == {"trace_id": TRACE.hex(), "from": made.origins, "findings": [], "unread": []}
    assert made.origins["context"] == "llm.prompt_template.variables and results of tools"


def test_opentelemetrys_vocabulary_is_read():
    made = record(*GENAI)

    assert {name: made[name] for name in made if name not in ("trace", "id", "answered_at")} == {
        "response": "Your risk is elevated.",
        "user_text": "am I at risk?",
        "earlier_turns": EARLIER,
        "context": {"look_up": {"next_opening": "18:00"}},
        "documents": [{"id": "doc-a", "content": "Owls play at night.", "score": 0.75}],
        "tool_calls": [TOOL_CALL],
        "conversation_id": "session-1",
        "client_reference": "client-7",
        "model": "caremate-4",
        "prompt_version": "match v18",
    }


def test_messages_may_be_structured_values_of_an_event():
    told = {"gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": "In an event."}]}]}

    assert record(span({}, events=[("gen_ai.client.inference.operation.details", told)]))["response"] == "In an event."


OURS = {
    "footnote.response": "Ours.",
    "footnote.user_text": "ours?",
    "footnote.context": json.dumps(SAFETY),
    "footnote.documents": json.dumps([{"id": "own", "content": "Our own."}]),
    "footnote.tool_calls": json.dumps([{"id": "own"}]),
    "footnote.client_reference": "own-7",
    "footnote.conversation_id": "own-1",
    "footnote.model": "own-model",
    "footnote.prompt_version": "own-v1",
    "footnote.turn_index": 3,
    "footnote.schema_version": "s2",
    "footnote.hidden_sections": json.dumps(["safety"]),
    "footnote.completeness": json.dumps({"safety": 0.5}),
}


@pytest.mark.parametrize("vocabulary", ["openinference", "genai"])
def test_our_own_attributes_win(vocabulary):
    root, *others = OPENINFERENCE if vocabulary == "openinference" else GENAI
    own = span(OURS)
    own.attributes.extend(root.attributes)

    made = record(own, *others)

    assert {name: made[name] for name in made if name not in ("trace", "id", "answered_at", "earlier_turns")} == {
        "response": "Ours.",
        "user_text": "ours?",
        "context": SAFETY,
        "documents": [{"id": "own", "content": "Our own."}],
        "tool_calls": [{"id": "own"}],
        "client_reference": "own-7",
        "conversation_id": "own-1",
        "model": "own-model",
        "prompt_version": "own-v1",
        "turn_index": 3,
        "schema_version": "s2",
        "hidden_sections": ["safety"],
        "completeness": {"safety": 0.5},
    }


def test_our_own_context_may_stand_on_a_span_below():
    assert record(span(ANSWER), child({"footnote.context": json.dumps(SAFETY)}))["context"] == SAFETY


def test_openinference_wins_over_opentelemetry_where_both_are_there():
    both = {"llm.model_name": "first", "gen_ai.response.model": "second", "session.id": "a", "gen_ai.conversation.id": "b"}

    made = record(span(ANSWER | both))

    assert (made["model"], made["conversation_id"]) == ("first", "a")


def test_the_last_call_of_a_model_gave_the_answer():
    calls = [child({"openinference.span.kind": "LLM", "llm.model_name": f"model-{number}"}, number) for number in (2, 1, 3)]

    assert record(span(ANSWER), *calls)["model"] == "model-3"


JSON_OUTPUTS = {
    "a text": ('"In JSON."', "In JSON."),
    "an object with one text": ('{"answer": "In JSON.", "steps": 3}', "In JSON."),
    "an object with several": ('{"answer": "In JSON.", "thought": "hm"}', None),
    "a list": ('["In JSON."]', None),
}


@pytest.mark.parametrize("name", JSON_OUTPUTS)
def test_an_answer_in_json_is_its_only_text(name):
    value, expected = JSON_OUTPUTS[name]

    made = mapped(span({"output.value": value, "output.mime_type": "application/json"}))

    assert made.record.get("response") == expected


def test_messages_win_over_json():
    attributes = {"output.mime_type": "application/json", "output.value": '{"id": "x", "choices": "y"}'}
    attributes |= {"llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "A message."}

    assert record(span(attributes))["response"] == "A message."


def test_parts_of_a_message_are_one_text():
    parts = {f"llm.output_messages.0.message.contents.{number}.message_content.text": text for number, text in enumerate(("A ", "B"))}

    assert record(span(parts))["response"] == "A B"


def test_what_a_reranker_kept_is_what_the_model_was_given():
    kept = {"reranker.output_documents.0.document.id": "doc-a", "reranker.output_documents.0.document.content": "Owls play at night."}

    assert [each["id"] for each in record(*OPENINFERENCE, child(kept, 9))["documents"]] == ["doc-a"]


def test_a_document_that_was_retrieved_twice_is_one():
    again = child({"retrieval.documents.0.document.id": 2, "retrieval.documents.0.document.content": "Bats too."}, 9)

    assert len(record(*OPENINFERENCE, again)["documents"]) == 2


def test_results_of_the_same_tool_are_sections_of_their_own():
    results = [child({"tool.name": "look_up", "output.value": json.dumps({"n": number})}, number) for number in range(2)]

    assert record(span(ANSWER), *results)["context"] == {"look_up": {"n": 0}, "look_up 2": {"n": 1}}


def test_a_tool_that_describes_its_parameters_was_called_with_its_input():
    """OpenInference's decorators put the schema of a tool where other instrumentations put its arguments."""
    schema = json.dumps({"type": "object", "title": "look_up", "properties": {"client": {"type": "integer"}}})
    tool = {"openinference.span.kind": "TOOL", "tool.name": "look_up", "tool.parameters": schema, "input.value": json.dumps({"client": 7})}

    (call,) = record(span({"output.value": "x"}), child(tool))["tool_calls"]

    assert call["parameters"] == {"client": 7}


def test_the_result_of_a_tool_named_like_a_section_is_a_section_beside_it():
    variables = {"llm.prompt_template.variables": json.dumps(SAFETY)}
    tool = {"openinference.span.kind": "TOOL", "tool.name": "safety", "output.value": '{"plan": "call"}'}

    assert record(span(ANSWER | variables), child(tool))["context"] == SAFETY | {"safety 2": {"plan": "call"}}


def test_an_object_with_a_key_twice_is_no_object():
    """One of the two values would be lost without a word."""
    made = record(span(ANSWER | {"footnote.context": '{"safety": {"risk_level": "low", "risk_level": "elevated"}}'}))

    assert made["context"] == {}
    assert "context_no_object" in made["trace"]["findings"]


def test_an_object_of_attributes_with_a_key_twice_is_none_either():
    given = value_of({"safety": {"risk_level": "low"}})
    given.kvlist_value.values[0].value.kvlist_value.values.extend(pairs({"risk_level": "elevated"}))
    turn = span(ANSWER)
    turn.attributes.add(key="footnote.context").value.CopyFrom(given)

    assert record(turn)["context"] == {"prompt": {"safety": [["risk_level", "low"], ["risk_level", "elevated"]]}}


@pytest.mark.parametrize("beside", [{"parent_span_id": b""}, {}], ids=["another root", "a span that says it is the turn"])
def test_a_span_without_an_answer_takes_the_place_of_none_with_one(beside):
    """Any service that takes part in the trace can add one."""
    empty = child({"output.value": ""} | ({} if beside else {"footnote.turn": True}), start_time_unix_nano=1, **beside)

    assert record(empty, span(ANSWER))["response"] == ANSWER["output.value"]


def test_template_variables_that_are_texts_of_json_objects_are_sections():
    variables = json.dumps({"safety": json.dumps(SAFETY["safety"]), "question": "am I?"})

    made = record(span(ANSWER | {"llm.prompt_template.variables": variables}))

    assert made["context"] == SAFETY | {"prompt": {"question": "am I?"}}


def twice(*attributes):
    """A span with attributes that may be there twice."""
    made = span()
    for each in attributes:
        made.attributes.extend(pairs(each))
    return made


FOUND = {
    TraceFinding.NO_CONTEXT: [span(ANSWER)],
    TraceFinding.NO_QUESTION: [span(ANSWER)],
    TraceFinding.NO_MODEL: [span(ANSWER)],
    TraceFinding.NO_PROMPT_VERSION: [span(ANSWER)],
    TraceFinding.CONTEXT_NO_OBJECT: [span(ANSWER | {"footnote.context": "[1]"})],
    TraceFinding.VARIABLES_NO_OBJECT: [span(ANSWER | {"llm.prompt_template.variables": "calm"})],
    TraceFinding.DOCUMENTS_NO_LIST: [span(ANSWER | {"footnote.documents": "{}"})],
    TraceFinding.SEVERAL_TEXTS: [span(ANSWER | {"input.value": '{"a": "x", "b": "y"}', "input.mime_type": "application/json"})],
    TraceFinding.SEVERAL_TURNS: [span(ANSWER | {"footnote.turn": True}), child({"footnote.turn": True})],
    TraceFinding.SEVERAL_ROOTS: [span(ANSWER), child(ANSWER, parent_span_id=b"")],
    TraceFinding.SEVERAL_KEYS: [span(ANSWER)],
    TraceFinding.ATTRIBUTE_TWICE: [twice(ANSWER, {"input.value": "am I?"}, {"input.value": "are we?"})],
    TraceFinding.REST_ONLY: [span(ANSWER)],
    TraceFinding.NAME_LEFT_OUT: [span(ANSWER | {"session.id": "x" * 201})],
    TraceFinding.TOO_MANY: [span(ANSWER | {"footnote.documents": json.dumps(["x"] * 1_001)})],
}


@pytest.mark.parametrize("finding", TraceFinding)
def test_what_could_not_be_mapped_is_kept_with_the_record_and_said_in_words(finding):
    keys = ("a", "b") if finding is TraceFinding.SEVERAL_KEYS else ("a",)
    made = record(*FOUND[finding], keys=keys, is_rest=finding is TraceFinding.REST_ONLY)

    assert finding.value in made["trace"]["findings"]
    assert FINDING_WORDS[finding] in findings_in_words(made["trace"]["findings"])


def test_words_of_others_are_no_findings():
    assert findings_in_words(["<b>", 7, None, "no_context"]) == [FINDING_WORDS[TraceFinding.NO_CONTEXT]]


def test_attributes_of_the_vocabularies_that_nothing_reads_are_named():
    made = record(span(ANSWER | {"footnote.contxt": "{}", "llm.token_count.total": 7, "http.route": "/", "gen_ai.x\0y": 1}))

    assert made["trace"]["unread"] == ["footnote.contxt", "llm.token_count.total"]


def test_a_time_that_cannot_be_is_left_out():
    assert "answered_at" not in record(span(ANSWER, end_time_unix_nano=2**64 - 1))
    assert "answered_at" not in record(span(ANSWER, end_time_unix_nano=0))


def test_the_same_spans_make_the_same_record():
    assert record(*GENAI) == record(*GENAI[::-1])
