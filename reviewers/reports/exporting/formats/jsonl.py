"""A report as lines of canonical JSON: its head, each answer, its end. Everything that a report says is in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attribution import canonical_bytes
from reviewers.reports.exporting.model import Answer, Header, Part, as_data


def write_jsonl(parts: Iterable[Part]) -> Iterator[bytes]:
    """A line for each part."""
    for part in parts:
        yield line_of(part)


def line_of(part: Part) -> bytes:
    """One line; ``part`` says what it is."""
    return canonical_bytes({"part": name_of(part), **as_data(part)}) + b"\n"


def name_of(part: Part) -> str:
    """The name of a kind of part."""
    if isinstance(part, Answer):
        return "answer"
    return "head" if isinstance(part, Header) else "end"
