"""The care answers that measure how the reading generalises: each says what a careful reviewer would of every field of its context."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

CASES = [json.loads(line) for line in (Path(__file__).parent / "unseen.jsonl").read_text(encoding="utf-8").splitlines()]
CATEGORIES = {
    *("ordinal", "instrument", "money", "dates_times", "denial", "entities", "booleans", "paraphrase"),
    *("no_use", "plain", "non_english", "self_correction", "long"),
}


def paths(value: Any, path: str = "") -> list[str]:
    """The fields of a context; a list of scalars is one field."""
    if isinstance(value, dict):
        return [each for key, inner in value.items() for each in paths(inner, f"{path}.{key}" if path else key)]
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [each for number, inner in enumerate(value) for each in paths(inner, f"{path}.{number}")]
    return [path]


def test_there_are_a_hundred_of_all_categories() -> None:
    assert len(CASES) == len({case["id"] for case in CASES}) == 100
    assert {case["category"] for case in CASES} == CATEGORIES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_field_is_judged(case: dict[str, Any]) -> None:
    assert sorted(paths(case["context"])) == sorted(case["expect"])
    for judged in case["expect"].values():
        assert judged.keys() == {"found", "contradicted"}
        assert not (judged["found"] is True and judged["contradicted"] is True)
