"""Quotes and values in the words of people who have never seen the context of a turn."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from attribution import Field, FieldAttribution, FieldType, Span
from reviewers.snapshots.field_labels import spoken

_END = re.compile(r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)(?<!\bProf)(?<!\b[A-Z])[.!?…][\"”’')\]]*(?=\s)|[。!?]|\n")
_LONGEST_SENTENCE = 260
_LONGEST_SAID = 400
_SPACES = re.compile(r"[ \t\r\f\v\n]+")

_CODE = re.compile(r"[a-z]+(?:_[a-z]+)+")


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence, and the quoted part of it."""

    before: str
    said: str
    after: str


@dataclass(frozen=True, slots=True)
class Cut:
    """A text that is shown in part; ``rest`` is shown on demand."""

    text: str
    rest: str = ""


def cut(text: str, longest: int, most: int = 2_000) -> Cut:
    """Cut a text at the end of a word. The rest has as much as a page has room for."""
    if len(text) <= longest:
        return Cut(text)
    place = text.rfind(" ", longest // 2, longest) + 1 or longest
    return Cut(text[:place], text[place:most] + ("…" if len(text) > most else ""))


def quote(text: str, span: Span) -> Quote:
    """Return the sentence around a span. If it is too long or has no end, keep its middle."""
    start, end = _trimmed(text, span)
    room = _LONGEST_SENTENCE if end - start < _LONGEST_SENTENCE else 0
    first, last = max(0, start - room), min(len(text), end + room)
    begins = [match.end() for match in _END.finditer(text, first, start)]
    finish = None if _ends_here(text, start, end) else _END.search(text, end, last)
    begin = begins[-1] if begins else first
    stop = end if _ends_here(text, start, end) else _stop(finish, last)
    return Quote(
        before=("…" if begin == first > 0 and not begins else "") + _line(text[begin:start]).lstrip(),
        said=_line(text[start:end][:_LONGEST_SAID]) + ("…" if end - start > _LONGEST_SAID else ""),
        after=_line(text[end:stop]).rstrip() + ("…" if stop == last < len(text) and finish is None and stop != end else ""),
    )


def _stop(finish: re.Match[str] | None, last: int) -> int:
    return finish.end() if finish else last


def _ends_here(text: str, start: int, end: int) -> bool:
    """Return True if a span already ends with a sentence."""
    return end > start and text[end - 1] in ".!?…。"


def _trimmed(text: str, span: Span) -> Span:
    """Return a span without the white space at its ends."""
    said = text[slice(*span)]
    start = span[0] + len(said) - len(said.lstrip())
    return start, max(start, span[0] + len(said.rstrip()))


def _line(text: str) -> str:
    return _SPACES.sub(" ", text)


def value_of(field: Field) -> str:
    """Return a value as it may be read aloud: yes and no, lists by their elements, days in full, codes with spaces."""
    day = _day(field.value) if field.type is FieldType.DATE else None
    return f"{day.day} {day:%B %Y}" if day else _said(field.value, is_code=field.type is FieldType.ENUM)


def stated_of(row: FieldAttribution) -> str:
    """Return the other value that an answer states, in the words of a field's value; empty if it states none."""
    if row.contradiction is None:
        return ""
    stated = row.contradiction.stated
    return {"true": "yes", "false": "no"}.get(stated, stated) if row.field.type is FieldType.BOOLEAN else stated


def _day(value: Any) -> date | None:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _said(value: Any, *, is_code: bool = False) -> str:
    if value is None or value in ("", [], {}):
        return "nothing recorded"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value.replace("_", " ") if is_code and _CODE.fullmatch(value) else value
    if isinstance(value, list):
        return "; ".join(_said(element) for element in value)
    if isinstance(value, dict):
        return "; ".join(f"{spoken(name)}: {_said(each)}" for name, each in value.items())
    return json.dumps(value)
