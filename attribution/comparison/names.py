"""A name in the answer against the name on record: the same, nearly the same, or somebody else."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import lru_cache

from attribution.lexicon.words import CREDENTIALS, KINDS_OF_PLACE, LEGAL_FORMS, TITLES
from attribution.text import words, words_of

_ALIKE = 0.66
_LONGEST_ALIKE = 60
"""Letters of words that are compared one by one, which takes more than linear time."""
_SLIGHT = TITLES + tuple(CREDENTIALS) + tuple(LEGAL_FORMS)
_JOINING = words("of de la y and the at in for")


@lru_cache(maxsize=8_192)
def core_of(value: str) -> tuple[str, ...]:
    """The words of a name without title, credentials and legal form."""
    return tuple(word for word in words_of(value) if word not in _SLIGHT and word not in _JOINING)


def is_same(said: tuple[str, ...], recorded: tuple[str, ...]) -> bool:
    """Return True if one of two names is part of the other, initials compared with the names they abbreviate."""
    shorter, longer = (said, recorded) if len(said) <= len(recorded) else (recorded, said)
    return all(any(word == other or (len(word) == 1 and other.startswith(word)) for other in longer) for word in shorter)


def is_near(said: tuple[str, ...], recorded: tuple[str, ...]) -> bool:
    """Return True if two different names share a telling word, and so are meant for the same."""
    common = {word for word in said if word in recorded and len(word) > 2 and word not in KINDS_OF_PLACE}
    if not common or len(said) < 2 or len(recorded) < 2:
        return False
    rest, other = [word for word in said if word not in recorded], [word for word in recorded if word not in said]
    return bool(rest and other) and not any(_is_spelling_of(one, two) for one in rest for two in other)


def _is_spelling_of(one: str, other: str) -> bool:
    """Return True if two words of names differ in their ending only: Hobson and Hobsons."""
    return abs(len(one) - len(other)) == 1 and (one.startswith(other) or other.startswith(one))


def is_alike(said: str, recorded: str) -> bool:
    """Return True if two words look alike: hydralazine and hydroxyzine."""
    if (
        max(len(said), len(recorded)) > _LONGEST_ALIKE
        or said[:3] != recorded[:3]
        or said.startswith(recorded[:-1])
        or recorded.startswith(said[:-1])
    ):
        return False
    return SequenceMatcher(None, said, recorded).ratio() >= _ALIKE
