"""The triggers of assertion, read from ``lexicon/assertion.json`` and compiled once into one look-up per language."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from pkgutil import get_data
from typing import Any, NamedTuple

from attribution.assertion.clauses import HARD, Clauses

_NAMING = frozenset({"Never", "Without", "Nothing", "Beyond"})
"""Words that open a name at the start of a sentence where two words with capitals follow."""
_START = "^ "
"""Begins a phrase that is one at the start of a clause only."""
_END = "."
"""Stands for any end of a clause, as the last word of a phrase."""
_ANY = "*"
"""Stands for any one word."""
_PLURAL = "*s"
"""Stands for any plural."""


class AssertionKind(StrEnum):
    """How a sentence means a mention, after NegEx, ConText and the assertion classes of i2b2 2010."""

    AFFIRMED = "affirmed"
    NEGATED = "negated"
    POSSIBLE = "possible"
    HYPOTHETICAL = "hypothetical"
    HISTORICAL = "historical"
    ASKED = "asked"
    OTHER_SUBJECT = "other_subject"
    CORRECTED = "corrected"
    QUOTED = "quoted"


class Trigger(NamedTuple):
    """An entry of the lexicon: how what stands before or behind its words is meant.

    ``needs`` are words of which one has to be in the scope, ``ends`` words that end this trigger's scope beside the usual ones,
    ``reach`` the words that the scope has at most. With ``lists`` the scope goes on behind a colon;
    ``figures`` makes a correction one of figures only; ``plural_subject`` asks for a bare plural before it: "plans often come with".
    """

    kind: str
    assertion: str
    before: bool
    after: bool
    needs: frozenset[str]
    ends: frozenset[str]
    reach: int
    lists: bool
    figures: bool
    plural_subject: bool


class Found(NamedTuple):
    """A trigger in a text: the tokens from ``place`` up to ``end``."""

    place: int
    end: int
    trigger: Trigger


class Node:
    """A word of the trie of triggers: which words can follow, and which trigger ends here, anywhere or at a clause's start only."""

    __slots__ = ("at_clause_start", "follows", "has_start", "is_open", "trigger")

    def __init__(self) -> None:
        self.follows: dict[str, Node] = {}
        self.trigger: Trigger | None = None
        self.at_clause_start: Trigger | None = None
        self.has_start = False
        """True for a first word if phrases begin with it that count at a clause's start only."""
        self.is_open = False
        """True if a trigger may end here or a pattern's word may follow: the next word alone then does not tell."""


class Grammar(NamedTuple):
    """The words of a language: the tries of its triggers and of its terminators, and the closed classes of words that bound a scope.

    ``roots`` are the first words of both tries, each with its node in the terminators and its node in the triggers.
    """

    roots: Mapping[str, tuple[Node | None, Node | None]]
    triggers: Mapping[str, Node]
    openers: frozenset[str]
    verbs: frozenset[str]
    joiners: frozenset[str]
    question_words: frozenset[str]
    figure_bounds: frozenset[str]
    supposing: frozenset[str]
    polite: frozenset[str]
    speech: frozenset[str]
    addressed: frozenset[str]
    fillers: frozenset[str]
    definite: frozenset[str]
    copulas: frozenset[str]
    determiners: frozenset[str]
    number_words: frozenset[str]

    def match(self, root: Node, clauses: Clauses, place: int) -> Found | None:
        """Return the longest entry of a trie that begins with ``root`` at token ``place``."""
        is_start = root.has_start and self._is_clause_start(clauses, place)
        found = _longest(root, clauses.words, place + 1, is_start=is_start)
        return Found(place, *found) if found else None

    def _is_clause_start(self, clauses: Clauses, place: int) -> bool:
        if clauses.begins_clause(place):
            return True
        before = clauses.words[place - 1]
        return before in {",", "but"} or before in self.joiners


def _longest(node: Node, words: Sequence[str], place: int, *, is_start: bool) -> tuple[int, Trigger] | None:
    """Return the end and the trigger of the longest way on from ``node``, at most a handful of words deep."""
    follows = node.follows
    if follows:
        word = words[place] if place < len(words) else "\n"
        behind = follows.get(word)
        found = _longest(behind, words, place + 1, is_start=is_start) if behind else None
        if found is None and _PLURAL in follows and word[-1] == "s" and len(word) > 3:
            found = _longest(follows[_PLURAL], words, place + 1, is_start=is_start)
        if found is None and _ANY in follows and word[0].isalpha():
            found = _longest(follows[_ANY], words, place + 1, is_start=is_start)
        if found is None and _END in follows and (word in HARD or word == ","):
            trigger = follows[_END].trigger
            found = (place, trigger) if trigger else None
        if found is not None:
            return found
    trigger = (node.at_clause_start if is_start else None) or node.trigger
    return (place, trigger) if trigger else None


