"""Markers taken out for runtimes without a stripper: the same as the engine's, within limits, and nothing is kept."""

from __future__ import annotations

import json

import pytest

from attribution import strip, strip_history
from reviewers.accounts.models import Scope
from tests.api.sending import problem_of, program_of
from tests.attribution.cases import all_cases
from tests.attribution.test_linear import growth
from tests.events import events
from tests.state import state_of_tables

TEXT, HISTORY = "/api/v1/strip", "/api/v1/history"
MEGABYTE = 1024 * 1024


def send(program, path, value):
    body = value if isinstance(value, bytes) else json.dumps(value)
    return program.post(path, body, content_type="application/json")


def test_each_answer_of_the_fixtures_is_stripped_as_the_engine_does(program):
    answers = [case.answer for case in all_cases()[:150]]
    assert [send(program, TEXT, {"text": answer}).json()["text"] for answer in answers] == [strip(answer) for answer in answers]


def test_a_conversation_loses_the_markers_of_the_assistant_alone(program):
    messages = [
        {"role": "user", "content": "low [[SF:risk_level]]?"},
        {"role": "assistant", "content": "Low [[SF:risk_level]].", "id": 7, "score": 0.5},
        {"role": "assistant", "content": [{"type": "text", "text": "So [[SF:flags]]."}, {"type": "image"}]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "a"}]},
    ]
    assert send(program, HISTORY, {"messages": messages}).json() == {"messages": strip_history(messages)}


@pytest.mark.parametrize("text", ["half \ud83d a character", "\0", "é語🙂", ""])
def test_every_text_comes_back_whole(program, text):
    assert send(program, TEXT, {"text": text}).json() == {"text": text}


@pytest.mark.parametrize(
    ("path", "sent", "problem"),
    [
        (TEXT, {}, (422, "text", "is missing")),
        (TEXT, {"text": 7}, (422, "text", "must be text, not a number")),
        (TEXT, [], (422, "", "must be an object, not a list")),
        (TEXT, b'{"text": "a", "text": "b"}', (400, "", 'duplicate key "text"')),
        (TEXT, {"text": "x" * MEGABYTE}, (413, "", "larger than 1 MB")),
        (HISTORY, {"messages": {}}, (422, "messages", "must be a list, not an object")),
        (HISTORY, {"messages": [{}, None]}, (422, "messages.1", "must be an object, not null")),
        (HISTORY, {"messages": [{}] * 10_001}, (422, "messages", "has 10,001 entries, more than 10,000")),
        (HISTORY, b"{", (400, "", "not JSON: Expecting property name enclosed in double quotes at line 1, column 2")),
    ],
    ids=lambda value: "" if isinstance(value, (dict, list, bytes)) else None,
)
def test_what_cannot_be_read_is_refused_with_its_place(program, path, sent, problem):
    assert problem_of(send(program, path, sent)) == problem


@pytest.mark.parametrize("unit", ["a [[SF:risk_level]] ", "[[SF:risk_lev", "[", " [[SF:", "[[SF:語é]]"])
def test_the_work_grows_with_the_text(program, unit):
    assert growth(lambda size: send(program, TEXT, {"text": unit * (size // len(unit))}), 40_000) <= 2.3
    assert (
        growth(lambda size: send(program, HISTORY, {"messages": [{"role": "assistant", "content": unit}] * (size // 200)}), 40_000) <= 2.3
    )


def test_nothing_is_stored_and_nothing_is_written_down(program):
    send(program, TEXT, {"text": "Low."})  # the first use of a key is noted
    before, written = state_of_tables(), len(events())

    send(program, TEXT, {"text": "Low [[SF:risk_level]]."})
    send(program, HISTORY, {"messages": [{"role": "assistant", "content": "Low [[SF:risk_level]]."}]})

    assert (state_of_tables(), len(events())) == (before, written)


@pytest.mark.parametrize("path", [TEXT, HISTORY])
def test_a_key_that_may_only_read_is_refused(organisation, path):
    assert send(program_of(organisation, Scope.READ), path, {"text": "a", "messages": []}).status_code == 403
