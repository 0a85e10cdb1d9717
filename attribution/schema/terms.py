"""The lexicon made ready for one pass over an answer: every phrase in one trie of stems, and the names of fields that it knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from attribution.lexicon import Label, Lexicon, Value, load_lexicon
from attribution.model import Word, new
from attribution.remembering import remembered
from attribution.text import stem, stems, words, words_of

Stems = tuple[str, ...]


class TermKind(Word):
    """The kinds of phrases in the lexicon."""

    LABEL = "label"
    VALUE = "value"
    YES = "yes"
    NO = "no"
    SYNONYM = "synonym"
    RELATIVE = "relative"


_YES_NO = frozenset({TermKind.YES, TermKind.NO})
_SAID = _YES_NO | {TermKind.VALUE}


class Term(NamedTuple):
    """A phrase's meaning: its kind, the number of its entry, and for a value its step in the entry."""

    kind: TermKind
    entry: int
    step: int = 0


class ValueClass(NamedTuple):
    """Values that exclude each other, or are kinds of one thing; ``is_ordered``: each step is more than the one before.

    ``kin`` are the pairs of a step and a wider one that it is within.
    """

    name: str
    names: frozenset[str]
    values: tuple[str, ...]
    is_ordered: bool
    is_exclusive: bool
    kin: frozenset[tuple[int, int]]


class Meaning:
    """All that a phrase means, by kind.

    ``items`` are its labels and, below zero, its groups of synonyms, as ``Item`` counts them; ``values`` are the numbers of classes,
    as text, with its step in each; ``answers`` are the numbers of wordings of yes and no, each with whether it is a yes.
    ``is_relative``: it holds the word of a value and means another thing.
    """

    __slots__ = ("answers", "is_label", "is_relative", "items", "synonyms", "values")

    def __init__(self, terms: Sequence[Term]) -> None:
        labels = {entry for kind, entry, _ in terms if kind is TermKind.LABEL}
        self.synonyms = tuple([entry for kind, entry, _ in terms if kind is TermKind.SYNONYM])
        self.is_label = bool(labels)
        self.is_relative = any(kind is TermKind.RELATIVE for kind, *_ in terms)
        self.items = (*labels, *[-1 - group for group in self.synonyms])
        self.values = tuple([(str(entry), step) for kind, entry, step in terms if kind is TermKind.VALUE])
        self.answers = tuple([(entry, kind is TermKind.YES) for kind, entry, _ in terms if kind in _YES_NO])


class Hit(NamedTuple):
    """A phrase of the lexicon in an answer: its words, from ``first`` up to ``last``, exclusive."""

    first: int
    last: int
    meaning: Meaning


class Node:
    """A word of the trie of phrases: what the phrase that ends here means, and which words can follow."""

    __slots__ = ("follows", "meaning", "terms")

    def __init__(self) -> None:
        self.follows: dict[str, Node] = {}
        self.terms: list[Term] = []
        self.meaning: Meaning | None = None

    def read(self) -> Meaning:
        """Return what the phrase means; few phrases of the lexicon are ever met, so this is made when one is."""
        self.meaning = Meaning(self.terms)
        return self.meaning

    def limited_to(self, kinds: frozenset[TermKind]) -> Meaning | None:
        """Return what the phrase means by terms of some kinds, if it has any."""
        terms = [term for term in self.terms if term.kind in kinds]
        return Meaning(terms) if terms else None


Way = tuple[Node | None, int, frozenset[TermKind] | None]
"""How a phrase may go on: from which word of the trie, at which place, and the kinds of terms that it may be, if not any."""


def _past(node: Node, place: int, stem_words: Sequence[str], kinds: frozenset[TermKind] | None) -> Iterator[Way]:
    """Return how a phrase goes on behind words that it may have between its own, and behind the object of a verb: "turned it down"."""
    behind = stem_words[place + 1 : place + 2 + _LONGEST_OBJECT]
    is_article = stem_words[place] in _ARTICLES
    passed = _YES_NO if is_article or kinds is _YES_NO else _SAID
    if stem_words[place] not in _PASSED:
        pass
    elif behind and behind[0] in node.follows:
        yield node.follows[behind[0]], place + 2, passed
    elif len(behind) > 1 and behind[0] in _PASSED and behind[1] in node.follows:
        yield node.follows[behind[1]], place + 3, passed
    if is_article and not _PARTICLES.isdisjoint(node.follows):
        particle = next((each for each in range(1, len(behind)) if behind[each] in _PARTICLES), 0)
        if particle and behind[particle] in node.follows:
            yield node.follows[behind[particle]], place + particle + 2, _SAID


