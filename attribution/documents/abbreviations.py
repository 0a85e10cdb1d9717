"""What names in capitals are short for: by the first letters of words, or by ``lexicon/abbreviations.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pkgutil import get_data

from attribution.text import fold_words, stem

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