def find_triggers(clauses: Clauses, grammar: Grammar) -> tuple[list[Found], dict[int, Trigger]]:
    """Return the triggers of a text in order, and its terminators by their last token: one walk over the words."""
    found: list[Found] = []
    stops: dict[int, Trigger] = {}
    words, free, roots = clauses.words, 0, grammar.roots
    for place in [place for place, word in enumerate(words) if word in roots]:
        ending, opening = roots[words[place]]
        behind = words[place + 1] if place + 1 < len(words) else "\n"
        if ending is not None and (ending.is_open or behind in ending.follows):
            stop = grammar.match(ending, clauses, place)
            if stop is not None:
                stops[stop.end - 1] = stop.trigger
        if opening is not None and place >= free and (opening.is_open or behind in opening.follows):
            each = grammar.match(opening, clauses, place)
            if each is not None and (each.trigger.assertion == "corrected" or not _is_in_name(clauses, place)):
                found.append(each)
                free = max(each.end, place + 1)
    return found, stops


def _is_in_name(clauses: Clauses, place: int) -> bool:
    """True for a word with a capital inside a sentence: part of a name such as "the Never Alone Circle"."""
    start, end = clauses.starts[place], clauses.ends[place]
    if place and clauses.starts[place - 1] == start:
        return clauses.words[place] == "not" and _is_in_name(clauses, place - 1)
    word = clauses.text[start:end]
    if len(word) < 2 or not word[0].isupper() or not word[1:].islower():
        return False
    if clauses.begins_clause(place):
        return word in _NAMING and _has_capital(clauses, place + 1) and _has_capital(clauses, place + 2)
    return clauses.words[place - 1] != ","


def _has_capital(clauses: Clauses, place: int) -> bool:
    return place < len(clauses.words) and clauses.text[clauses.starts[place]].isupper()


@cache
def entries() -> Mapping[str, Any]:
    """Return the lexicon as it is in its file."""
    loaded: Mapping[str, Any] = json.loads(get_data("attribution", "lexicon/assertion.json") or b"{}")
    return loaded


@cache
def grammar(language: str) -> Grammar | None:
    """Return what ``language`` ("en", "es") brings, or None for a language that is read without grammar."""
    lexicon = entries()
    if language not in lexicon["words"]:
        return None
    triggers: dict[str, Node] = {}
    terminators: dict[str, Node] = {}
    for entry in lexicon["triggers"]:
        if entry["language"] == language:
            _plant(terminators if entry["kind"] == "terminator" else triggers, entry, lexicon["reach"])
    words = {name: frozenset(text.split()) for name, text in lexicon["words"][language].items()}
    roots = {word: (terminators.get(word), triggers.get(word)) for word in {**terminators, **triggers}}
    return Grammar(roots, triggers, **words)


def _trigger_of(entry: Mapping[str, Any], reach: Mapping[str, int]) -> Trigger:
    return Trigger(
        kind=entry["kind"],
        assertion=entry["class"],
        before=entry["direction"] in {"before", "both"},
        after=entry["direction"] in {"after", "both"},
        needs=frozenset(entry.get("needs", "").split()),
        ends=frozenset(entry.get("ends", "").split()),
        reach=entry.get("reach", reach.get(entry["class"], 0)),
        lists=entry.get("lists", False),
        figures=entry.get("figures", False),
        plural_subject=entry.get("plural_subject", False),
    )


def _plant(roots: dict[str, Node], entry: Mapping[str, Any], reach: Mapping[str, int]) -> None:
    """Add all phrases of an entry: "a|b" is one word or the other, "a_b" two words of one choice, and "_" no word at all."""
    trigger = _trigger_of(entry, reach)
    phrase = entry["phrase"]
    root = Node()
    root.follows = roots
    ends = [root]
    for part in phrase.removeprefix(_START).split():
        choices = part.split("|") if len(part) > 1 else [part]
        ends = [_walk(node, words) for words in map(_words_of, choices) for node in ends]
    for node in ends:
        node.is_open = True
        if phrase.startswith(_START):
            node.at_clause_start = trigger
            _mark_starts(roots, phrase)
        else:
            node.trigger = trigger


def _mark_starts(roots: Mapping[str, Node], phrase: str) -> None:
    for choice in phrase.removeprefix(_START).split()[0].split("|"):
        roots[_words_of(choice)[0]].has_start = True


def _walk(node: Node, words: Sequence[str]) -> Node:
    for word in words:
        node.is_open = node.is_open or word in {_END, _ANY, _PLURAL}
        node = node.follows.setdefault(word, Node())
    return node


@cache
def _words_of(choice: str) -> tuple[str, ...]:
    """Return the tokens of a choice; marks, "*s" and "." are tokens of their own."""
    parts = [part for part in choice.split("_") if part]
    return tuple(word for part in parts for word in (Clauses(part).words if part[0].isalnum() and len(part) > 1 else [part]))
