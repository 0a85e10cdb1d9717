"""Reads the fixtures: cases written as text, so that whoever knows the subject can add one.

    === A title that says what is promised
    The answer, on as many lines as it has.
    --- context
    safety.risk_level = "elevated"
    --- expect
    safety.risk_level: enum.whole_word 0.95 "elevated"

Context lines are a dotted path and a JSON value; a path of one name is a whole section. Optional blocks: ``user`` (the user's text),
``document``, ``hidden`` (section names), ``day`` (the day of the message), ``beside`` (citations beside the text, in JSON, one a line).
``<U+200B>`` stands for that character; lines that begin with ``#`` before the first case are comments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from attribution import Attribution, attribute

FOLDER = Path(__file__).parent / "fixtures"
_CODE_POINT = re.compile(r"<U\+([0-9A-F]{4,6})>")


@dataclass(frozen=True)
class Case:
    title: str
    answer: str
    expected: str
    context: dict[str, Any]
    user: str | None = None
    documents: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    beside: tuple[Any, ...] = ()
    day: date | None = field(default=None)

    def __str__(self) -> str:
        return self.title

    def attribute(self) -> Attribution:
        return attribute(
            response=self.answer,
            context=self.context,
            user_text=self.user,
            documents=self.documents,
            hidden_sections=self.hidden,
            field_citations=self.beside,
            answered_on=self.day,
        )


@cache
def cases(*names: str) -> list[Case]:
    """The cases of these fixture files, in their order."""
    texts = [(FOLDER / f"{name}.txt").read_text(encoding="utf-8") for name in names]
    return [_read_case(written) for text in texts for written in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]]


def all_cases() -> list[Case]:
    return cases(*sorted(path.stem for path in FOLDER.glob("*.txt")))


def misread(cases: Iterable[Any], shown: Callable[[Any], str]) -> list[tuple[str, str, str]]:
    """Return the cases that are not read as they expect: the title, what is read and what is expected."""
    return [(case.title, read, case.expected) for case in cases if (read := shown(case.attribute())) != case.expected]


def _read_case(written: str) -> Case:
    title, _, body = written.partition("\n")
    answer, *blocks = re.split(r"^--- ", body.rstrip("\n") + "\n", flags=re.MULTILINE)
    named = {name: text.removesuffix("\n") for name, _, text in (block.partition("\n") for block in blocks)}
    day = named.pop("day", "")
    case = Case(
        title=title,
        answer=_characters(answer.removesuffix("\n")),
        expected=named.pop("expect"),
        context=_read_context(_characters(named.pop("context"))),
        user=_characters(named.pop("user")) if "user" in named else None,
        documents=(_characters(named.pop("document")),) if "document" in named else (),
        hidden=tuple(named.pop("hidden", "").split()),
        beside=tuple(map(json.loads, named.pop("beside", "").splitlines())),
        day=date.fromisoformat(day) if day else None,
    )
    assert not named, f"{title}: unknown blocks {list(named)}"
    return case


def _characters(text: str) -> str:
    return _CODE_POINT.sub(lambda match: chr(int(match[1], 16)), text)


def _read_context(text: str) -> dict[str, Any]:
    context: dict[str, Any] = {}
    for line in text.splitlines():
        path, _, value = line.partition(" = ")
        *parents, last = path.split(".")
        place = context
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = json.loads(value)
    return context
