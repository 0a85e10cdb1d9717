"""Checks of a schema's JSON: each adds what is wrong with its place, and returns a value that reading can go on with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from attribution.markers.grammar import LONGEST_MARKER, is_name
from attribution.text import words_of

_PREFIX = re.compile(r"[A-Z_][A-Z0-9_]{0,15}")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_LONGEST_PHRASE = 120
_MOST_TOLD = 50
_LONGEST_QUOTED = 40


class Problem(NamedTuple):
    """What is wrong with a schema, and where: ``sections.0.fields.risk_level.type``."""

    place: str
    reason: str


class Checks:
    """Collects problems, the first fifty."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def add(self, place: str, reason: str) -> None:
        """Note a problem."""
        if len(self.problems) < _MOST_TOLD:
            self.problems.append(Problem(place, reason))

    def has(self, place: str) -> bool:
        """Return True if anything is wrong at a place."""
        return any(each.place == place for each in self.problems)

    def object(self, value: Any, place: str, required: Sequence[str] = (), optional: Sequence[str] = ()) -> Mapping[str, Any]:
        """An object with these keys and no others."""
        if not isinstance(value, Mapping):
            self.add(place, f"must be an object, not {_kind(value)}")
            return {}
        for key in required:
            if key not in value:
                self.add(f"{place}.{key}".lstrip("."), "is missing")
        for key in value:
            if key not in required and key not in optional:
                allowed = ", ".join((*required, *optional))
                self.add(f"{place}.{quoted(str(key))}".lstrip("."), f"is not known here; known are {allowed}")
        return value

    def mapping(self, value: Any, place: str, most: int) -> Mapping[str, Any]:
        """An object whose keys are free."""
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.add(place, f"must be an object, not {_kind(value)}")
            return {}
        if len(value) > most:
            self.add(place, f"has {len(value):,} entries; {most:,} are the most")
            return {}
        return value

    def list(self, value: Any, place: str, most: int) -> Sequence[Any]:
        """A list."""
        if value is None:
            return []
        if not isinstance(value, list):
            self.add(place, f"must be a list, not {_kind(value)}")
            return []
        if len(value) > most:
            self.add(place, f"has {len(value):,} entries; {most:,} are the most")
        return value[:most]

    def text(self, value: Any, place: str, longest: int = _LONGEST_PHRASE) -> str:
        """A text that is not empty and has no control characters."""
        if value is None:
            return ""  # it is missing, which is told already
        if not isinstance(value, str):
            self.add(place, f"must be text, not {_kind(value)}")
            return ""
        if not value.strip() or value != value.strip():
            self.add(place, "must not be empty, or have spaces around it")
        elif len(value) > longest:
            self.add(place, f"has {len(value):,} characters; {longest} are the most")
        elif _CONTROLS.search(value):
            self.add(place, "has a line break or another character that is no text")
        return value

    def phrase(self, value: Any, place: str) -> str:
        """A text with a word in it, which an answer can say."""
        before = len(self.problems)
        text = self.text(value, place)
        if text and len(self.problems) == before and not words_of(text):
            self.add(place, f"“{quoted(text)}” has no word in it")
        return text

    def phrases(self, value: Any, place: str, most: int) -> tuple[str, ...]:
        """A list of such texts."""
        return tuple([self.phrase(each, f"{place}.{number}") for number, each in enumerate(self.list(value, place, most))])

    def prefix(self, value: Any, place: str) -> str:
        """The prefix of a section's markers, in upper case."""
        text = self.text(value, place).upper()
        if text and not _PREFIX.fullmatch(text):
            self.add(place, f"“{quoted(text)}” is no prefix: up to 16 ASCII letters, digits and underscores, a letter first")
        return text

    def field_name(self, name: str, place: str) -> None:
        """The last name of a field, which a marker can cite."""
        if "." in name:
            self.add(place, "has a dot; write the last name only, it holds wherever the field stands")
        elif len(name) > LONGEST_MARKER - len("[[]]") - 17:
            self.add(place, f"has {len(name)} characters; {LONGEST_MARKER - len('[[]]') - 17} are the most that a marker takes")
        elif not is_name(name):
            self.add(place, "is no name that a marker can cite: letters of any script, digits, underscores and hyphens")

    def choice(self, value: Any, place: str, known: Sequence[str]) -> str:
        """One of some words."""
        if not isinstance(value, str) or value not in known:
            shown = f"“{quoted(value)}”" if isinstance(value, str) else _kind(value)
            self.add(place, f"{shown} is none of {', '.join(filter(None, known))}")
            return ""
        return value

    def flag(self, value: Any, place: str) -> bool:
        """True or false."""
        if not isinstance(value, bool):
            self.add(place, f"must be true or false, not {_kind(value)}")
        return value is True

    def share(self, value: Any, place: str) -> float | None:
        """A number from 0 to 1, or nothing."""
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            self.add(place, "must be a number from 0 to 1")
            return None
        return round(float(value), 4)

    def distinct(self, values: Sequence[str], place: str, what: str) -> None:
        """Values of which none stands twice."""
        for value, count in Counter(values).items():
            if count > 1 and value:
                self.add(place, f"{what} {quoted(value)} stands {count} times")


def quoted(text: str) -> str:
    """Return the beginning of a long text, as far as a problem names it."""
    return text if len(text) <= _LONGEST_QUOTED else text[:_LONGEST_QUOTED] + "…"


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return next((words for kind, words in names.items() if isinstance(value, kind)), "a number")
