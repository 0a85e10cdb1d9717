"""A report as CSV (RFC 4180) in UTF-8. No cell is taken for a formula.

Written by hand, because the writer of the standard library looks at every character several times, which is most of the work. Nearly all
lines are of fields and events: they are put together from their cells right away, and cells that are the same again and again are looked
at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from reviewers.reports.exporting.formats.table import (
    ABOUT,
    COLUMNS,
    Line,
    about,
    lines_of_answer,
    lines_of_end,
    lines_of_work,
    notes_in,
    place_of,
    places_in,
    verdicts_in,
)
from reviewers.reports.exporting.model import Answer, Header, Part, Recorded
from reviewers.reports.exporting.text import cell, is_tame
from reviewers.reports.exporting.told import Excerpt, Row, Said
from reviewers.web.masks import Mask

_END = "\r\n"
_RISKY = frozenset("=+-@|% ")
"""What a formula may begin with. Behind anything else, printable ASCII and the marks of our own explanations stand as they are."""
_is_safe = re.compile("(?![=+\\-@|% –])[ -~‘’–]+").fullmatch


def write_csv(parts: Iterable[Part]) -> Iterator[bytes]:
    """The names of the columns, and the lines of each answer."""
    for part in parts:
        if isinstance(part, Header):
            yield f"{line_of(COLUMNS)}{_END}".encode()
        elif isinstance(part, Answer):
            yield _behind(line_of(about(part)), _answer(part))
        else:
            yield _behind("," * (len(ABOUT) - 1), _lines(lines_of_end(part)))


def line_of(values: Iterable[Any]) -> str:
    """The cells of a line, without its end."""
    return ",".join(map(_cell, values))


def _behind(before: str, lines: Sequence[str]) -> bytes:
    """The lines, each behind the cells that say of which answer it is."""
    return f"{before},{f'{_END}{before},'.join(lines)}{_END}".encode("utf-8", "replace") if lines else b""


def _answer(answer: Answer) -> list[str]:
    """The same lines as in any other table, in the same order."""
    lines, are_tame = _lines(lines_of_answer(answer)), is_tame(answer.text)
    lines += [_field(row, are_tame=are_tame) for row in answer.rows]
    lines += _lines(lines_of_work(answer))
    lines += map(_event, answer.events)
    return lines


def _lines(lines: Iterable[Line]) -> list[str]:
    return [line_of(line) for line in lines]


def _field(row: Row, *, are_tame: bool) -> str:
    excerpts = row.spans or row.claims
    figures = _figures(row.score, row.confidence, row.low, row.high)
    found = _found(row.track, "seeded" if row.is_seeded else row.method, row.rule)
    return (
        f"field,{'' if row.footnote is None else row.footnote},{_name(row.section, row.path)},{_cell(row.value_text)},{found},{figures},"
        f"{_where(excerpts, are_tame=are_tame) if excerpts else ''},{_cell(row.trace)},"
        f"{_cell(row.contradiction.stated) if row.contradiction else ''},{_said(row.said) if row.said else ','},"
    )


def _event(each: Recorded) -> str:
    by, where = _often(each.by), (_cell if each.index is not None else _often)(place_of(each))
    return f"event,,{_often(each.action)},{_cell(each.id)},,,,,,,,{where},{by},,,,{_cell(each.at)}"


def _where(excerpts: Sequence[Excerpt], *, are_tame: bool) -> str:
    """Places with their words. Where all words of the answer are tame so are these, for a number stands before them."""
    told = f"{excerpts[0].start}–{excerpts[0].end} {excerpts[0].text}" if len(excerpts) == 1 else places_in(excerpts)
    return _quoted(told) if are_tame else _cell(told)


def _said(said: Sequence[Said]) -> str:
    """The cells of verdicts and notes."""
    if len(said) == 1 and not said[0].note:
        return _verdict(said[0].reviewer, said[0].verdict)
    return f"{_cell(verdicts_in(said))},{_cell(notes_in(said))}"


@lru_cache(4_096)
def _verdict(reviewer: str, verdict: str) -> str:
    return f"{_cell(f'{reviewer}: {verdict}')},"


@lru_cache(4_096)
def _name(section: str, path: str) -> str:
    return _cell(f"{section}.{path}")


@lru_cache(4_096)
def _found(track: str, method: str, rule: str) -> str:
    return line_of((track, method, rule))


@lru_cache(4_096, typed=True)
def _figures(score: float, confidence: float, low: float | None, high: float | None) -> str:
    return line_of((score, confidence, low, high))


def _cell(value: Any) -> str:
    if type(value) is not str:
        return "" if value is None else value.plain if isinstance(value, Mask) else _number(value)
    if not value:
        return value
    if value.isascii() and value.isprintable() and value[0] not in _RISKY:
        return _quoted(value)
    return _quoted(value if _is_safe(value) else cell(value))


_often = lru_cache(4_096)(_cell)
"""Of what is the same in line after line."""


def _quoted(shown: str) -> str:
    if '"' in shown:
        return '"' + shown.replace('"', '""') + '"'
    return f'"{shown}"' if "," in shown or "\n" in shown or "\r" in shown else shown


@lru_cache(4_096, typed=True)
def _number(value: float) -> str:
    """Scores and confidences are the same few again and again."""
    return repr(value)
