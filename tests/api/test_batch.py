"""Many records in one request: a result line for each, in their order; the good ones are kept whatever the others are."""

from __future__ import annotations

import json

import pytest

from attribution import canonical_bytes
from reviewers.ledger.models import AuditEvent
from reviewers.snapshots.api.views import MOST_LINES, _pieces
from reviewers.snapshots.models import Snapshot
from tests.api.sending import ADDRESS, LINES, as_bytes, post, post_lines, problem_of, results_of
from tests.events import events
from tests.factories import make_record
from tests.state import state_of_tables


def test_every_line_is_answered_in_its_place_with_the_status_it_would_have_had_alone(program):
    known = make_record(id="known")
    post(program, known)

    results = post_lines(
        program,
        [
            make_record(id="new"),
            known,
            make_record(id="known", response="other"),
            b"{",
            make_record(id="wrong", context=[]),
            make_record(id="new, too"),
        ],
    )

    assert [result["line"] for result in results] == [1, 2, 3, 4, 5, 6]
    assert [result["status"] for result in results] == [201, 200, 409, 400, 422, 201]
    assert [result["error"]["place"] for result in results if "error" in result] == ["id", "", "context"]
    assert set(Snapshot.objects.values_list("external_id", flat=True)) == {"known", "new", "new, too"}


def test_a_line_says_of_a_record_what_its_request_alone_would_say(program):
    record = make_record()
    (result,) = post_lines(program, [record])

    alone = post(program, record).json()

    assert result == {"line": 1, "status": 201, **alone}


def test_result_lines_are_canonical_json(program):
    response = program.post(ADDRESS, as_bytes(make_record()) + b"\n{", content_type=LINES)

    for line in response.content.splitlines():
        assert line == canonical_bytes(json.loads(line))
    assert response.content.endswith(b"\n")


def test_empty_lines_are_passed_over_but_counted(program):
    response = program.post(ADDRESS, b"\n\r\n" + as_bytes(make_record()) + b"\n  \n\n{\n", content_type=LINES)

    assert [(result["line"], result["status"]) for result in results_of(response)] == [(3, 201), (6, 400)]


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b" \t\r\n"])
def test_a_line_is_kept_without_what_ends_it(program, end):
    record = as_bytes(make_record())

    program.post(ADDRESS, b"  " + record + end, content_type=LINES)

    assert bytes(Snapshot.objects.get().record) == record


def test_characters_that_end_lines_elsewhere_are_part_of_a_record(program):
    record = json.dumps(make_record(response="one\u2028two\u2029three\x85four"), ensure_ascii=False).encode()

    (result,) = post_lines(program, [record])

    assert result["status"] == 201
    assert bytes(Snapshot.objects.get().record) == record


@pytest.mark.parametrize("content_type", ["application/x-ndjson; charset=utf-8", "Application/X-NDJSON"])
def test_lines_are_lines_however_they_are_announced(program, content_type):
    response = program.post(ADDRESS, as_bytes(make_record()), content_type=content_type)

    assert [result["status"] for result in results_of(response)] == [201]


@pytest.mark.parametrize("body", [b"\n", b" \r\n\t\n"])
def test_a_request_without_a_record_is_refused(program, body):
    refused = program.post(ADDRESS, body, content_type=LINES)

    assert problem_of(refused) == (400, "", "holds no record")


def test_a_record_that_comes_twice_in_one_request_is_one_snapshot(program):
    record = make_record()

    first, again = post_lines(program, [record, record])

    assert (first["status"], again["status"]) == (201, 200)
    assert first["id"] == again["id"] == str(Snapshot.objects.get().pk)


def test_of_two_contents_under_one_id_in_one_request_the_first_is_kept(program):
    first, second = post_lines(program, [make_record(id="turn-x", response="one"), make_record(id="turn-x", response="two")])

    assert (first["status"], second["status"]) == (201, 409)
    assert json.loads(bytes(Snapshot.objects.get().record))["response"] == "one"


def test_a_wrong_record_does_not_take_the_id_of_a_good_one(program):
    wrong, good = post_lines(program, [make_record(id="turn-x", context=[]), make_record(id="turn-x")])

    assert (wrong["status"], good["status"]) == (422, 201)


def test_more_records_than_one_transaction_takes_are_all_answered_and_kept(program):
    records = [{"id": f"turn-{number}", "response": "x", "context": {}} for number in range(502)]
    records[501] = records[0]

    results = post_lines(program, records)

    assert [result["line"] for result in results] == list(range(1, 503))
    assert [result["status"] for result in results] == [201] * 501 + [200]
    assert results[0]["id"] == results[501]["id"]
    assert Snapshot.objects.count() == AuditEvent.objects.filter(action="snapshot.frozen").count() == 501


def test_sending_a_batch_again_changes_nothing(program):
    records = [make_record() for _ in range(5)]
    first = post_lines(program, records)
    before = state_of_tables()

    again = post_lines(program, reversed(records))

    assert [result["status"] for result in again] == [200] * 5
    assert [result["id"] for result in again] == [result["id"] for result in reversed(first)]
    assert state_of_tables() == before


def test_every_new_record_has_its_event(program):
    results = post_lines(program, [make_record(), b"{", make_record()])

    assert sorted(event["object"]["id"] for event in events("snapshot.frozen")) == sorted(each["id"] for each in results if "id" in each)


def test_a_request_takes_records_as_long_as_it_may_and_says_which_were_not_taken(program, settings, monkeypatch):
    """Nothing of those is kept: they are sent again. At least one piece is taken, so that sending again comes to an end."""
    settings.LONGEST_INGEST = 0
    monkeypatch.setattr("reviewers.snapshots.api.views._LARGEST_PIECE", 200)
    results = post_lines(program, [make_record(id=f"turn-{number}", response="x" * 190) for number in range(4)])

    assert [each["status"] for each in results] == [201, 503, 503, 503]
    assert [each["line"] for each in results] == [1, 2, 3, 4]
    assert "send it again" in results[1]["error"]["reason"]
    assert list(Snapshot.objects.values_list("external_id", flat=True)) == ["turn-0"]


def test_no_small_records_are_taken_once_the_time_is_over_however_many_fit_into_a_piece(program, settings):
    """One of two kilobytes can take the engine a second: a piece of them took minutes, in one transaction."""
    settings.LONGEST_INGEST = 0
    results = post_lines(program, [b"{", *(make_record(id=f"turn-{number}") for number in range(3))])

    assert [each["status"] for each in results] == [400, 201, 503, 503]
    assert "send it again" in results[2]["error"]["reason"]
    assert list(Snapshot.objects.values_list("external_id", flat=True)) == ["turn-0"]


def test_a_record_that_is_known_is_answered_though_the_time_is_over(program, settings):
    known = make_record(id="turn-0")
    post_lines(program, [known])
    settings.LONGEST_INGEST = 0

    assert [each["status"] for each in post_lines(program, [make_record(id="turn-1"), known, make_record(id="turn-2")])] == [201, 200, 503]


def test_a_piece_has_so_many_bytes_unless_one_record_has_more():
    lines = [(number, b"x" * size) for number, size in enumerate((600_000, 600_000, 3_000_000, 10, 10))]
    assert [[number for number, _ in piece] for piece in _pieces(lines)] == [[0], [1], [2], [3, 4]]


def test_a_request_of_too_many_lines_is_refused_before_any_is_read(program):
    response = program.post(ADDRESS, b"1\n" * (MOST_LINES + 1), content_type=LINES)

    assert response.status_code == 413
    assert "send fewer records at once" in response.content.decode()
