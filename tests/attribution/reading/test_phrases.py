"""What an answer says of a record, by sentences that a clinician can edit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from attribution import Attribution, FieldAttribution, attribute

_FILES = ("phrases.txt", "variations.txt", "figures.txt", "care.txt", "care-second.txt")
_SURE = 0.8
_LINE = re.compile(r"(?P<rows>[a-z, ?]+) \| (?P<answer>.+)")
_RECORD = re.compile(r"\[(?P<record>.+)\](?: on (?P<on>\d{4}-\d\d-\d\d))?")


@dataclass(frozen=True)
class Phrase:
    record: str
    rows: tuple[str, ...]
    answer: str
    on: date | None = None

    def __str__(self) -> str:
        return f"{self.record}: {self.answer}"

    def read(self) -> Attribution:
        return attribute(response=self.answer, context=_context(self.record), answered_on=self.on)


def phrases() -> list[Phrase]:
    """The sentences of the files; those that are not read yet as they should be have a question mark."""
    return [each for name in _FILES for each in _phrases((Path(__file__).parent / name).read_text(encoding="utf-8"))]


def _phrases(text: str) -> Iterator[Phrase]:
    record, on = "", None
    for line in text.splitlines():
        if match := _RECORD.fullmatch(line):
            record, on = match["record"], date.fromisoformat(match["on"]) if match["on"] else None
        elif match := _LINE.fullmatch(line):
            answer = match["answer"].replace("⏎", "\n").replace(r"\|", "|")
            yield Phrase(record, tuple(row.strip() for row in match["rows"].split(",")), answer, on)
        else:
            assert not line or line.startswith("#"), line


def _context(record: str) -> dict[str, Any]:
    context: dict[str, Any] = {}
    for each in record.split("; "):
        path, _, value = each.partition(" = ")
        *parents, last = path.split(".")
        place = context
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = json.loads(value)
    return {section: _with_lists(content) for section, content in context.items()}


def _with_lists(content: dict[str, Any]) -> Any:
    """Objects whose keys count from nought as the lists that they stand for."""
    return [content[key] for key in sorted(content)] if all(map(str.isdigit, content)) else content


def is_as(expected: str, row: FieldAttribution) -> bool:
    if expected == "contradicted":
        return row.contradiction is not None
    if expected == "aside":
        return row.mentioned is not None and not row.is_used and not row.contradiction
    if expected == "quiet":
        return row.contradiction is None
    is_found = row.is_used and row.score >= (_SURE if expected == "sure" else 0)
    return row.contradiction is None and is_found == (expected in ("found", "sure"))


@pytest.mark.parametrize("phrase", [each for each in phrases() if "?" not in "".join(each.rows)], ids=str)
def test_a_sentence_is_read_as_a_careful_clinician_reads_it(phrase: Phrase) -> None:
    rows = phrase.read().fields
    assert [is_as(expected, row) for expected, row in zip(phrase.rows, rows, strict=True)] == [True] * len(rows)


@pytest.mark.parametrize("phrase", [each for each in phrases() if "?" in "".join(each.rows)], ids=str)
def test_what_is_marked_as_open_is_open(phrase: Phrase) -> None:
    rows = phrase.read().fields
    expected = [each.rstrip("?") for each in phrase.rows]
    assert not all(is_as(each, row) for each, row in zip(expected, rows, strict=True))


@pytest.mark.parametrize("phrase", phrases(), ids=str)
def test_what_is_only_mentioned_says_why(phrase: Phrase) -> None:
    for row in phrase.read().fields:
        if row.mentioned is not None:
            assert row.mentioned.trace
            assert all(phrase.answer[start:end] for start, end in row.mentioned.spans)
