"""Numbers in brackets, whether they are citations or not: ``[1]``, ``[1, 2]``, ``[1-3]``, ``[Source 1]``, full-width as well."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from attribution.model import Span

HIGHEST = 99
"""No higher number is read as a citation unless there are so many documents."""

_NUMBER = r"[0-9０-９]{1,4}"
_SPACE = r"[ \t\u00a0]{0,2}"
_LABEL = r"(?:documents?|sources?|docs?\.?|references?|refs?\.?)[ \u00a0](?:no\.? ?|#)?"
_RANGE = rf"(?:{_LABEL})?{_NUMBER}(?:{_SPACE}[-‐‑–—−~～]{_SPACE}(?:{_LABEL})?{_NUMBER})?"
_SEPARATOR = rf"(?:{_SPACE}[,;，、；]{_SPACE}(?:and |& )?| (?:and|&) )"
_BODY = rf"{_SPACE}({_RANGE}(?:{_SEPARATOR}{_RANGE}){{0,39}}){_SPACE}"
_BRACKET = re.compile(rf"\[{_BODY}\]|［{_BODY}］|【{_BODY}】", re.IGNORECASE)
_PART = re.compile(rf"({_NUMBER})(?:{_SPACE}[-‐‑–—−~～]{_SPACE}(?:{_LABEL})?({_NUMBER}))?", re.IGNORECASE)
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_WESTERN = str.maketrans("０１２３４５６７８９", "0123456789")


class Bracket(NamedTuple):
    """Numbers in brackets: where they stand, the parts from first to last, and whether they can be places of documents at all.

    ``is_labelled`` says that the word for a source stands with them: they count no lines.
    """

    raw: Span
    parts: tuple[tuple[int, int], ...]
    is_plausible: bool
    is_labelled: bool = False

    @property
    def is_single(self) -> bool:
        """True if it holds one number only."""
        return len(self.parts) == 1 and self.parts[0][0] == self.parts[0][1]

    @property
    def numbers(self) -> list[int]:
        """All the numbers it stands for, ranges counted out, in the order written."""
        return [number for first, last in self.parts for number in range(first, last + 1)]


def find_brackets(text: str, count: int) -> Iterator[Bracket]:
    """The numbers in brackets of ``text``, left to right, for an answer that was given ``count`` documents."""
    highest = max(HIGHEST, count)
    for match in _BRACKET.finditer(text):
        body = (match[1] or match[2] or match[3]).translate(_WESTERN)
        parts = tuple([(int(part[1]), int(part[2] or part[1])) for part in _PART.finditer(body)])
        is_one_number = _THOUSANDS.fullmatch(body) is not None and max(parts)[1] > count
        is_plausible = not is_one_number and all(1 <= first <= last <= highest for first, last in parts)
        yield Bracket(match.span(), parts, is_plausible, body[:1].isalpha())
