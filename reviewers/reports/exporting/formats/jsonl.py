"""A report as lines of JSON: its head, each answer, its end. Everything that a report says is in it.

The names stand in the order in which the report's shapes have them, so that people can read a line as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reviewers.reports.exporting.model import Answer, Header, Part
from reviewers.reports.exporting.quickly import write_json


def write_jsonl(parts: Iterable[Part]) -> Iterator[bytes]:
    """A line for each part."""
    for part in parts:
        yield line_of(part)


def line_of(part: Part) -> bytes:
    """One line; ``part`` says what it is."""
    return b'{"part":"' + name_of(part).encode() + b'",' + write_json(part)[1:] + b"\n"


def name_of(part: Part) -> str:
    """The name of a kind of part."""
    if isinstance(part, Answer):
        return "answer"
    return "head" if isinstance(part, Header) else "end"
