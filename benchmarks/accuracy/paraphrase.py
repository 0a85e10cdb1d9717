"""Every key of a context replaced by what another engineer might have named it, to see how much names carry.

The sections keep their names, which belong to the registry. Labels follow their fields. A key that would be called like another of
its object keeps its own name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.accuracy.folder import Turn

COLUMNS = ("first", "second", "third")
_DICTIONARY = Path(__file__).with_name("paraphrases.txt")
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")

Words = tuple[str, ...]


class DictionaryError(ValueError):
    """A line of the dictionary that cannot be used, named."""


@cache
def read_dictionary() -> tuple[Mapping[Words, str], ...]:
    """For each column, the phrases and what replaces them."""
    entries = dict(_entries(_DICTIONARY.read_text(encoding="utf-8").splitlines()))
    return tuple({phrase: columns[number] for phrase, columns in entries.items()} for number in range(len(COLUMNS)))


def _entries(lines: Iterable[str]) -> Iterator[tuple[Words, list[str]]]:
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.startswith("#"):
            phrase, _, paraphrases = line.partition("=")
            columns = [each.strip() for each in paraphrases.split("|")]
            if len(columns) != len(COLUMNS) or not all(columns):
                raise DictionaryError(f"line {number}: a phrase, '=' and {len(COLUMNS)} paraphrases between '|' are wanted")
            yield tuple(phrase.split()), columns


def paraphrase_key(key: str, dictionary: Mapping[Words, str]) -> str:
    """A key with each phrase that the dictionary has replaced, the longest first; the key itself where there is none."""
    words = [word.lower() for word in _WORD.findall(key)]
    replaced, place = [], 0
    while place < len(words):
        length = next((n for n in range(len(words) - place, 0, -1) if tuple(words[place : place + n]) in dictionary), 0)
        replaced.append(dictionary[tuple(words[place : place + length])] if length else words[place])
        place += length or 1
    return "_".join(replaced) if replaced != words else key


def paraphrase_turn(turn: Turn, dictionary: Mapping[Words, str]) -> Turn:
    """The turn with its keys renamed, and its labels along with them."""
    paths: dict[tuple[str, str], str] = {}
    context = {section: _Renaming(section, dictionary, paths).renamed(content, "", "") for section, content in turn["context"].items()}
    labels = [label | {"path": paths.get((label["section"], label["path"]), label["path"])} for label in turn.get("gold") or ()]
    return {**turn, "context": context, "gold": labels}


@dataclass(frozen=True, slots=True)
class _Renaming:
    """Renames the keys of one section; ``paths`` is told the new path of each place that is passed."""

    section: str
    dictionary: Mapping[Words, str]
    paths: dict[tuple[str, str], str]

    def renamed(self, content: Any, old: str, new: str) -> Any:
        """The content that stood at the path ``old`` and will stand at ``new``."""
        self.paths[self.section, old] = new
        if isinstance(content, list):
            return [self.renamed(each, _below(old, str(number)), _below(new, str(number))) for number, each in enumerate(content)]
        if not isinstance(content, Mapping):
            return content
        names = _new_names(content, self.dictionary)
        return {names[key]: self.renamed(each, _below(old, key), _below(new, names[key])) for key, each in content.items()}


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _new_names(content: Mapping[str, Any], dictionary: Mapping[Words, str]) -> dict[str, str]:
    """The new name of each key of an object; no two are the same."""
    names: dict[str, str] = {}
    for key in content:
        name = paraphrase_key(key, dictionary)
        names[key] = key if name in content or name in names.values() else name
    return names
