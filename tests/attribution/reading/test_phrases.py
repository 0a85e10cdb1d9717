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

_OPEN = "lexicon-open.txt"
"""Examples of the lexicon that are not read yet, which another test tries."""
_FILES = sorted(each.name for each in Path(__file__).parent.glob("*.txt") if each.name != _OPEN)
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


def phrases(file: str) -> Iterator[Phrase]:
    """The sentences of a file; those that are not read yet as they should be have a question mark."""
    record, on = "", None
    for line in (Path(__file__).parent / file).read_text(encoding="utf-8").splitlines():
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


def misread(phrase: Phrase) -> list[str]:
    """Return what should be read of the rows that are read otherwise."""
    return [each for each, row in zip(phrase.rows, phrase.read().fields, strict=True) if not is_as(each.rstrip("?"), row)]


@pytest.mark.parametrize("file", _FILES)
def test_a_sentence_is_read_as_a_careful_clinician_reads_it(file: str) -> None:
    read = [(phrase, misread(phrase)) for phrase in phrases(file) if "?" not in "".join(phrase.rows)]
    assert [(str(phrase), wrong) for phrase, wrong in read if wrong] == []


@pytest.mark.parametrize("phrase", [each for file in _FILES for each in phrases(file) if "?" in "".join(each.rows)], ids=str)
def test_what_is_marked_as_open_is_open(phrase: Phrase) -> None:
    assert misread(phrase)


@pytest.mark.parametrize("file", _FILES)
def test_what_is_only_mentioned_says_why(file: str) -> None:
    for phrase in phrases(file):
        for row in phrase.read().fields:
            if row.mentioned is not None:
                assert row.mentioned.trace, phrase
                assert all(phrase.answer[start:end] for start, end in row.mentioned.spans), phrase
