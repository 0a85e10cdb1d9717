"""A report as CSV (RFC 4180) in UTF-8. No cell is taken for a formula.

Written by hand, because the writer of the standard library looks at every character several times, which is most of the work.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from reviewers.reports.exporting.formats.table import ABOUT, COLUMNS, Line, about, lines_of, lines_of_end
from reviewers.reports.exporting.model import Answer, Header, Part
from reviewers.reports.exporting.text import cell

_END = "\r\n"
_RISKY = frozenset("=+-@|% ")
"""What a formula may begin with. Behind anything else, printable ASCII and the marks of our own explanations stand as they are."""


def write_csv(parts: Iterable[Part]) -> Iterator[bytes]:
    """The names of the columns, and the lines of each answer."""
    for part in parts:
        if isinstance(part, Header):
            yield f"{line_of(COLUMNS)}{_END}".encode()
        elif isinstance(part, Answer):
            before = line_of(about(part))
            yield _lines(before, lines_of(part))
        else:
            yield _lines("," * (len(ABOUT) - 1), lines_of_end(part))


def _lines(before: str, lines: Iterable[Line]) -> bytes:
    return "".join([f"{before},{line_of(line)}{_END}" for line in lines]).encode("utf-8", "replace")


def line_of(values: Iterable[Any]) -> str:
    """The cells of a line, without its end."""
    return ",".join([_text(value) if type(value) is str else "" if value is None else _number(value) for value in values])


def _text(value: str) -> str:
    if not value:
        return value
    plain = value if value.isascii() else value.replace("–", "-").replace("‘", "'").replace("’", "'")
    is_safe = plain.isascii() and plain.isprintable() and plain[0] not in _RISKY
    shown = value if is_safe else cell(value)
    if '"' in shown:
        return '"' + shown.replace('"', '""') + '"'
    return f'"{shown}"' if "," in shown or "\n" in shown or "\r" in shown else shown


@lru_cache(4_096, typed=True)
def _number(value: float) -> str:
    """Scores and confidences are the same few again and again."""
    return repr(value)
