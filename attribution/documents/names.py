"""The names in a text: runs of capitalised words, but for what capitals mean otherwise, and what names in capitals are short for."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pkgutil import get_data
from typing import NamedTuple

from attribution.lexicon.words import CREDENTIALS, FUNCTION_WORDS, MONTHS, TITLES, WEEKDAYS
from attribution.model import Span
from attribution.text import fold_words, stem

_NAME_WORD = re.compile(r"[^\W\d_][\w'’.&-]*[^\W_]|[^\W\d_]")
_BEGINS_SENTENCE = re.compile(r"(?:\A|[.!?:;\n][\"”’)\]*]{0,12})[\s\"“‘(\[*•–—-]{0,12}\Z")
_BEFORE = 12
_MOSTLY_CAPITALS = 0.6
"""From this share of capitalised words on a line without a full stop is a heading, whose capitals name nothing."""
_NO_NAME = frozenset((*MONTHS, *WEEKDAYS, *TITLES, *(title + "s" for title in TITLES), "i", "ok", *CREDENTIALS))
_ORDINARY_ENDINGS = ("ly", "ent", "ant", "ing", "al", "ous", "ive", "ed", "ic", "ary", "ful", "less", "ern")
"""Ends of adjectives, adverbs and participles: at the beginning of a sentence their capital names nothing."""


class Name(NamedTuple):
    """A name, and the words by which it is known: no titles, credentials and initials."""

    span: Span
    words: list[str]


def names_of(text: str) -> list[Name]:
    """Runs of capitalised words that name something; none in a heading."""
    words = [match.span() for match in _NAME_WORD.finditer(text)]
    capitals = [span for span in words if text[span[0]].isupper()]
    if len(capitals) > max(1, _MOSTLY_CAPITALS * len(words)) and not text.rstrip().endswith((".", "!", "?")):
        return []
    runs: list[list[Span]] = []
    for span in capitals:
        if runs and _belongs_to(runs[-1][-1], span, text):
            runs[-1].append(span)
        else:
            runs.append([span])
    return [name for run in runs if (name := _named(run, text))]


def _belongs_to(before: Span, span: Span, text: str) -> bool:
    """Return True if a capitalised word goes on with the name before it; behind a full stop only if that is of a title or an initial."""
    between = text[before[1] : span[0]]
    if between == ". ":
        return before[1] - before[0] == 1 or text[before[0] : before[1]].lower() in TITLES
    return between in (" ", " & ")


def _named(run: list[Span], text: str) -> Name | None:
    """A run without the ordinary word that begins a sentence; nothing is left of a run of such a word alone."""
    first = text[run[0][0] : run[0][1]]
    begins = _BEGINS_SENTENCE.search(text[max(0, run[0][0] - _BEFORE) : run[0][0]]) is not None and not _looks_like_name(first)
    if begins and (len(run) == 1 or first.lower() in FUNCTION_WORDS or first.endswith(_ORDINARY_ENDINGS)):
        run = run[1:]
    words = [text[start:end] for start, end in run if end - start > 1 and text[start:end].lower() not in _NO_NAME]
    return Name((run[0][0], run[-1][1]), words) if words else None


def _looks_like_name(word: str) -> bool:
    """Return True if capitals inside show that a word is a name wherever it stands: NHS, McLeod."""
    return any(letter.isupper() for letter in word[1:])


def capitals_of(text: str) -> str:
    """The first letters of all capitalised words, in order: what names in capitals may be short for."""
    return "".join([word[0] for word in _NAME_WORD.findall(text) if word[0].isupper()])


_FEWEST_LETTERS = 3
_SHORTEST_WORD = 4


def letters_of(name: str) -> str:
    """Return the capitals of a name that is an abbreviation, without full stops and the s of its plural; empty for any other."""
    letters = name.replace(".", "").removesuffix("'s").removesuffix("’s")
    letters = letters.removesuffix("s") if letters[:-1].isupper() else letters
    return letters if len(letters) >= 2 and letters.isupper() and letters.isalpha() else ""


def stems_line(words: list[str]) -> str:
    """Return the stems of words in a row, in which phrases are looked up."""
    return f" {' '.join([stem(word) for word in words])} "


def initials_line(words: list[str]) -> str:
    """Return the first letters of words in capitals; of short words, which abbreviations leave out or take by chance, a space."""
    return "".join([word[0].upper() if len(word) >= _SHORTEST_WORD or word == "anti" else " " for word in words])


def is_spelt_out(letters: str, stems: str, initials: str) -> bool:
    """Return True if a passage has the words that an abbreviation is short for."""
    if any(phrase in stems for phrase in _phrases().get(letters, ())):
        return True
    return len(letters) >= _FEWEST_LETTERS and letters in initials


def is_shortened(name: str, words: frozenset[str]) -> bool:
    """Return True if a passage has the abbreviation of a name that is written out."""
    spoken = fold_words(name)
    line = stems_line(spoken)
    first = "".join([word[0] for word in spoken])
    if len(first) >= _FEWEST_LETTERS and not {first, f"{first}s"}.isdisjoint(words):
        return True
    return any(
        not {short.lower(), f"{short.lower()}s"}.isdisjoint(words) and any(phrase in line or line in phrase for phrase in phrases)
        for short, phrases in _phrases().items()
        if len(spoken) > 1
    )


@cache
def _phrases() -> Mapping[str, tuple[str, ...]]:
    entries = json.loads(get_data("attribution", "lexicon/abbreviations.json") or b"[]")
    return {each["short"]: tuple([stems_line(fold_words(phrase)) for phrase in each["long"]]) for each in entries}
