"""Limits of the API: each is refused with its status, the place in the record and the reason, and nothing is stored."""

from __future__ import annotations

import json

import pytest
from django.conf import settings as site_settings

from attribution import read_json
from reviewers.snapshots.models import Snapshot
from tests.api.sending import LINES, as_bytes, post, post_lines, problem_of
from tests.factories import make_record
from tests.state import state_of_tables

NAMES = ["conversation_id", "client_reference", "provider", "model", "prompt_version", "schema_version"]
TIME = "must be an ISO 8601 date and time, such as 2026-03-03T19:42:08-06:00"
YEARS = "must lie between the years 1900 and 2999"
SHARE = "must be a number from 0 to 1"
TURN = "must be a whole number from 0 to 2147483647"
CONTROL = "has control characters or lone surrogates"


def nested(levels: int) -> bytes:
    """A record that is itself the first of so many levels."""
    inside = levels - 2
    return b'{"id": "deep", "response": "x", "context": {"s": ' + b"[" * inside + b"]" * inside + b"}}"


def with_context(value: bytes) -> bytes:
    return b'{"id": "x", "response": "x", "context": {"s": {"a": ' + value + b"}}}"


NO_JSON = {
    "nothing": (b"", "not JSON: Expecting value at line 1, column 1"),
    "white space": (b" \n", "not JSON: Expecting value at line 2, column 1"),
    "words": (b"hello", "not JSON: Expecting value at line 1, column 1"),
    "cut off": (b'{"id": "x"', "not JSON: Expecting ',' delimiter at line 1, column 11"),
    "two records": (b"{}\n{}", "not JSON: Extra data at line 2, column 1"),
    "a comma too many": (b'{"id": "x",}', None),
    "a byte order mark": (b"\xef\xbb\xbf{}", None),
    "single quotes": (b"{'id': 'x'}", "not JSON: Expecting property name enclosed in double quotes at line 1, column 2"),
    "a control character in text": (b'{"id": "a\nb"}', "not JSON: Invalid control character at line 1, column 10"),
    "another encoding": ('{"id": "é"}'.encode("latin-1"), "not UTF-8 at byte 8"),
    "UTF-16": ('{"id": "x"}'.encode("utf-16"), "not UTF-8 at byte 0"),
    "a surrogate in UTF-8": (b'{"id": "\xed\xa0\x80"}', "not UTF-8 at byte 8"),
    "a key twice": (b'{"id": "a", "id": "b"}', 'duplicate key "id"'),
    "a key twice deep inside": (with_context(b'{"k\\u00e9": 1, "k\xc3\xa9": 1}'), 'duplicate key "k\\u00e9"'),
    "NaN": (with_context(b"NaN"), "NaN is not JSON"),
    "Infinity": (with_context(b"[Infinity]"), "Infinity is not JSON"),
    "minus Infinity": (with_context(b"-Infinity"), "-Infinity is not JSON"),
    "a number out of range": (with_context(b"-1e999"), "number out of range: -1e999"),
    "a number of 5,000 digits": (with_context(b"7" * 5_000), "a number has too many digits"),
    "65 levels of lists": (nested(65), "nested deeper than 64 levels"),
    "100,000 levels of objects": (b'{"a":' * 100_000, "nested deeper than 64 levels"),
}


@pytest.mark.parametrize("name", NO_JSON)
def test_what_is_no_strict_json_is_refused_with_400(program, name):
    sent, reason = NO_JSON[name]
    before = state_of_tables()

    status, place, told = problem_of(post(program, sent))

    assert (status, place) == (400, "")
    assert told == reason or (reason is None and told.startswith("not JSON: "))
    assert state_of_tables() == before


