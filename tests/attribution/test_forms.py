"""One value, many ways to write it: each line of ``fixtures/forms`` is an answer, and whether it draws on the value above it.

A question mark behind the verdict marks what a careful reader would say and the engine does not yet.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from attribution import attribute
from tests.attribution.cases import FOLDER

_FIELD = re.compile(r"\[(?P<name>[\w.]+) = (?P<value>.+?)(?: on (?P<day>\d{4}-\d\d-\d\d))?\]")
_LINE = re.compile(r"(?P<verdict>yes|unsure|no)(?P<is_open>[?]?) +(?P<answer>.+)")


@dataclass(frozen=True)
class Line:
    name: str
    value: Any
    day: date | None
    answer: str
    verdict: str
    is_open: bool = False

    def __str__(self) -> str:
        return f"{self.name} {json.dumps(self.value)} – {self.verdict} – {self.answer}"


def _read(text: str) -> list[Line]:
    lines: list[Line] = []
    name, value, day = "", None, None
    for written in filter(None, text.splitlines()):
        if written.startswith("#"):
            continue
        if field := _FIELD.fullmatch(written):
            name, value = field["name"], json.loads(field["value"])
            day = date.fromisoformat(field["day"]) if field["day"] else None
        else:
            line = _LINE.fullmatch(written)
            assert line, f"neither a field nor an answer: {written}"
            lines.append(Line(name, value, day, line["answer"], line["verdict"], bool(line["is_open"])))
    return lines


LINES = [line for path in sorted((FOLDER / "forms").glob("*.txt")) for line in _read(path.read_text(encoding="utf-8"))]


def verdict(line: Line) -> str:
    (row,) = attribute(response=line.answer, context={"record": {line.name: line.value}}, answered_on=line.day).fields
    if not row.is_used:
        return "no"
    return "unsure" if row.score <= 0.5 else "yes"


def test_a_careful_reader_would_agree() -> None:
    assert [f"{line}, not {found}" for line in LINES if not line.is_open and (found := verdict(line)) != line.verdict] == []


def test_what_is_marked_as_open_is_open() -> None:
    assert [str(line) for line in LINES if line.is_open and verdict(line) == line.verdict] == []
