"""Reads the fixtures: lines such as ``negated | She denies [chest pain].``, one kind for all brackets or one for each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_GAP = "! "
FOLDER = Path(__file__).parent / "fixtures"
_BRACKETED = re.compile(r"\[([^\[\]]*)\]")


class Sentence(NamedTuple):
    text: str
    spans: list[tuple[int, int]]
    kinds: list[str]
    language: str
    where: str


def sentences() -> Iterator[Sentence]:
    """Yield the lines of all files that have to be read right."""
    for where, language, line in _lines():
        if not line.startswith(_GAP):
            yield _of_line(line, language, where)


def known_gaps() -> Iterator[Sentence]:
    """Yield the lines with an exclamation mark before them, which are not read right yet."""
    for where, language, line in _lines():
        if line.startswith(_GAP):
            yield _of_line(line.removeprefix(_GAP), language, where)


def _lines() -> Iterator[tuple[str, str, str]]:
    for path in sorted(FOLDER.glob("*.txt")):
        language = "es" if path.stem.startswith("spanish") else "en"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line and not line.startswith("#"):
                yield f"{path.stem}:{number}", language, line


def _of_line(line: str, language: str, where: str) -> Sentence:
    kinds, _, marked = line.partition(" | ")
    return sentence(marked.replace("\\n", "\n"), kinds, language, where)


def sentence(marked: str, kinds: str, language: str, where: str = "") -> Sentence:
    """Return a sentence without its brackets, and the spans that they held."""
    spans: list[tuple[int, int]] = []
    text, last = "", 0
    for match in _BRACKETED.finditer(marked):
        text += marked[last : match.start()]
        spans.append((len(text), len(text) + len(match.group(1))))
        text += match.group(1)
        last = match.end()
    wanted = kinds.split(", ")
    return Sentence(text + marked[last:], spans, wanted * len(spans) if len(wanted) == 1 else wanted, language, where)
