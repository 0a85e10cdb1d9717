"""Real, labelled turns, where they are at hand: a floor under what the rules find, by kind of value."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from attribution import attribute

TURNS = Path(__file__).parents[3] / "shared" / "data" / "sgd_dev.jsonl.gz"
EVERY = 5
DAY_OR_TIME = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d")

pytestmark = pytest.mark.skipif(not TURNS.exists(), reason=f"no labelled turns at {Path('..', *TURNS.parts[-3:])}")


@dataclass(frozen=True)
class Judged:
    value: Any
    is_meant: bool
    is_found: bool
    is_hard: bool


@cache
def judged() -> list[Judged]:
    """Each labelled field of every fifth turn."""
    with gzip.open(TURNS, "rt", encoding="utf-8") as lines:
        return [each for number, line in enumerate(lines) if number % EVERY == 0 for each in _judge(json.loads(line))]


def _judge(turn: dict[str, Any]) -> Iterator[Judged]:
    attribution = attribute(response=turn["response"], context=turn["context"], user_text=turn["user_text"])
    rows = {(row.field.section, row.field.path): row for row in attribution.fields}
    for label in turn["gold"]:
        row = rows.get((label["section"], label["path"]))
        if row and label["referenced"] is not None:
            yield Judged(row.field.value, label["referenced"], row.is_used, "hard negative" in label.get("note", ""))


def f1(fields: Iterable[Judged]) -> float:
    outcomes = [(each.is_meant, each.is_found) for each in fields]
    both = outcomes.count((True, True))
    return 2 * both / (2 * both + outcomes.count((True, False)) + outcomes.count((False, True)))


def test_most_of_what_is_meant_is_found_and_little_else() -> None:
    assert len(judged()) > 5_000
    assert f1(judged()) >= 0.93


def test_yes_or_no_fields_are_found_by_their_phrase() -> None:
    assert f1(each for each in judged() if isinstance(each.value, bool)) >= 0.60


def test_dates_and_times_are_found_in_their_forms() -> None:
    assert f1(each for each in judged() if isinstance(each.value, str) and DAY_OR_TIME.fullmatch(each.value)) >= 0.90


def test_a_value_that_only_stands_there_is_rarely_taken_as_meant() -> None:
    hard = [each.is_found for each in judged() if each.is_hard and not each.is_meant]
    assert sum(hard) <= 0.10 * len(hard)
