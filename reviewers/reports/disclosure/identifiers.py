"""Find the values that identify a person, and replace them in texts.

Fields identify by their type and by the words of their names. Names become codes: equal names have equal codes, and without the
organisation's key nobody can find the name again.
"""

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

_DOMAIN = b"footnote.pseudonyms.v1\0"
_LENGTH = 12
REMOVED = "[removed]"
_TOKEN = re.compile(r"\w+|[^\w\s]")
_MOST_TOKENS = 200
_MOST_STEPS = 20
"""Comparisons with known values for each token of a text. Ordinary texts need one or two; one can be made to need hundreds."""


class IdentifierKind(StrEnum):
    """The kind of identifier that a field holds."""

    PERSON = "person"
    PLACE = "place"
    DATE = "date"
    AGE = "age"
    NUMBER = "number"


_READ: Mapping[str, list[str]] = json.loads(Path(__file__).with_name("identifying.json").read_bytes())
_WORDS: Mapping[IdentifierKind, frozenset[str]] = {kind: frozenset(_READ[kind]) for kind in IdentifierKind}
_NOT = frozenset(_READ["not"])
"""A field with one of these words in its name describes the thing and does not identify it."""

_COMMON = frozenset(_READ["common"])
"""Words that are not removed on their own, even if a name or a field for names contains them."""

_SPLIT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_TITLE = re.compile(r"(?:(?:dr|mr|mrs|ms|miss|prof)\.?\s+)+", re.IGNORECASE)
_SHORTEST_PART = 3
_SHORTEST_KNOWN = 2
_LONGEST_KNOWN = 200
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_TITLED = re.compile(r"(?:Dr|Mr|Mrs|Ms|Miss|Prof)\.? [A-Z]\S{0,40}(?: \S{1,40}){0,4}")


def kind_of(path: str, value: Any) -> IdentifierKind | None:
    """Return the kind of identifier that a field holds, or None."""
    named = _kind_by_name(path)
    if named is None and isinstance(value, str):
        if _ISO.match(value):
            return IdentifierKind.DATE
        if _TITLED.fullmatch(value):
            return IdentifierKind.PERSON
    return named


def _kind_by_name(path: str) -> IdentifierKind | None:
    for key in reversed(path.split(".")):
        words = {word.lower() for word in _SPLIT.findall(key)}
        if words & _NOT:
            return None
        kind = next((kind for kind, names in _WORDS.items() if words & names), None)
        if kind or words:
            return kind or _kind_above(path)
    return None


def _kind_above(path: str) -> IdentifierKind | None:
    """Return the kind of an address or a contact above the field, which everything in it belongs to."""
    above = {word.lower() for key in path.split(".")[:-1] for word in _SPLIT.findall(key)}
    return next((kind for kind in (IdentifierKind.PLACE, IdentifierKind.PERSON) if above & _WORDS[kind]), None)


def known_of(record: Mapping[str, Any]) -> Iterator[tuple[IdentifierKind, str]]:
    """Yield the identifying texts of a snapshot's record; for names also their parts, which answers use alone."""
    for (_, path), value in context_values(record["context"]).items():
        kind = kind_of(path, value)
        if kind in (IdentifierKind.PERSON, IdentifierKind.PLACE, IdentifierKind.NUMBER):
            for text in texts_of(value):
                yield from forms_of(kind, text)


def forms_of(kind: IdentifierKind, text: str) -> Iterator[tuple[IdentifierKind, str]]:
    """Yield the forms in which an identifying text may occur in other texts."""
    text = text.strip()
    if not _SHORTEST_KNOWN <= len(text) <= _LONGEST_KNOWN or text.casefold() in _COMMON:
        return
    yield kind, text
    if kind is not IdentifierKind.PERSON:
        return
    plain = _TITLE.sub("", text)
    for part in (plain, *re.split(r"[\s,]+", plain)):
        if len(part) >= _SHORTEST_PART and part.casefold() not in _COMMON:
            yield kind, part


