"""What an answer says, sentence by sentence, as far as a sheet of paper has room for it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from attribution import Span

_END = re.compile(r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)(?<!\bProf)(?<!\b[A-Z])[.!?…][\"”’')\]]*(?=\s)|[。!?]|\n")
_LONGEST_SENTENCE = 260
_LONGEST_SAID = 400
_SPACES = re.compile(r"[ \t\r\f\v\n]+")


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence, and the part of it that is meant."""

    before: str
    said: str
    after: str


@dataclass(frozen=True, slots=True)
class Cut:
    """A text that is shown in part; ``rest`` is there on demand."""

    text: str
    rest: str = ""


def cut(text: str, longest: int, most: int = 2_000) -> Cut:
    """The beginning of a text at a word's end, and the rest as far as a page has room for it."""
    if len(text) <= longest:
        return Cut(text)
    place = text.rfind(" ", longest // 2, longest) + 1 or longest
    return Cut(text[:place], text[place:most] + ("…" if len(text) > most else ""))


def quote(text: str, span: Span) -> Quote:
    """The sentence around a span. Where it is too long, or has no end, its middle is kept."""
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
    """Whether a span already ends with a sentence."""
    return end > start and text[end - 1] in ".!?…。"


def _trimmed(text: str, span: Span) -> Span:
    """A span without the white space at its ends."""
    said = text[slice(*span)]
    start = span[0] + len(said) - len(said.lstrip())
    return start, max(start, span[0] + len(said.rstrip()))


def _line(text: str) -> str:
    return _SPACES.sub(" ", text)