WRONG = {
    "a list": (b"[]", "", "must be a JSON object"),
    "null": (b"null", "", "must be a JSON object"),
    "text": (b'"x"', "", "must be a JSON object"),
    "no id": ({"id": None}, "id", "is missing"),
    "an empty id": ({"id": ""}, "id", "is empty"),
    "a broken number as id": ({"id": 1.5}, "id", "must be text, not a number"),
    "true as id": ({"id": True}, "id", "must be text, not true or false"),
    "an id too long": ({"id": "x" * 201}, "id", "is longer than 200 characters"),
    "a number too long as id": ({"id": 10**200}, "id", "is longer than 200 characters"),
    "a line break in an id": ({"id": "a\nb"}, "id", CONTROL),
    "NUL in an id": ({"id": "a\0"}, "id", CONTROL),
    "a lone surrogate in an id": ({"id": "\ud800"}, "id", CONTROL),
    **{f"{name} too long": ({name: "é" * 201}, name, "is longer than 200 characters") for name in NAMES},
    **{f"{name} with a tab": ({name: "a\tb"}, name, CONTROL) for name in NAMES},
    **{f"{name} as a list": ({name: ["x"]}, name, "must be text, not a list") for name in NAMES},
    "no response": ({"response": None}, "response", "is missing"),
    "null as response": (b'{"id": "x", "response": null, "context": {}}', "response", "is missing"),
    "a number as response": ({"response": 7}, "response", "must be text, not a number"),
    "an object as response": ({"response": {"text": "x"}}, "response", "must be text, not an object"),
    "a list as user text": ({"user_text": ["x"]}, "user_text", "must be text, not a list"),
    "no context": ({"context": None}, "context", "is missing"),
    "a list as context": ({"context": []}, "context", "must be an object of sections, not a list"),
    "text as context": ({"context": "x"}, "context", "must be an object of sections, not text"),
    "an object as documents": ({"documents": {}}, "documents", "must be a list, not an object"),
    "text as hidden sections": ({"hidden_sections": "safety"}, "hidden_sections", "must be a list, not text"),
    "a number as a hidden section": ({"hidden_sections": ["safety", 7]}, "hidden_sections.1", "must be text, not a number"),
    "a list as completeness": ({"completeness": [1]}, "completeness", "must be an object of shares by section, not a list"),
    "a share over 1": ({"completeness": {"safety": 1.01}}, "completeness.safety", SHARE),
    "a share under 0": ({"completeness": {"safety": -0.1}}, "completeness.safety", SHARE),
    "text as a share": ({"completeness": {"safety": "high"}}, "completeness.safety", SHARE),
    "true as a share": ({"completeness": {"safety": True}}, "completeness.safety", SHARE),
    "a threshold over 1": ({"completeness_threshold": 50}, "completeness_threshold", SHARE),
    "a turn before the first": ({"turn_index": -1}, "turn_index", TURN),
    "a turn too late": ({"turn_index": 2**31}, "turn_index", TURN),
    "half a turn": ({"turn_index": 1.5}, "turn_index", TURN),
    "true as a turn": ({"turn_index": True}, "turn_index", TURN),
    "words as a time": ({"answered_at": "yesterday"}, "answered_at", TIME),
    "a number as a time": ({"answered_at": 1772588528}, "answered_at", TIME),
    "a day that is not": ({"answered_at": "2026-02-30T10:00:00Z"}, "answered_at", TIME),
    "the year 1": ({"answered_at": "0001-01-01T00:00:00+14:00"}, "answered_at", YEARS),
    "the year 9999": ({"answered_at": "9999-12-31T23:59:59-14:00"}, "answered_at", YEARS),
    "words as a switch": ({"citation_instruction": "on"}, "citation_instruction", "must be true or false, not text"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_in_a_record_is_refused_with_422_and_its_place(program, name):
    change, place, reason = WRONG[name]
    record = change if isinstance(change, bytes) else make_record(**change)
    before = state_of_tables()

    refused = post(program, record)

    assert problem_of(refused) == (422, place, reason)
    assert state_of_tables() == before


@pytest.mark.parametrize("name", WRONG)
def test_a_line_is_refused_as_the_record_alone_would_be(program, name):
    change, place, reason = WRONG[name]
    record = change if isinstance(change, bytes) else make_record(**change)

    (result,) = post_lines(program, [record])

    assert result == {"line": 1, "status": 422, "error": {"place": place, "reason": reason}}


@pytest.mark.parametrize(
    "change",
    [
        {"id": "x" * 200},
        {"id": 10**199},
        *({name: "👩" * 200} for name in NAMES),
        {"turn_index": 0},
        {"turn_index": 2**31 - 1},
        {"completeness": {"safety": 0, "elsewhere": 1, "unmeasured": None}},
        {"answered_at": "1900-01-01T00:00:00+14:00"},
        {"answered_at": "2999-12-31T23:59:59-14:00"},
        {"response": ""},
        {"context": {}},
        {"user_text": ""},
        {"documents": [{"id": 1}, "text", None]},
        {"hidden_sections": ["", "nowhere"]},
        {"context": {"s" * 5_000: {"k" * 5_000: "elevated"}, "": {"": "elevated"}}},
        {"response": " ".join(f"{'я' * 55}{number}" for number in range(12_000))},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_just_keeps_a_limit_is_taken_and_can_be_shown(program, alice, client, change):
    answer = post(program, make_record(**change))

    assert answer.status_code == 201, answer.content
    client.force_login(alice.user)
    assert client.get("/queue/").status_code == client.get(answer.json()["url"] + "?unfound=1").status_code == 200


def test_a_section_with_a_long_name_that_does_not_repeat_itself_is_taken(program):
    """An index holds 2,700 bytes; what repeats itself is made smaller first."""
    name = "".join(chr(0x4E00 + number * 7 % 20_000) for number in range(5_000))

    assert post(program, make_record(context={name: {"risk_level": "elevated"}})).status_code == 201


def test_64_levels_are_taken(program):
    assert len(read_json(nested(64))["context"]["s"]) == 1

    assert post(program, nested(64)).status_code == 201


def test_brackets_inside_text_are_no_levels(program):
    assert post(program, make_record(response='[{"' * 1_000)).status_code == 201


def filled_up(size: int) -> bytes:
    """A record of so many bytes."""
    record = as_bytes({"id": "large", "response": "x", "context": {}, "padding": ""})
    return record[:-2] + b"p" * (size - len(record)) + record[-2:]


def test_a_record_of_5_megabytes_is_taken_and_one_byte_more_is_refused(program):
    assert site_settings.LARGEST_RECORD == 5 * 1024 * 1024
    taken, refused = (post(program, filled_up(site_settings.LARGEST_RECORD + more)) for more in (0, 1))

    assert taken.status_code == 201
    assert problem_of(refused) == (400, "", "larger than 5 MB")
    assert len(bytes(Snapshot.objects.get().record)) == site_settings.LARGEST_RECORD


def test_a_line_that_is_too_large_is_refused_alone(program):
    first, large, last = post_lines(program, [make_record(), filled_up(site_settings.LARGEST_RECORD + 1), make_record()])

    assert large == {"line": 2, "status": 400, "error": {"place": "", "reason": "larger than 5 MB"}}
    assert (first["status"], last["status"]) == (201, 201)


@pytest.mark.parametrize("content_type", ["application/json", LINES])
def test_a_request_that_is_too_large_is_refused_as_a_whole(program, settings, content_type):
    assert settings.DATA_UPLOAD_MAX_MEMORY_SIZE == settings.LARGEST_BATCH == 64 * 1024 * 1024
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000

    refused = post(program, json.dumps(make_record(response="x" * 1_000)).encode(), content_type)

    assert problem_of(refused) == (413, "", "larger than 64 MB; send fewer records at once")
    assert not Snapshot.objects.exists()
