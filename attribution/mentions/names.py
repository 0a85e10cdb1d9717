"""Names by how they are written: those that an answer has, and the forms that a name on record may take in one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from attribution.answer import Answer
from attribution.figures import MOST_PLACES
from attribution.lexicon.words import CREDENTIALS, KINDS_OF_PLACE, LEGAL_FORMS, MONTHS, NO_GIVEN_NAMES, ROLES, TITLES, WEEKDAYS
from attribution.mentions.phrases import Hit, evidence_of
from attribution.model import Evidence, Field, FieldType, Span
from attribution.profile import Profile
from attribution.remembering import remembered
from attribution.text import words_of

_WORD = r"(?<!\w)[A-Z](?:[\w’'-]{0,40}[a-z])(?!\w)"
_TITLE = r"(?:Dr|Mr|Mrs|Ms|Miss|Prof|Dra|Sra?|Nurse|Doctor)\b\.?"
_RUN = re.compile(
    rf"(?P<title>{_TITLE}\s)?(?P<name>{_WORD}(?:\s(?:[A-Z]\.|of|de|la|y|and(?=\s[A-Z])))?(?:\s{_WORD}|\s[A-Z]\.(?=\s[A-Z])){{0,3}})"
)
_CAPITAL = re.compile("[A-Z]")
_MOST_NAMES = 400
_ENDS = ".!?:\n|*#>-•"
_OPENING = """
    i we you he she they it your her his their the this that these those a an if in on at for no yes not near by with from next
    located around
"""
_NO_NAMES = frozenset((*MONTHS, *WEEKDAYS, *_OPENING.split()))


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
        words = words[:-1] if len(words) > 1 and words[-1] == "s" else words
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


# Names of people and places: in full, without credentials, in a shorter form, by title or initial and surname.

_SHORTEST_GIVEN = 3


def given_name(bare: Sequence[str]) -> str:
    """The first of several names, if it is one word of some length and nothing but a name; else nothing."""
    first = words_of(bare[0]) if len(bare) > 1 and not bare[0].endswith(",") else ()
    is_name = len(first) == 1 and len(first[0]) >= _SHORTEST_GIVEN and first[0].isalpha() and first[0] not in NO_GIVEN_NAMES
    return first[0] if is_name else ""


@remembered
def is_of_a_person(name: str) -> bool:
    """Return True if a field of this name, or called a name in a section of this name, holds that of a person."""
    return not ROLES.isdisjoint(words_of(name.replace("_", " ")))


def find_given(given: str, answer: Answer) -> Hit | None:
    """A given name written as one and not part of a longer name, which would be another's."""
    places = [place for place in answer.places[given][:MOST_PLACES] if _is_capital(place, answer) and not _is_part(place, answer)]
    return Hit("given_name", places, (given,)) if places else None


def _is_part(place: int, answer: Answer) -> bool:
    """Return True if another word in capitals stands at once before or behind a word, and does not begin the sentence."""
    if _is_joined(place + 1, answer) and _is_capital(place + 1, answer):
        return True
    return _is_joined(place, answer) and place - 1 not in answer.clause_starts and place > 1 and _is_capital(place - 1, answer)


def _is_joined(place: int, answer: Answer) -> bool:
    """Return True if only a space stands before a word."""
    return 0 < place < len(answer.words) and answer.text[answer.word_end(place - 1) : answer.starts[place]] == " "


def _is_capital(place: int, answer: Answer) -> bool:
    return answer.text[answer.starts[place]].isupper()


_SHORTEST = 2
_PERSON_NAME = range(2, 5)
_TAIL_WORDS = ("of", "at", "in", "by")
_NO_PERSON = KINDS_OF_PLACE | LEGAL_FORMS | {"of", "and", "the", "at"}

Words = tuple[str, ...]


class Forms(NamedTuple):
    """The ways to write a name, each with its rule, the longest first; the surnames a title may stand before, the shortest first.

    ``given`` is the given name of a person, empty if it may be something else.
    ``keys`` are words of which an answer that has any form has one.
    """

    written: tuple[tuple[str, Words], ...]
    surnames: tuple[Words, ...]
    given: str
    keys: Words


