"""Names of people and organisations by how they are written: a title, capitals one after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from attribution.lexicon.words import CREDENTIALS, MONTHS, TITLES, WEEKDAYS
from attribution.model import Span
from attribution.text import words_of

_WORD = r"(?<!\w)[A-Z](?:[\w’'-]{0,40}[a-z])(?!\w)"
_TITLE = r"(?:Dr|Mr|Mrs|Ms|Miss|Prof|Dra|Sra?|Nurse|Doctor)\b\.?"
_RUN = re.compile(
    rf"(?P<title>{_TITLE}\s)?(?P<name>{_WORD}(?:\s(?:[A-Z]\.|of|de|la|y|and(?=\s[A-Z])))?(?:\s{_WORD}|\s[A-Z]\.(?=\s[A-Z])){{0,3}})"
)
_CAPITAL = re.compile("[A-Z]")
_MOST_NAMES = 400
_ENDS = ".!?:\n|*#>-•"
_NO_NAMES = frozenset(
    {
        *MONTHS,
        *WEEKDAYS,
        *[
            "i",
            "we",
            "you",
            "he",
            "she",
            "they",
            "it",
            "your",
            "her",
            "his",
            "their",
            "the",
            "this",
            "that",
            "these",
            "those",
            "a",
            "an",
            "if",
            "in",
            "on",
            "at",
            "for",
            "no",
            "yes",
            "not",
            "near",
            "by",
            "with",
            "from",
            "at",
            "next",
            "located",
            "around",
        ],
    }
)


class NameRun(NamedTuple):
    """Words in capitals one after the other; ``is_first``: they begin a sentence, where one capital says nothing."""

    words: tuple[str, ...]
    span: Span
    is_titled: bool
    is_first: bool


def find_names(text: str) -> list[NameRun]:
    """The runs of capitalised words that may be names, in order."""
    found: list[NameRun] = []
    for match in _runs(text):
        words = tuple([word for word in words_of(match["name"]) if word not in TITLES and word not in CREDENTIALS])
        start = match.start("name")
        is_first = not text[:start].rstrip(" \"'“(") or text[:start].rstrip(" \"'“(")[-1:] in _ENDS if start < 80 else _begins(text, start)
        if is_first and not match["title"]:
            while words and words[0] in _NO_NAMES:
                words = words[1:]
        if words and not (len(words) == 1 and words[0] in _NO_NAMES):
            found.append(NameRun(words, match.span() if match["title"] else match.span("name"), bool(match["title"]), is_first))
        if len(found) >= _MOST_NAMES:
            break
    return found


def _runs(text: str) -> Iterator[re.Match[str]]:
    """The matches one after the other, looked for at capitals only."""
    at = 0
    while capital := _CAPITAL.search(text, at):
        run = _RUN.match(text, capital.start())
        at = run.end() if run else capital.end()
        if run:
            yield run


def _begins(text: str, start: int) -> bool:
    before = text[start - 4 : start].rstrip(" \"'“(")
    return not before or before[-1] in _ENDS
