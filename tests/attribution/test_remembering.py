"""Remembered results are computed once, bounded in number and length, and never those of another text."""

from __future__ import annotations

import pytest

import compiled
from attribution import DEFAULT_PROFILE, attribute
from attribution.remembering import LONGEST_KEPT, MOST_KEPT, remembered
from attribution.schema import registry


def counted() -> tuple[list[str], object]:
    asked: list[str] = []

    def make(text: str) -> str:
        asked.append(text)
        return text.upper()

    return asked, remembered(make)


def test_a_text_that_comes_again_is_made_once() -> None:
    asked, upper = counted()
    assert [upper(text) for text in ("low", "high", "low")] == ["LOW", "HIGH", "LOW"]
    assert asked == ["low", "high"]


def test_a_long_text_is_made_each_time_and_not_kept() -> None:
    asked, upper = counted()
    for text in ("x" * LONGEST_KEPT, "x" * (LONGEST_KEPT + 1)) * 2:
        assert upper(text) == text.upper()
    assert sorted(map(len, asked)) == [LONGEST_KEPT, LONGEST_KEPT + 1, LONGEST_KEPT + 1]


def test_what_is_asked_for_often_outlives_any_number_of_others() -> None:
    asked, upper = counted()
    for number in range(3 * MOST_KEPT):
        upper(f"word{number}")
        upper("often")
    assert asked.count("often") == 1


def test_what_nobody_asks_for_again_is_forgotten() -> None:
    asked, upper = counted()
    upper("once")
    for number in range(2 * MOST_KEPT):
        upper(f"word{number}")
    upper("once")
    assert asked.count("once") == 2


@pytest.mark.skipif(compiled.is_preferred(), reason="compiled code does not see a function that is put in the place of another")
def test_a_long_name_of_a_field_is_read_once_while_its_field_is_compared(monkeypatch):
    """At each place where a common word stands it is looked for what names the field: 64 kB took three seconds."""
    read: list[str] = []
    describe = registry._describe
    monkeypatch.setattr(registry, "_describe", lambda its, leaf: (read.append(leaf), describe(its, leaf))[1])
    names = [f"{'smoking_area_and_parking_' * 5}{number}" for number in range(40)]
    words = sorted(DEFAULT_PROFILE.vocabulary.common)[:40]
    answer = ("zzz ".join(f"{word} " for word in words) + ". ") * 20
    attribute(response=answer, context={"other": dict(zip(names, words, strict=True))})
    assert 40 <= len(read) <= 5 * 40