def texts_of(value: Any) -> Iterator[str]:
    """Yield all texts of a value, and its numbers as texts."""
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


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """The codes that replace the names of one organisation."""

    key: bytes

    def code(self, kind: str, name: str) -> str:
        """Return the code of a name, such as ``client-3f9a2c07b1d4``."""
        return f"{kind}-{self._digest(kind, name).hex()[:_LENGTH]}" if name else ""

    def identifier(self, name: str) -> str:
        """Return the code of an identifier: another UUID."""
        return str(UUID(bytes=self._digest("identifier", name)[:16], version=5)) if name else ""

    def _digest(self, kind: str, name: str) -> bytes:
        return hmac.digest(self.key, f"{kind}\0{name}".encode("utf-8", "surrogatepass"), "sha256")


def pseudonyms_of(organisation_id: UUID) -> Pseudonyms:
    """Return the organisation's pseudonyms. Their key is derived from the site's secret and changes with it."""
    return Pseudonyms(hmac.digest(settings.SECRET_KEY.encode(), _DOMAIN + organisation_id.bytes, "sha256"))


_Words: TypeAlias = dict[str, "str | _Words"]
"""Known values as a tree of their words; the empty word leads to the replacement of the value that ends here."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """A text after replacements, and where each replacement was and is. Spans that touch a replacement are widened to all of it."""

    text: str
    befores: tuple[tuple[int, int], ...]
    afters: tuple[tuple[int, int], ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the new span of a part of the former text."""
        return (self._moved(start, is_end=False), self._moved(end, is_end=True)) if end > start else (self.place(start),) * 2

    def place(self, position: int) -> int:
        """Return the new position of a former one; a position inside a replacement moves to its end."""
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
    """Replaces known values of a record, and whatever looks like an identifier.

    Known values are looked up word by word, so that their number does not change the time a text takes.
    """

    def __init__(self, known: Mapping[str, str], year: int | None = None) -> None:
        """Take the replacements of known texts, which are folded, and the year of the texts."""
        self._year = year
        self._known: _Words = {}
        for text, instead in known.items():
            words = _TOKEN.findall(text)
            if any(word.isalnum() for word in words):
                _plant(self._known, words, instead)

    def replace(self, text: str) -> Replaced:
        """Return the text without identifiers. Where several overlap, the longest one chooses the replacement."""
        if not text:
            return Replaced(text, (), ())
        return _apply(text, _merged([*self._found(text), *find_shapes(text, self._year)]))

    def _found(self, text: str) -> Iterator[Replacement]:
        """Yield the longest known value at each place, and none within it. The end of a text that takes too long to compare is removed."""
        tokens = [(match.start(), match.end(), match.group().casefold()) for match in _TOKEN.finditer(text)] if self._known else []
        position, steps = 0, _MOST_TOKENS + _MOST_STEPS * len(tokens)
        while position < len(tokens):
            count, instead, taken = _longest(self._known, tokens, position)
            steps -= taken
            if steps < 0:
                yield tokens[position][0], len(text), REMOVED
                return
            if count:
                yield tokens[position][0], tokens[position + count - 1][1], instead
            position += count or 1


def _plant(words: _Words, text: Iterable[str], instead: str) -> None:
    for word in text:
        words = words.setdefault(word.casefold(), {})  # type: ignore[assignment]
    words[""] = instead


def _longest(words: _Words, tokens: Sequence[tuple[int, int, str]], position: int) -> tuple[int, str, int]:
    """Return the number of tokens of the longest known value at a position, its replacement, and the number of tokens compared."""
    longest, count = (0, ""), 0
    for count, (_, _, word) in enumerate(islice(tokens, position, position + _MOST_TOKENS), 1):
        found = words.get(word)
        if not isinstance(found, dict):
            break
        words = found
        if isinstance(instead := words.get(""), str):
            longest = (count, instead)
    return *longest, count


def folded(text: str) -> str:
    """Return a text in the form in which it is looked up: case-folded, with single spaces."""
    return " ".join(text.casefold().split())


def _merged(found: Iterable[Replacement]) -> list[Replacement]:
    """Merge overlapping replacements into one over all of them, so that a name in an address does not leave the rest of the address."""
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
