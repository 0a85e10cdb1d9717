"""The "not" that a quote leaves out before it: verbatim words that say the opposite of their sentence."""

from __future__ import annotations

import re

from attribution.documents.changes import DENIALS
from attribution.word_classes import words

_FARTHEST = 300
_FARTHEST_WORDS = 20
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|[,;:]|\d+")
_SENTENCE = re.compile(r"[.!?…](?=[\s\"”’)\]])|\n|[;]")
_ITEM = re.compile(r"[ \t]*(?:[-*•+–]|\d{1,2}[.)])[ \t]+")
_ALSO_DENY = words("""
    avoid avoids avoided avoiding refrain refrains unlikely false untrue incorrect myth hardly scarcely nobody nothing nowhere
    fail fails failed forbidden prohibited
""")
_NO_DENIAL = words("only just merely simply solely doubt wonder more less fewer later earlier sooner longer least matter")
""""Not only", "no doubt", "no more than": nothing is denied."""
_KEEPS = words("longer")
_ENDS_SCOPE = words("""
    but however although though because since if when whenever unless until whereas while instead rather then so therefore yet
""")
_NEW_PREDICATE = words("is are was were be has have had should must may might can could will would shall do does did")
_OF_SUBJECTS = words("no none neither nor nobody nothing")
"""These deny the verb behind what they stand with: no patient should."""


def denial_before(text: str, start: int, quote: str) -> str:
    """Return the word that denies what stands at ``start`` in its sentence; empty where nothing before it does."""
    before = text[max(0, start - _FARTHEST) : start]
    sentence = _SENTENCE.split(before)[-1]
    return _denial_in(sentence, quote) or _of_list(before, sentence, quote)


def _of_list(before: str, sentence: str, quote: str) -> str:
    """Return the same of the line above a list: ``Do not:`` and items below it."""
    if not _ITEM.match(sentence):
        return ""
    for line in reversed(before[: len(before) - len(sentence)].rstrip("\n").split("\n")):
        if not _ITEM.match(line):
            return _denial_in(line.rstrip()[:-1], quote) if line.rstrip().endswith(":") else ""
    return ""


def _denial_in(sentence: str, quote: str) -> str:
    found = [match.group() for match in _WORD.finditer(sentence)][-_FARTHEST_WORDS:]
    first = next((match.group().lower() for match in _WORD.finditer(quote)), "")
    for place in range(len(found) - 1, -1, -1):
        if _denies(found, place, first) and _reaches(found[place].lower(), [word.lower() for word in found[place + 1 :]], first):
            return found[place]
    return ""


def _denies(found: list[str], place: int, first: str) -> bool:
    word = found[place].lower().replace("’", "'")
    if not (word.replace("'", "") in DENIALS or word in _ALSO_DENY or word.endswith("n't")):
        return False
    behind = found[place + 1].lower() if place + 1 < len(found) else first
    return behind not in _NO_DENIAL or (behind in _KEEPS and "than" not in map(str.lower, found[place + 1 : place + 3]))


def _reaches(denial: str, between: list[str], first: str) -> bool:
    """Return True if a denial still holds at the quote: no new clause begins between the two."""
    if not _ENDS_SCOPE.isdisjoint(between) or ";" in between or ":" in between:
        return False
    commas = [place for place, word in enumerate(between) if word == ","]
    is_aside = len(commas) > 1 and commas[0] <= 1
    is_listed = bool(commas) and not {"or", "nor"}.isdisjoint([*between[commas[-1] :][:2], first])
    if commas and not is_aside and not is_listed:
        return False
    if "that" in between or denial in _OF_SUBJECTS:
        return True
    return _NEW_PREDICATE.isdisjoint([*between[1:], *([first] if between else [])])