class Terms:
    """All phrases with what they mean, and the entries by the names of fields; ``prices`` are the labels of amounts of money."""

    def __init__(self) -> None:
        self.classes: list[ValueClass] = []
        self.root = Node()
        self.labels: dict[Stems, int] = {}
        self.prices: set[int] = set()
        self.yes_no: dict[Stems, int] = {}
        self.yes_no_in_any_order: dict[frozenset[str], int | None] = {}
        self.values: dict[Stems, list[tuple[int, int]]] = {}
        self.synonyms: dict[Stems, list[int]] = {}
        self.counts = dict.fromkeys(TermKind, 0)

    def add(self, phrase: str, term: Term) -> Stems:
        """Put a phrase into the trie."""
        stems = stems_of(phrase)
        if not stems:
            return stems
        node = self.root
        for each in stems:
            node = node.follows.setdefault(each, Node())
        if term not in node.terms:
            node.terms.append(term)
        return stems

    def next_entry(self, kind: TermKind) -> int:
        """The number of the next entry of a kind."""
        self.counts[kind] += 1
        return self.counts[kind] - 1

    def find(self, stem_words: Sequence[str], sentence: Sequence[int]) -> list[Hit]:
        """All phrases that begin at each word, the longer ones as well as the shorter; a phrase does not go on in another sentence."""
        found: list[Hit] = []
        roots, end = self.root.follows, len(stem_words)
        for first in [place for place, word in enumerate(stem_words) if word in roots]:
            ways: list[Way] = [(roots[stem_words[first]], first + 1, None)]
            for way in ways:
                node, place, kinds = way
                while node is not None and sentence[place - 1] == sentence[first]:
                    if node.terms and (meaning := node.limited_to(kinds) if kinds else node.meaning or node.read()):
                        found.append(new(Hit, (first, place, meaning)))
                    if not node.follows or place >= end:
                        break
                    word = stem_words[place]
                    if word in _LEADING and len(ways) <= _MOST_WAYS:
                        ways += _past(node, place, stem_words, kinds)
                    node = node.follows.get(word)
                    place += 1
        return found


_ARTICLES = words("a an the this that their it them you him has")
_ADVERBS = stems("""
    already also actively actually currently completely definitely entirely finally formally fully indeed just now officially permanently
    presently really recently since still successfully temporarily today totally
""")
_PASSED = _ADVERBS | _ARTICLES - {"a", "an"}
"""Words that may stand between the words of a phrase: "is currently full", "closed the books"; "takes a new turn" is no "takes new"."""
_LEADING = _PASSED | _ARTICLES
_PARTICLES = stems("down off out up back through over")
_LONGEST_OBJECT, _MOST_WAYS = 3, 3


_LINKS = words("is has have of to the a an on in for at with any flag indicator yn current")


def telling(stems: Stems) -> frozenset[str]:
    """Return the words of a name of yes or no that say what it is about, in no order: ``means_access`` is ``access_to_means``."""
    return frozenset(stems) - _LINKS


@remembered
def stems_of(phrase: str) -> Stems:
    """The stems of a phrase's words."""
    words = words_of(phrase)
    roots = [root_of(word) for word in words]
    for place, word in enumerate(words):
        if word in _CONTRACTED:
            _contract(word, place, words, roots)
    return tuple(roots)


_NOT = {
    "isn": "is",
    "aren": "is",
    "doesn": "do",
    "don": "do",
    "hasn": "has",
    "haven": "has",
    "didn": "did",
    "wasn": "was",
    "weren": "was",
    "won": "will.",
    "can": "can",
    "couldn": "could",
    "wouldn": "would",
}
"""The roots of words before the "t" of a contraction."""
_WHO, _YOU, _AFTER_YOU = words("he she it that there who what"), words("you we they i"), {"re": "is", "ve": "has"}
_CONTRACTED = words("s t re ve")
_APART = {
    "rating": "rating",
    "ratings": "rating",
    "rated": "rating",
    "housed": "housed",
    "will": "will.",
    "even": "even.",
    "maine": "maine.",
    "are": "is",
    "were": "was",
    "have": "has",
    "does": "do",
    "her": "their",
    "his": "their",
    "its": "their",
    "our": "their",
    "my": "their",
    "your": "their",
}
"""Words whose stem is that of another word: a rating is no rate, "will" not willing, "even" no evening, Maine not the main one.

Forms of one verb, and all words that tell whose something is, count as one.
"""


def root_of(word: str) -> str:
    """The stem of a word, but of a few that would be taken for another."""
    return _APART.get(word) or stem(word)


