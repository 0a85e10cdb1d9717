"""Reads the fixtures of documents: cases with blocks, and lines of columns, as text that whoever knows the subject can edit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "fixtures" / "documents"
_CODE_POINT = re.compile(r"<U\+([0-9A-F]{4,6})>")


@dataclass(frozen=True)
class Block:
    name: str
    text: str

    @property
    def lines(self) -> list[list[str]]:
        """The lines of the block, each split at its bars."""
        return [[column.strip() for column in line.split(" | ")] for line in self.text.splitlines()]


@dataclass(frozen=True)
class Case:
    title: str
    text: str
    blocks: tuple[Block, ...]

    def all(self, name: str) -> list[Block]:
        return [each for each in self.blocks if each.name == name]

    def one(self, name: str) -> Block:
        return next(iter(self.all(name)), Block(name, ""))


def cases(name: str) -> list[Case]:
    return [_case(written) for written in re.split(r"^=== ", _read(name), flags=re.MULTILINE)[1:]]


def rows(name: str) -> list[list[str]]:
    """The lines of a file that is one table."""
    return Block(name, "\n".join(line for line in _read(name).splitlines() if line and not line.startswith("# "))).lines


def rows_of_cases(name: str, block: str) -> list[tuple[Case, list[str]]]:
    return [(case, row) for case in cases(name) for row in case.one(block).lines]


def _read(name: str) -> str:
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return _CODE_POINT.sub(lambda match: chr(int(match[1], 16)), text)


def _case(written: str) -> Case:
    title, _, rest = written.partition("\n")
    text, *blocks = re.split(r"^--- ", rest, flags=re.MULTILINE)
    return Case(
        title, text.strip("\n"), tuple(Block(name, body.strip("\n")) for name, _, body in (each.partition("\n") for each in blocks))
    )