def match_name(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The longest form of the name that is in the answer."""
    written, surnames, given, keys = _forms(str(value))
    for key in keys:
        if key in answer.places:
            break
    else:
        return None
    hit = _find_written(written, answer) or next((hit for surname in surnames if (hit := _find_titled(surname, answer))), None)
    if hit is None and given in answer.places and is_of_a_person(field.leaf if field.leaf != "name" else field.section):
        hit = find_given(given, answer)
    return evidence_of(hit, FieldType.NAME, field, answer, profile) if hit else None


def _find_written(written: Sequence[tuple[str, Words]], answer: Answer) -> Hit | None:
    for rule, words in written:
        places = answer.find(words)
        if places:
            return Hit(rule, places, words)
    return None


def _find_titled(surname: Words, answer: Answer) -> Hit | None:
    """A surname directly behind a title."""
    places = [place - 1 for place in answer.find(surname) if place and answer.words[place - 1] in TITLES]
    return Hit("title_and_surname", places, (answer.words[places[0]], *surname)) if places else None


@remembered
def _forms(text: str) -> Forms:
    words = words_of(text)
    if len(text.strip()) < _SHORTEST or not words:
        return Forms((), (), "", ())
    names = [name for name in text.split() if words_of(name)]
    bare = _without_credentials(names)
    has_credentials = len(bare) < len(names)
    is_person = (len(bare) in _PERSON_NAME or has_credentials) and _NO_PERSON.isdisjoint(words)
    others = _person_forms(bare, has_credentials=has_credentials) if is_person else _place_forms(text)
    starts = range(len(bare) - 1, 0, -1) or (0,)
    surnames = tuple([words_of(" ".join(bare[start:])) for start in starts]) if is_person else ()
    distinct = _distinct([("full_name", words), *others])
    given = given_name(bare) if is_person else ""
    its_keys = [form[-1] if is_person else form[0] for _, form in distinct] + [surname[-1] for surname in surnames]
    keys = tuple(dict.fromkeys([*its_keys, given] if given else its_keys))
    return Forms(distinct, surnames, given, keys)


def _distinct(forms: Sequence[tuple[str, Words]]) -> tuple[tuple[str, Words], ...]:
    """Each form once, by the first rule that has it."""
    rules: dict[Words, str] = {}
    for rule, words in forms:
        if words:
            rules.setdefault(words, rule)
    return tuple((rule, words) for words, rule in rules.items())


def _person_forms(bare: list[str], *, has_credentials: bool) -> list[tuple[str, Words]]:
    """Without credentials, without the names in the middle, first name behind the surname, initial and surname."""
    if len(bare) < len(("Maria", "Jones")):
        return []
    forms: list[tuple[str, Words]] = [("without_credentials", words_of(" ".join(bare)))] if has_credentials else []
    if bare[0].endswith(",") and len(bare) < _PERSON_NAME.stop:
        surname, *given = bare
        forms.append(("reordered", words_of(" ".join([*given, surname]))))
        return forms
    first, *_, last = bare
    surname_words, initial = words_of(last), words_of(first)[0][0]
    if len(bare) > len((first, last)):
        forms.append(("short_form", (*words_of(first), *surname_words)))
    forms.append(("initial_and_surname", (initial, *surname_words)))
    joined = tuple("".join(words_of(name)) for name in bare)
    return [*forms, ("full_name", joined)]


def _place_forms(text: str) -> list[tuple[str, Words]]:
    """Without what closes the name of an organisation: its legal form, where it is, what kind of place it is."""
    words = list(words_of(text))
    with_and = list(words_of(text.replace("&", " and ")))
    forms: list[tuple[str, Words]] = [("full_name", tuple(with_and))] if with_and != words else []
    forms += [("full_name", tuple(word for word in words if word != "and"))] if "and" in words[1:-1] else []
    short = words
    while len(short) > 1 and short[-1] in LEGAL_FORMS:
        short = short[:-1]
        forms.append(("short_form", tuple(short)))
    tail = next((place for place, word in enumerate(short) if word in _TAIL_WORDS and place > 1), 0)
    if tail:
        short = short[:tail]
        forms.append(("short_form", tuple(short)))
    if len(short) > len(("Harbor", "Light")) and short[-1] in KINDS_OF_PLACE:
        forms.append(("short_form", tuple(short[:-1])))
    return forms


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