def roots_of(words: Sequence[str], stems: Sequence[str], places: Mapping[str, Sequence[int]]) -> Sequence[str]:
    """The stems of an answer's words, these few apart; ``places`` are those of each word."""
    roots = list(stems)
    for word in _APART.keys() & places.keys():
        for place in places[word]:
            roots[place] = _APART[word]
    for word in [each for each in _CONTRACTED if each in places]:
        for place in places[word]:
            _contract(word, place, words, roots)
    return roots


def _contract(word: str, place: int, words: Sequence[str], roots: list[str]) -> None:
    """Read the rest of a contraction as the word that it stands for: "isn't" is "is not", "she's" is "she is"."""
    before = words[place - 1] if place else ""
    if word == "t" and before in _NOT:
        roots[place - 1 : place + 1] = [_NOT[before], "not"]
    elif word == "s" and before in _WHO:
        roots[place] = "is"
    elif word in _AFTER_YOU and before in _YOU:
        roots[place] = _AFTER_YOU[word]


@cache
def shipped_terms() -> Terms:
    """The lexicon that is shipped."""
    return read_terms(load_lexicon())


def read_terms(lexicon: Lexicon) -> Terms:
    """The phrases of a lexicon's entries."""
    terms = Terms()
    for scale in lexicon.scales:
        _add_class(terms, scale.name, scale.fields, scale.steps, is_ordered=True, is_exclusive=True)
    for each in lexicon.classes:
        _add_class(terms, each.name, each.fields, each.values, is_ordered=False, is_exclusive=each.exclusive)
    for pair in lexicon.antonyms:
        ends = (Value(pair.one[0], pair.one[1:]), Value(pair.other[0], pair.other[1:]))
        _add_class(terms, pair.name, (pair.name,), ends, is_ordered=False, is_exclusive=True)
    for label in lexicon.labels:
        _add_label(terms, label)
    _add_sayings(terms, lexicon)
    return terms


def _add_sayings(terms: Terms, lexicon: Lexicon) -> None:
    """Add the phrases that are neither values nor names: wordings of yes and no, synonyms, and phrases that mean another thing."""
    for asked in lexicon.yes_no:
        entry = terms.next_entry(TermKind.YES)
        for name in asked.fields:
            stems = stems_of(name)
            terms.yes_no.setdefault(stems, entry)
            if len(content := telling(stems)) > 1:
                is_shared = terms.yes_no_in_any_order.setdefault(content, entry) != entry
                terms.yes_no_in_any_order[content] = None if is_shared else entry
        for kind, phrases in ((TermKind.YES, asked.yes), (TermKind.NO, asked.no)):
            for phrase in phrases:
                terms.add(phrase, Term(kind, entry))
    for synonym in lexicon.synonyms:
        entry = terms.next_entry(TermKind.SYNONYM)
        for word in synonym.words:
            terms.synonyms.setdefault(terms.add(word, Term(TermKind.SYNONYM, entry)), []).append(entry)
    for relative in lexicon.relatives:
        entry = terms.next_entry(TermKind.RELATIVE)
        for phrase in relative.others:
            terms.add(phrase, Term(TermKind.RELATIVE, entry))


def _add_class(terms: Terms, name: str, fields: Iterable[str], values: Sequence[Value], *, is_ordered: bool, is_exclusive: bool) -> None:
    number = len(terms.classes)
    names = frozenset(word for field in fields for word in stems_of(field))
    whole = tuple(each.value for each in values)
    kin = frozenset([(step, whole.index(wider)) for step, each in enumerate(values) for wider in each.within])
    terms.classes.append(ValueClass(name, names, whole, is_ordered, is_exclusive, kin))
    for step, each in enumerate(values):
        for phrase in (each.value, *each.phrases):
            stems = terms.add(phrase, Term(TermKind.VALUE, number, step))
            known = terms.values.setdefault(stems, [])
            if (number, step) not in known:
                known.append((number, step))


def _add_label(terms: Terms, label: Label) -> None:
    entry = terms.next_entry(TermKind.LABEL)
    if label.kind == "money":
        terms.prices.add(entry)
    for name in label.fields:
        terms.labels.setdefault(stems_of(name), entry)
        terms.add(name, Term(TermKind.LABEL, entry))
    for phrase in label.phrases:
        terms.add(phrase, Term(TermKind.LABEL, entry))


def covers(stems: Stems, table: Mapping[Stems, int], longest: int = 5) -> Iterator[tuple[Stems, int | None]]:
    """The longest parts of a name that a table knows, in turn, with their entries; a word that it does not know has none."""
    start = 0
    while start < len(stems):
        sizes = range(min(longest, len(stems) - start), 0, -1)
        size = next((each for each in sizes if stems[start : start + each] in table), 0)
        part = stems[start : start + (size or 1)]
        yield part, table[part] if size else None
        start += size or 1
