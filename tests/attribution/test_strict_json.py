"""JSON as it is accepted: what is refused, and in which words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution import InputError
from attribution.codec import read_json
from tests.attribution.test_linear import work


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not JSON: Expecting value at line 1, column 1"),
        (b'{"a": 1,\n"b" 2}', "not JSON: Expecting ':' delimiter at line 2, column 5"),
        (b'{"a": 1} {"b": 2}', "not JSON: Extra data at line 1, column 10"),
        (b'{"a": 1, "b": 2, "a": 3}', 'duplicate key "a"'),
        (b'[{"x": {"a": 1, "\\u0061": 2}}]', 'duplicate key "a"'),
        (b"[NaN]", "NaN is not JSON"),
        (b"[-Infinity]", "-Infinity is not JSON"),
        (b"[1e999]", "number out of range: 1e999"),
        (b"[" + b"1" * 5_000 + b"]", "a number has too many digits"),
        (b'"\xff"', "not UTF-8 at byte 1"),
        (b"[" * 65 + b"]" * 65, "nested deeper than 64 levels"),
        (b"[" * 100_000, "nested deeper than 64 levels"),
        (b'{"a":' * 70 + b"1" + b"}" * 70, "nested deeper than 64 levels"),
    ],
)
def test_what_is_refused_is_refused_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(InputError) as error:
        read_json(data)
    assert error.value.reason == reason


def test_sixty_four_levels_are_accepted() -> None:
    value = read_json(b"[" * 64 + b"]" * 64)
    for _ in range(63):
        (value,) = value
    assert value == []


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert read_json(b"[" + b",".join([b"[]"] * 500) + b"]") == [[]] * 500


def test_brackets_inside_texts_are_not_levels() -> None:
    text = '[[["\\' * 50
    assert read_json(b'["' + text.replace("\\", "\\\\").replace('"', '\\"').encode() + b'"]') == [text]


def test_the_bound_can_be_tightened() -> None:
    assert read_json(b"[[]]", deepest=2) == [[]]
    with pytest.raises(InputError, match="deeper than 1 levels"):
        read_json(b"[[]]", deepest=1)


def test_lone_surrogates_are_kept() -> None:
    assert read_json(b'"\\ud800"') == "\ud800"


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        value = read_json(data)
    except InputError:
        return
    assert repr(value) == repr(json.loads(data))


def test_nothing_is_looked_at_behind_what_is_nested_too_deep() -> None:
    def refuse(count: int) -> None:
        with pytest.raises(InputError, match="deeper"):
            read_json(b"[" * count)

    refuse(1_000)
    assert work(lambda: refuse(100_000)) <= 2 * work(lambda: refuse(1_000))
