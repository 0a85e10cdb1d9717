"""Names of people and places: in full, without credentials, by title and surname."""

from __future__ import annotations

from typing import Any, NamedTuple

from attribution.answer import Answer
from attribution.lexicon import CREDENTIALS, TITLES
from attribution.matchers.base import Hit, evidence_of
from attribution.model import Evidence, Field, FieldType
from attribution.profile import Profile
from attribution.remembering import remembered
from attribution.text import words_of

_SHORTEST = 2
_PERSON_NAME = range(2, 5)


class Forms(NamedTuple):
    """The words of a name: in full, without credentials, and the surnames a title may stand before, the shortest first."""

    full: tuple[str, ...]
    bare: tuple[str, ...]
    surnames: tuple[tuple[str, ...], ...]


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The longest form of the name that stands in the answer."""
    forms = _forms(str(value))
    hit = (
        _find("full_name", forms.full, answer)
        or _find("without_credentials", forms.bare, answer)
        or next((hit for surname in forms.surnames if (hit := _find_titled(surname, answer))), None)
    )
    return evidence_of(hit, FieldType.NAME, field, answer, profile) if hit else None


def _find(rule: str, words: tuple[str, ...], answer: Answer) -> Hit | None:
    places = answer.find(words) if words else ()
    return Hit(rule, places, words) if places else None


def _find_titled(surname: tuple[str, ...], answer: Answer) -> Hit | None:
    """A surname directly behind a title."""
    places = [place - 1 for place in answer.find(surname) if place and answer.words[place - 1] in TITLES]
    return Hit("title_and_surname", places, (answer.words[places[0]], *surname)) if places else None


@remembered
def _forms(text: str) -> Forms:
    words = words_of(text)
    if len(text.strip()) < _SHORTEST or not words:
        return Forms((), (), ())
    names = [name for name in text.split() if words_of(name)]
    bare = _without_credentials(names)
    bare_words = words_of(" ".join(bare)) if len(bare) < len(names) and len(bare) > 1 else ()
    is_person = len(bare) in _PERSON_NAME or len(bare) < len(names)
    starts = range(len(bare) - 1, 0, -1) or (0,)
    surnames = tuple([words_of(" ".join(bare[start:])) for start in starts]) if is_person else ()
    return Forms(words, bare_words, surnames)


def _without_credentials(names: list[str]) -> list[str]:
    start, end = 0, len(names)
    while end - start > 1 and _as_one_word(names[end - 1]) in CREDENTIALS:
        end -= 1
    while end - start > 1 and _as_one_word(names[start]) in TITLES:
        start += 1
    return names[start:end]


def _as_one_word(name: str) -> str:
    """``Ph.D.,`` → ``phd``."""
    return "".join(words_of(name))
