"""To canonical JSON and back: nothing is lost, and a second implementation writes the same bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
import rfc8785
from hypothesis import assume, given
from hypothesis import strategies as st

from attribution import attribute, canonical_bytes, context_values, decode, digest, encode
from tests.attribution.cases import Case, all_cases
from tests.attribution.strategies import contexts, spaced_answers

ascii_keys = st.text(st.characters(max_codepoint=127))
shares = st.integers(min_value=0, max_value=10_000).map(lambda share: share / 10_000 if share % 10_000 else share // 10_000)
whole = st.integers(min_value=-(2**53) + 1, max_value=2**53 - 1)
json_values = st.recursive(
    st.none() | st.booleans() | st.text() | whole | shares,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ascii_keys, inner, max_size=4),
    max_leaves=16,
)


def comes_back(case: Case) -> bool:
    attribution = case.attribute()
    return decode(json.loads(canonical_bytes(encode(attribution))), context_values(case.context)) == attribution


def test_an_attribution_comes_back_as_it_was() -> None:
    assert [str(case) for case in all_cases() if not comes_back(case)] == []


@given(spaced_answers, contexts)
def test_any_attribution_comes_back_and_is_stored_as_the_same_bytes_again(response: str, context: dict[str, Any]) -> None:
    stored = canonical_bytes(encode(attribute(response=response, context=context)))
    assert canonical_bytes(encode(decode(json.loads(stored), context_values(context)))) == stored


@given(spaced_answers, contexts)
def test_a_second_implementation_writes_the_same_bytes(response: str, context: dict[str, Any]) -> None:
    encoded = json.loads(canonical_bytes(encode(attribute(response=response, context=context))))
    try:
        expected = rfc8785.dumps(encoded)
    except rfc8785.CanonicalizationError:
        assume(False)  # noqa: FBT003 - a lone surrogate has no form there
    assert canonical_bytes(encoded) == expected


@given(json_values)
def test_canonical_json_is_that_of_the_standard(value: Any) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(value)


def test_a_lone_surrogate_is_written_as_its_escape() -> None:
    assert canonical_bytes(["a\ud800b", "\udfff"]) == b'["a\\ud800b","\\udfff"]'
    assert json.loads(canonical_bytes("\ud83d\ude42")) == "\U0001f642"


def test_numbers_that_are_none_in_json_are_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_bytes(float("nan"))


def test_a_digest_names_its_function() -> None:
    assert digest(b"{}") == "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


@pytest.mark.parametrize("keys", [["a"], ["a.b"], ["a", "b.c"], ["a", ""], [""], [".", "\\"], ["a\\", "b"], ["x\ny", "z.\\."]])
def test_the_last_key_of_a_path_comes_back(keys: list[str]) -> None:
    content: Any = "hay fever"
    for key in reversed(keys):
        content = {key: content}
    context = {"client_signal": content}
    attribution = attribute(response="It is hay fever.", context=context)
    (row,) = decode(json.loads(canonical_bytes(encode(attribution))), context_values(context)).fields
    assert row.field == attribution.fields[0].field
    assert row.field.leaf == keys[-1]


def test_a_row_that_is_neither_cited_nor_found_holds_its_name_only() -> None:
    attribution = attribute(response="Hello.", context={"safety": {"risk_level": "low"}})
    assert encode(attribution)["fields"] == [
        {"section": "safety", "path": "risk_level", "field_type": "enum", "track": "neither"},
    ]


def test_a_hidden_row_says_so() -> None:
    context = {"safety": {"risk_level": "low"}}
    attribution = attribute(response="Hello.", context=context, hidden_sections=["safety"])
    assert encode(attribution)["fields"][0]["hidden"] is True
    assert decode(encode(attribution), context_values(context)) == attribution
