"""Which fields of a record say of whom it is: by their type, and by the words of their names."""

from __future__ import annotations

import hmac
import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias
from uuid import UUID

from django.conf import settings

from attribution import context_values
from reviewers.reports.disclosure.identifier_patterns import Replacement, find_shapes


class Kind(StrEnum):
    """What a field identifies by."""

    PERSON = "person"
    PLACE = "place"
    DATE = "date"
    AGE = "age"
    NUMBER = "number"


_READ: Mapping[str, list[str]] = json.loads(Path(__file__).with_name("identifying.json").read_bytes())
_WORDS: Mapping[Kind, frozenset[str]] = {kind: frozenset(_READ[kind]) for kind in Kind}
_NOT = frozenset(_READ["not"])
"""A name with one of these tells of something about the thing, not which thing it is."""
_COMMON = frozenset(_READ["common"])
"""Words that are not taken out by themselves where a name, or a field for one, holds them."""

_SPLIT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_TITLE = re.compile(r"(?:(?:dr|mr|mrs|ms|miss|prof)\.?\s+)+", re.IGNORECASE)
_SHORTEST_PART = 3
_SHORTEST_KNOWN = 2
_LONGEST_KNOWN = 200
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_TITLED = re.compile(r"(?:Dr|Mr|Mrs|Ms|Miss|Prof)\.? [A-Z]\S{0,40}(?: \S{1,40}){0,4}")


def kind_of(path: str, value: Any) -> Kind | None:
    """What a field identifies by; nothing where it does not."""
    named = _kind_by_name(path)
    if named is None and isinstance(value, str):
        if _ISO.match(value):
            return Kind.DATE
        if _TITLED.fullmatch(value):
            return Kind.PERSON
    return named


def _kind_by_name(path: str) -> Kind | None:
    for key in reversed(path.split(".")):
        words = {word.lower() for word in _SPLIT.findall(key)}
        if words & _NOT:
            return None
        kind = next((kind for kind, names in _WORDS.items() if words & names), None)
        if kind or words:
            return kind or _kind_above(path)
    return None


def _kind_above(path: str) -> Kind | None:
    """What stands in an address, or with a contact, is a part of it whatever it is called itself."""
    above = {word.lower() for key in path.split(".")[:-1] for word in _SPLIT.findall(key)}
    return next((kind for kind in (Kind.PLACE, Kind.PERSON) if above & _WORDS[kind]), None)


def known_of(record: Mapping[str, Any]) -> Iterator[tuple[Kind, str]]:
    """The texts of a record that say of whom it is: of a name also its parts, which answers use alone."""
    for (_, path), value in context_values(record["context"]).items():
        kind = kind_of(path, value)
        if kind in (Kind.PERSON, Kind.PLACE, Kind.NUMBER):
            for text in texts_of(value):
                yield from forms_of(kind, text)


def forms_of(kind: Kind, text: str) -> Iterator[tuple[Kind, str]]:
    """A text as it may stand in others."""
    text = text.strip()
    if not _SHORTEST_KNOWN <= len(text) <= _LONGEST_KNOWN or text.casefold() in _COMMON:
        return
    yield kind, text
    if kind is not Kind.PERSON:
        return
    plain = _TITLE.sub("", text)
    for part in (plain, *re.split(r"[\s,]+", plain)):
        if len(part) >= _SHORTEST_PART and part.casefold() not in _COMMON:
            yield kind, part


