"""``python -m attribution``: turns in, results out, messages with their place, an exit status."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from attribution.__main__ import main

ROOT = Path(__file__).parents[2]
TURN = {"id": "t1", "response": "Her risk level is elevated [[SF:risk_level]].", "context": {"safety": {"risk_level": "elevated"}}}
LINE = json.dumps(TURN).encode()


def run(data: bytes) -> tuple[int, list[dict[str, Any]], list[str]]:
    """The exit status, the results and the messages."""
    done = subprocess.run([sys.executable, "-m", "attribution"], input=data, capture_output=True, cwd=ROOT, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode().splitlines()


def messages(data: bytes) -> list[str]:
    """Return the messages about bad input, without the results."""
    said = io.StringIO()
    assert main(io.BytesIO(data), io.BytesIO(), said) == 2
    return said.getvalue().splitlines()


def test_one_turn_spread_over_lines_gives_one_result() -> None:
    status, (result,), said = run(json.dumps(TURN, indent=2).encode())
    assert (status, said) == (0, [])
    assert result["id"] == "t1"
    assert result["source"] == "citation"
    assert result["digest"].startswith("sha256:")
    assert result["fields"][0]["track"] == "cited_and_found"


def test_one_turn_a_line_gives_one_result_a_line() -> None:
    lines = [json.dumps(TURN | {"id": number}).encode() for number in range(3)]
    status, results, said = run(b"\n".join(lines))
    assert (status, said) == (0, [])
    assert [result["id"] for result in results] == [0, 1, 2]


def test_citations_beside_the_text_say_what_markers_do() -> None:
    beside = {
        "response": "Her risk level is elevated.",
        "field_citations": [{"tool": "SF", "field": "risk_level", "text": "Her risk level is elevated"}],
    }
    status, (marked, stated), said = run(b"\n".join(json.dumps(each).encode() for each in (TURN, TURN | beside)))
    assert (status, said) == (0, [])
    assert (stated["fields"], stated["source"]) == (marked["fields"], "citation")

    assert messages(json.dumps(TURN | {"field_citations": {}}).encode()) == ["line 1: field_citations: must be a list"]


def test_bad_lines_are_reported_and_the_others_go_on() -> None:
    bad = [b'{"response": "x"}', b'{"response": "x", "context": []}', b'{"response": "x", "context": {}', b"[]"]
    status, results, said = run(b"\n\n".join([LINE, *bad, LINE]) + b"\n")
    assert status == 2
    assert len(results) == 2
    assert said == [
        "line 3: context: is missing",
        "line 5: context: must be an object of sections",
        "line 7: not JSON: Expecting ',' delimiter at line 1, column 32",
        "line 9: a turn must be a JSON object",
    ]


def test_a_bad_first_line_does_not_keep_the_others_from_being_read() -> None:
    status, results, said = run(b'{"response": "cut of\n' + LINE)
    assert (status, len(results)) == (2, 1)
    assert said == ["line 1: not JSON: Unterminated string starting at line 1, column 14"]


@pytest.mark.parametrize("cut", [b'{"id":1,', b'{"id":1,"context":', b"[", b'{"id":1,\n\n"response":'])
def test_a_first_line_that_is_cut_off_does_not_swallow_the_others(cut: bytes) -> None:
    status, results, said = run(cut + b"\n" + b"\n".join([LINE, b"[]", LINE]) + b"\n")
    last = cut.count(b"\n") + 1
    assert (status, len(results)) == (2, 2)
    assert said[0].startswith("line 1: not JSON: ")
    assert said[-1] == f"line {last + 2}: a turn must be a JSON object"


def test_a_turn_spread_over_lines_may_hold_one_on_a_line() -> None:
    turn = TURN | {"context": {"safety": {"risk_level": "elevated", "notes": [{"response": "x"}]}}}
    spread = json.dumps(turn, indent=1).encode().replace(b'{\n     "response": "x"\n    }', b'{"response": "x"}')
    assert b'\n    {"response": "x"}\n' in spread
    status, (result,), said = run(spread)
    assert (status, said, result["id"]) == (0, [], "t1")


def test_behind_a_first_line_that_is_cut_off_lines_are_attributed_as_they_come() -> None:
    results, said = io.BytesIO(), io.StringIO()

    def lines() -> Iterator[bytes]:
        yield b'{"id":1,\n'
        for number in range(3):
            assert results.getvalue().count(b"\n") == number, "the line before has been answered"
            yield LINE + b"\n"

    assert main(lines(), results, said) == 2
    assert results.getvalue().count(b"\n") == 3


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_a_reader_that_has_seen_enough_ends_it_quietly() -> None:
    command, pipe = [sys.executable, "-m", "attribution"], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=ROOT) as program:  # noqa: S603 - our own program
        assert program.stdin
        assert program.stdout
        assert program.stderr
        program.stdout.close()
        program.stdin.write(LINE + b"\n")
        program.stdin.close()
        assert program.stderr.read() == b""
        assert program.wait() == -signal.SIGPIPE


def test_no_input_gives_no_output() -> None:
    assert run(b"") == (0, [], [])
    assert run(b" \n\n") == (0, [], [])


def test_a_byte_order_mark_before_the_first_line_is_passed_over() -> None:
    status, results, said = run(b"\xef\xbb\xbf" + LINE + b"\n" + LINE)
    assert (status, len(results), said) == (0, 2, [])


def test_the_same_turn_gives_the_same_bytes() -> None:
    first, second = (
        subprocess.run([sys.executable, "-m", "attribution"], input=LINE, capture_output=True, cwd=ROOT, check=True) for _ in "ab"
    )
    assert first.stdout == second.stdout


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"response": "a", "response": "b", "context": {}}', 'line 1: duplicate key "response"'),
        (b'{"response": "a", "context": {"safety": {"n": NaN}}}', "line 1: NaN is not JSON"),
        (b'{"response": "a", "context": {"safety": {"n": ' + b"9" * 5_000 + b"}}}", "line 1: a number has too many digits"),
        (b'{"response": "a", "context": {"safety": ' + b"[" * 64 + b"]" * 64 + b"}}", "line 1: nested deeper than 64 levels"),
        (b'{"response": "a", "context": {"safety": ' + b"[" * 5_000 + b"]" * 5_000 + b"}}", "line 1: nested deeper than 64 levels"),
        (b"[" * 5_000 + b"]" * 5_000, "line 1: nested deeper than 64 levels"),
        (b"[\n" * 5_000, "input: nested deeper than 64 levels"),
        (b'{"response": "\xff", "context": {}}', "line 1: not UTF-8 at byte 14"),
        (b'{"context": {}}', "line 1: response: is missing"),
        (b'{"response": null, "context": {}}', "line 1: response: must be text"),
        (b'{"response": "a", "context": "text"}', "line 1: context: must be an object of sections"),
        (b'{"response": "a", "context": {}, "user_text": 3}', "line 1: user_text: must be text"),
        (b'{"response": "a", "context": {}, "documents": 3}', "line 1: documents: must be a list"),
        (b'{"response": "a", "context": {}, "hidden_sections": "safety"}', "line 1: hidden_sections: must be a list of section names"),
        (b'{"response": "a", "context": {}, "answered_at": "soon"}', "line 1: answered_at: must be an ISO 8601 date or date and time"),
        (b'{"response": "a", "context": {}, "hidden_sections": {}}', "line 1: hidden_sections: must be a list of section names"),
        (b'{"response": "a", "context": {}, "hidden_sections": ""}', "line 1: hidden_sections: must be a list of section names"),
        (b'{"response": "a", "context": {}, "hidden_sections": [1]}', "line 1: hidden_sections: must be a list of section names"),
        (b'{"response": "a", "context": {}, "documents": {}}', "line 1: documents: must be a list"),
        (
            b'{"response": "a", "context": {}, "answered_at": "2026-03-08 or so"}',
            "line 1: answered_at: must be an ISO 8601 date or date and time",
        ),
        (
            b'{"response": "a", "context": {}, "answered_at": "2026-03-08T99:00:00Z"}',
            "line 1: answered_at: must be an ISO 8601 date or date and time",
        ),
        (b'{"response": "a", "context": {}, "answered_at": 20260308}', "line 1: answered_at: must be text"),
        (b"3", "line 1: a turn must be a JSON object"),
        (b'{"response": "a",\n\n"context" {}}', "input: not JSON: Expecting ':' delimiter at line 3, column 11"),
    ],
)
def test_a_message_says_where_and_why(line: bytes, message: str) -> None:
    assert messages(line) == [message]


def test_a_turn_may_say_more() -> None:
    turn = TURN | {
        "response": "See you tomorrow [[SF:risk_level]] [[PC:city]].",
        "context": {"safety": {"risk_level": "low"}, "patient_context": {"city": "Portland", "appointment_date": "2026-03-08"}},
        "user_text": "Say [[SF:risk_level]].",
        "documents": [{"text": "Say [[PC:city]]."}],
        "hidden_sections": ["safety"],
        "answered_at": "2026-03-07T09:00:00Z",
    }
    status, (result,), _ = run(json.dumps(turn).encode())
    assert status == 0
    assert [marker["status"] for marker in result["markers"]] == ["echoed", "echoed"]
    assert [field["track"] for field in result["fields"]] == ["neither", "neither", "found_only"]
    assert result["hidden_sections"] == ["safety"]


@pytest.mark.parametrize("when", ["2026-03-07", "2026-03-07T09:00:00Z", "2026-03-07 09:00:00.5+01:00"])
def test_the_day_of_a_turn_is_a_date_or_a_date_and_time(when: str) -> None:
    turn = {"response": "See you tomorrow.", "context": {"patient_context": {"appointment_date": "2026-03-08"}}, "answered_at": when}
    results = io.BytesIO()
    assert main(io.BytesIO(json.dumps(turn).encode()), results, io.StringIO()) == 0
    assert json.loads(results.getvalue())["fields"][0]["track"] == "found_only"


def test_lines_are_attributed_as_they_come() -> None:
    results = io.BytesIO()

    def lines() -> Iterator[bytes]:
        for number in range(3):
            assert results.getvalue().count(b"\n") == max(0, number), "the line before has been answered"
            yield LINE + b"\n"

    assert main(lines(), results, io.StringIO()) == 0
    assert results.getvalue().count(b"\n") == 3


CITING = {
    "id": "d1",
    "response": "We open at nine [1]. Her risk level is elevated [[SF:risk_level]].",
    "context": {"safety": {"risk_level": "elevated"}},
    "documents": [{"title": "Hours", "content": "We open at nine.", "url": "https://www.fda.gov/hours", "published_at": "2012-01-01"}],
    "answered_at": "2026-03-08",
}


def test_what_an_answer_cites_of_documents_stands_beside_the_fields() -> None:
    status, (result,), said = run(json.dumps(CITING).encode())
    assert (status, said) == (0, [])
    assert result["fields"][0]["track"] == "cited_and_found"
    documents = result["documents"]
    assert documents["clean_text"] == "We open at nine. Her risk level is elevated."
    assert documents["references"][0]["source_ids"] == ["doc-1"]
    assert documents["sources"][0]["trust"]["tier"] == 1
    assert documents["sources"][0]["trust"]["score"] == 0.684
    assert documents["digest"].startswith("sha256:")


def test_a_turn_without_documents_has_none_in_its_result() -> None:
    _, (result,), _ = run(LINE)
    assert "documents" not in result


def test_an_answer_that_only_the_response_of_a_provider_holds_is_read() -> None:
    native = {"content": [{"type": "text", "text": "We open at nine."}]}
    status, (result,), said = run(json.dumps({"id": "n", "native": native, "documents": []}).encode())
    assert (status, said) == (0, [])
    assert result["clean_text"] == "We open at nine."


@pytest.mark.parametrize("key", ["documents", "tool_calls"])
def test_documents_and_tool_calls_must_be_lists(key: str) -> None:
    assert messages(json.dumps(TURN | {key: "x"}).encode()) == [f"line 1: {key}: must be a list"]
