"""How a context is walked: which fields it has, of which types, under which paths."""

from __future__ import annotations

from collections import OrderedDict
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given

from attribution import DEFAULT_PROFILE, FieldType, InputError, attribute, context_value, context_values
from tests.attribution.strategies import contexts


def typed(name: str, value: Any) -> FieldType:
    (row,) = attribute(response="", context={"safety": {name: value}}).fields
    return row.field.type


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("risk_level", "low", "enum"),
        ("Risk_Level", "low", "enum"),
        ("riskLevel", "low", "enum"),
        ("risk-level", "low", "enum"),
        ("risk_level", ["low"], "list"),
        ("risk_level", 3, "numeric"),
        ("risk_level", True, "boolean"),
        ("risk_level", None, "empty"),
        ("fit_score", 0.85, "numeric"),
        ("fit_score", "0.85", "numeric"),
        ("fit_score", "n/a", "field_value"),
        ("signal_summary", "short", "summary"),
        ("visit_summary", "short", "summary"),
        ("suggested_questions", ["Why?"], "question"),
        ("exit_questions", "Why?", "question"),
        ("provider_name", "Dana Osei", "name"),
        ("provider_name", 12, "numeric"),
        ("zip", 98109, "identifier"),
        ("work_phone", "510-555-0142", "identifier"),
        ("fee", 120, "money"),
        ("fee", "sliding scale", "field_value"),
        ("anything", "2026-03-08", "date"),
        ("anything", "2026-03-08T14:00:00+01:00", "date"),
        ("anything", "14:00", "time"),
        ("anything", "2:30 p.m.", "time"),
        ("anything", "-1,200.50", "numeric"),
        ("anything", "0014", "field_value"),
        ("anything", "$81-$110", "money"),
        ("anything", "six weeks", "duration"),
        ("anything", "1.5 hours", "duration"),
        ("anything", "(510) 555-0142 ext. 4", "identifier"),
        ("anything", "x" * 40, "field_value"),
        ("anything", "x" * 41, "summary"),
        ("anything", " ", "empty"),
        ("anything", [], "empty"),
        ("anything", {}, "empty"),
        ("anything", False, "boolean"),
        ("anything", 10**500, "empty"),
        ("anything", float("nan"), "empty"),
    ],
)
def test_a_field_is_typed_by_its_name_then_by_its_value(name: str, value: Any, kind: str) -> None:
    assert typed(name, value) == kind


def test_a_number_that_python_itself_would_not_write_is_one_field_without_a_match() -> None:
    attribution = attribute(response="It is 1 [[SF:n]].", context={"safety": {"n": 10**5_000, "list": [10**5_000], "fee": -(10**5_000)}})
    assert attribution.used == ()


def paths(context: dict[str, Any]) -> list[str]:
    return [f"{row.field.section}/{row.field.path}" for row in attribute(response="", context=context).fields]


def test_leaves_come_in_the_order_of_the_context() -> None:
    context = {"b": {"z": 1, "a": {"y": 2, "x": [3, 4]}}, "a": "text", "c": [{"k": 5}, {"k": 6}], "d": {}, "e": []}
    assert paths(context) == ["b/z", "b/a.y", "b/a.x", "a/value", "c/0.k", "c/1.k"]


def test_a_list_with_anything_but_objects_is_one_field() -> None:
    assert paths({"a": {"list": [{"k": 1}, 2]}}) == ["a/list"]


def test_dots_and_backslashes_in_keys_are_escaped() -> None:
    assert paths({"a": {"b.c": 1, "b": {"c": 2}, "b\\": {"c": 3}}}) == ["a/b\\.c", "a/b.c", "a/b\\\\.c"]


def test_what_stands_deeper_than_sixty_four_levels_is_one_field() -> None:
    content: Any = "deep"
    for _ in range(5_000):
        content = {"k": content}
    (path,) = paths({"a": content})
    assert path == "a/" + ".".join(["k"] * 65)


@given(contexts)
def test_two_fields_never_share_a_path(context: dict[str, Any]) -> None:
    found = [(row.field.section, row.field.path) for row in attribute(response="", context=context).fields]
    assert len(found) == len(set(found))
    assert found == list(context_values(context))


@given(contexts)
def test_each_value_is_found_by_its_path(context: dict[str, Any]) -> None:
    values = context_values(context)
    assert {key: context_value(context, *key) for key in values} == values


@pytest.mark.parametrize("path", ["b", "c.0", "list.2.k", "list.-1", "list.k", "value", ""])
def test_where_there_is_no_field_there_is_no_value(path: str) -> None:
    assert context_value({"a": {"c": 1, "list": [{"k": 1}, {"k": 2}]}}, "a", path) is None
    assert context_value({}, "a", path) is None


@pytest.mark.parametrize("context", [None, [], "text", 3])
def test_a_context_that_is_no_object_is_refused(context: Any) -> None:
    with pytest.raises(InputError, match=r"^context: must be an object of sections$"):
        attribute(response="", context=context)


@pytest.mark.parametrize("response", [None, b"bytes", 3, ["text"]])
def test_a_response_that_is_no_text_is_refused(response: Any) -> None:
    with pytest.raises(InputError, match=r"^response: must be text$"):
        attribute(response=response, context={})


@pytest.mark.parametrize(
    ("context", "message"),
    [
        ({"safety": {"plan": OrderedDict(a=1)}}, "safety.plan: must be a JSON value, not OrderedDict"),
        ({"safety": OrderedDict(a=1)}, "safety: must be a JSON value, not OrderedDict"),
        ({"safety": {"flags": [{"k": 1}, {"k": ("a", "b")}]}}, "safety.flags.1.k: must be a JSON value, not tuple"),
        ({"safety": {"flags": ["a", Decimal(1)]}}, "safety.flags: must be a JSON value, not Decimal"),
        ({"safety": {"fee": Decimal(120)}}, "safety.fee: must be a JSON value, not Decimal"),
        ({"safety": {"day": datetime(2026, 3, 8, tzinfo=UTC)}}, "safety.day: must be a JSON value, not datetime"),
        ({"safety": {"kind": FieldType.ENUM}}, "safety.kind: must be a JSON value, not FieldType"),
    ],
)
def test_a_value_that_is_no_json_is_refused_with_its_place(context: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        attribute(response="", context=context)
    assert str(error.value) == message


def test_hidden_sections_that_are_one_text_are_refused() -> None:
    with pytest.raises(InputError, match=r"^hidden_sections: must be several section names, not one text$"):
        attribute(response="", context={}, hidden_sections="safety")


def test_every_registered_field_has_a_type_of_its_own_or_one_by_shape() -> None:
    assert {kind.value for kind in DEFAULT_PROFILE.registry.types.values()} == {
        "enum",
        "numeric",
        "summary",
        "question",
        "money",
        "name",
        "identifier",
    }