def texts_of(value: Any) -> Iterator[str]:
    """All texts, and numbers as texts, in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool):
        return
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from texts_of(each)
    elif isinstance(value, Sequence):
        for each in value:
            yield from texts_of(each)


# Codes in the place of names: the same name has the same code, and without the organisation's key nobody finds the name again.


_DOMAIN = b"footnote.pseudonyms.v1\0"
_LENGTH = 12


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """The codes of one organisation."""

    key: bytes

    def code(self, kind: str, name: str) -> str:
        """``client-3f9a2c07b1d4``."""
        return f"{kind}-{self._digest(kind, name).hex()[:_LENGTH]}" if name else ""

    def identifier(self, name: str) -> str:
        """In the place of an identifier, and of its form."""
        return str(UUID(bytes=self._digest("identifier", name)[:16], version=5)) if name else ""

    def _digest(self, kind: str, name: str) -> bytes:
        return hmac.digest(self.key, f"{kind}\0{name}".encode("utf-8", "surrogatepass"), "sha256")


def pseudonyms_of(organisation_id: UUID) -> Pseudonyms:
    """The organisation's, made with the site's secret: they change with it."""
    return Pseudonyms(hmac.digest(settings.SECRET_KEY.encode(), _DOMAIN + organisation_id.bytes, "sha256"))


# Replaces what tells of whom a text is, and keeps track of where everything else is now.


REMOVED = "[removed]"

_TOKEN = re.compile(r"\w+|[^\w\s]")
_MOST_TOKENS = 200
_Words: TypeAlias = dict[str, "str | _Words"]
"""Known values by their words; under the empty word, what stands in the place of the value that ends here."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """A text after replacements. Whatever touches one is widened to all of it."""

    text: str
    befores: tuple[tuple[int, int], ...]
    afters: tuple[tuple[int, int], ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a part is now."""
        return (self._moved(start, is_end=False), self._moved(end, is_end=True)) if end > start else (self.place(start),) * 2

    def place(self, position: int) -> int:
        """Where a position is now: behind a replacement that it stood in."""
        return self._moved(position, is_end=True)

    def _moved(self, position: int, *, is_end: bool) -> int:
        number = bisect_left(self.befores, position, key=_end) if is_end else bisect_right(self.befores, position, key=_end)
        if number < len(self.befores):
            start, end = self.befores[number]
            if start < position <= end if is_end else start <= position < end:
                return self.afters[number][1] if is_end else self.afters[number][0]
        return position + (self.afters[number - 1][1] - self.befores[number - 1][1] if number else 0)


def _end(span: tuple[int, int]) -> int:
    return span[1]


class Replacer:
    """Replaces values that a record is known to hold, and what looks like an identifier.

    Known values are looked up word by word, so that a text takes the same time whatever number of them there is.
    """

    def __init__(self, known: Mapping[str, str], year: int | None = None) -> None:
        """``known`` are texts, folded, with what stands in their place; ``year`` is that of the texts."""
        self._year = year
        self._known: _Words = {}
        for text, instead in known.items():
            words = _TOKEN.findall(text)
            if any(word.isalnum() for word in words):
                _plant(self._known, words, instead)

    def replace(self, text: str) -> Replaced:
        """The text without them. Of what overlaps the longest says what stands there."""
        if not text:
            return Replaced(text, (), ())
        return _apply(text, _merged([*self._found(text), *find_shapes(text, self._year)]))

    def _found(self, text: str) -> Iterator[Replacement]:
        """The longest known value at each place, and none within it."""
        tokens = [(match.start(), match.end(), match.group().casefold()) for match in _TOKEN.finditer(text)] if self._known else []
        position = 0
        while position < len(tokens):
            count, instead = _longest(self._known, tokens, position)
            if count:
                yield tokens[position][0], tokens[position + count - 1][1], instead
            position += count or 1


def _plant(words: _Words, text: Iterable[str], instead: str) -> None:
    for word in text:
        words = words.setdefault(word.casefold(), {})  # type: ignore[assignment]
    words[""] = instead


def _longest(words: _Words, tokens: Sequence[tuple[int, int, str]], position: int) -> tuple[int, str]:
    """Of how many tokens the longest known value here is, and what stands in its place."""
    longest = (0, "")
    for count, (_, _, word) in enumerate(islice(tokens, position, position + _MOST_TOKENS), 1):
        found = words.get(word)
        if not isinstance(found, dict):
            break
        words = found
        if isinstance(instead := words.get(""), str):
            longest = (count, instead)
    return longest


def folded(text: str) -> str:
    """A text as it is looked up: in one case, its white space single."""
    return " ".join(text.casefold().split())


def _merged(found: Iterable[Replacement]) -> list[Replacement]:
    """One in the place of several that overlap, over all of them: a name in an address does not leave the rest of the address."""
    merged: list[Replacement] = []
    longest = 0
    for start, end, instead in sorted(found, key=lambda each: each[:2]):
        if merged and start < merged[-1][1]:
            is_longer = end - start > longest
            longest = max(longest, end - start)
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]), instead if is_longer else merged[-1][2])
        else:
            merged.append((start, end, instead))
            longest = end - start
    return merged


def _apply(text: str, replacements: Iterable[Replacement]) -> Replaced:
    pieces: list[str] = []
    befores: list[tuple[int, int]] = []
    afters: list[tuple[int, int]] = []
    begin = length = 0
    for start, end, instead in replacements:
        pieces += (text[begin:start], instead)
        length += start - begin
        befores.append((start, end))
        afters.append((length, length + len(instead)))
        length += len(instead)
        begin = end
    return Replaced("".join([*pieces, text[begin:]]), tuple(befores), tuple(afters))
