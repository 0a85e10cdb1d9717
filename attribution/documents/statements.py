"""Sentences as opposites are told from them: words, what of them is denied, directions, figures and shares, outcomes, likeness."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pkgutil import get_data
from typing import Any, NamedTuple

from attribution.assertion import AssertionKind, Assertions
from attribution.figures.numbers import number_in_words
from attribution.lexicon import load_lexicon
from attribution.lexicon.words import AMOUNT_WORDS, FUNCTION_WORDS, NEGATIONS, NUMBER_WORDS
from attribution.remembering import remembered
from attribution.text import stem, words

LONGEST_SENTENCE = 1_500
"""Characters of a sentence, or of a claim, that are read."""

_WORD = re.compile(r"[A-Za-z]+n't|[A-Za-z]+(?:-[A-Za-z]+)?-\d+(?![\w.,]*\d)|[A-Za-z0-9]+(?:[.,][0-9]+)*%?")
"""Letters with a number behind a hyphen are one name, whose number counts nothing: IL-2."""
_SAME_SIGNS = str.maketrans({"’": "'", "·": ".", "‐": "-", "‑": "-"})
_BREAK = re.compile(r"[,;:.()]|\s[-–—]\s")
_DENIALS = NEGATIONS | words("""
    avoid avoids avoided avoiding contraindicated forbid forbidden forbids prohibit prohibited prohibits ban banned refrain
""")
"""Words that deny, or forbid."""
_DENYING = frozenset({AssertionKind.NEGATED, AssertionKind.CORRECTED})
_NO_DENIAL = {
    **dict.fromkeys(("not", "cannot"), words("only merely just solely necessarily always restricted limited confined more less fewer")),
    "no": words("more less later longer fewer matter doubt"),
}
"""Words behind a denial with which it denies nothing of what the sentence says."""
_NEVER_OF_ALL = words("non without")
_RELATIVE = words("who whom whose which those than")
"""Words in whose clause a denial is of a part, not of the whole: "patients who do not smoke"."""
_LONGEST_ASIDE = 8

EFFECT, RELATION = "effect", "relation"
"""Kinds of directions: of an effect that is there or not, and of being connected at all."""


class Pole(NamedTuple):
    """A word of a direction: which direction, +1 or -1 for its end, turned round where it is denied, and where it stands."""

    axis: int
    sign: int
    first: int
    last: int


class Amount(NamedTuple):
    """A number, the stem of what it counts, which is the word behind it, and both as written."""

    amount: float
    unit: str
    written: str


class Share(NamedTuple):
    """A part of a hundred, between two bounds, and as written: 25%, two thirds, the majority."""

    low: float
    high: float
    written: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence as opposites are told from it.

    ``denied`` are the words that it denies. ``denials`` are those that deny what it says as a whole, ``asides`` those that deny a part
    ("patients who do not smoke"), ``belittling`` those that deny by themselves ("negligible"). ``places`` are those of its content
    words by their roots. ``outcome`` is above 0 for one that is for the better. ``is_alike`` and ``differs`` say whether it calls
    things alike or different.
    """

    words: tuple[str, ...]
    stems: tuple[str, ...]
    denied: frozenset[int]
    denials: frozenset[int]
    asides: frozenset[int]
    belittling: frozenset[int]
    poles: tuple[Pole, ...]
    places: Mapping[str, Sequence[int]]
    figures: tuple[Amount, ...]
    shares: tuple[Share, ...]
    outcome: int
    is_alike: bool
    differs: bool

    @property
    def main(self) -> Pole | None:
        """The direction that it is most likely about: the first of an effect that is not part of a relative clause."""
        chief = [pole for pole in self.poles if _RELATIVE_BEFORE.isdisjoint(self.words[max(0, pole.first - 2) : pole.first])]
        return next((pole for pole in chief if kind_of(pole.axis)), chief[0] if chief else None)

    def effects(self) -> list[Pole]:
        """Return the directions by which it says that there is an effect."""
        return [pole for pole in self.poles if kind_of(pole.axis) and not self._denies(pole)]

    def denied_effects(self) -> list[Pole]:
        """Return the directions by which it says that there is none."""
        return [pole for pole in self.poles if kind_of(pole.axis) and self._denies(pole)]

    def _denies(self, pole: Pole) -> bool:
        return pole.first in self.denied or (kind_of(pole.axis) == RELATION and pole.sign < 0)

    @property
    def denies_effect(self) -> bool:
        """True if it says that something has no effect."""
        return bool(self.denied_effects() or self.belittling)


_RELATIVE_BEFORE = words("that which who whose")
_ALIKE = re.compile(
    r"\b(?:as|equally) (?:likely|effective|common|good|high|safe|severe|well|many|much|often)\b"
    r"|\b(?:same|identical|equal|equally|similar|similarly|comparable|constant|proportionate|proportionately)\b"
    r"|\bno (?:\w+ )?difference|\bnot differ"
)
_ALIKE_WORDS = words("""
    as equally same identical equal similar similarly comparable constant proportionate proportionately difference differences differ
""")
"""Without one of these nothing is called alike."""
_DIFFERING = words("""
    than versus vs higher lower more less fewer greater compared differ differs differed different differently difference differences
""")


def read_statement(text: str) -> Statement:
    """Read a sentence, or a claim."""
    read = text[:LONGEST_SENTENCE]
    if not read.isascii():
        read = read.translate(_SAME_SIGNS)
    matches = list(_WORD.finditer(read))
    found = tuple([match.group().lower().replace("-", "") for match in matches])
    stems = tuple([_key(word) for word in found])
    asserted = Assertions(read, "en").of([match.span() for match in matches]) if matches else []
    denied = frozenset([place for place, each in enumerate(asserted) if each.kind in _DENYING])
    denials, asides = _denials(read, matches, found)
    denied |= {place + 1 for place in denials if place + 1 < len(found) and found[place + 1] not in FUNCTION_WORDS}
    belittles = listed("belittling")
    belittling = [place for place, word in enumerate(found) if word in belittles and not _is_aside(place, read, matches, found)]
    places: dict[str, list[int]] = {}
    for place, word in enumerate(found):
        if word not in FUNCTION_WORDS and word not in NEGATIONS:
            places.setdefault(root(stems[place]), []).append(place)
    poles = tuple(_poles(found, stems, denied))
    return Statement(
        found,
        stems,
        denied,
        denials,
        asides,
        frozenset(belittling) - denials - asides,
        poles,
        places,
        tuple(_figures(found, stems)),
        tuple(_shares(found)),
        _outcome(stems, poles),
        not _ALIKE_WORDS.isdisjoint(found) and _ALIKE.search(read.lower()) is not None,
        not _DIFFERING.isdisjoint(found),
    )


def _read_key(word: str) -> str:
    """Return the stem of a word, or that of the first of the lexicon's words for it."""
    stemmed = stem(word) if word[0].isalpha() else word
    return _first_of_synonyms().get(stemmed, stemmed)


_key = remembered(_read_key)


_SUFFIX = re.compile(r"(?:ations?|itions?|ions?|ments?|ity|ities|ness|al|ally|ly|ic|ive|at|or|er|ance|ence)\Z")
_SHORTEST_ROOT, _SHORTEST_WITH_SUFFIX = 5, 7


def _read_root(stemmed: str) -> str:
    """Return what a stem has in common with other words of its family: infection and infected, vaccination and vaccine."""
    if len(stemmed) < _SHORTEST_WITH_SUFFIX or not stemmed.isalpha():
        return stemmed
    shortened = _SUFFIX.sub("", stemmed)
    return shortened if len(shortened) >= _SHORTEST_ROOT else stemmed


root = remembered(_read_root)

_SHORTEST_SYNONYM = 4


@cache
def _first_of_synonyms() -> Mapping[str, str]:
    first: dict[str, str] = {}
    for entry in load_lexicon().synonyms:
        single = [each.lower().replace("-", "") for each in entry.words if _WORD.fullmatch(each) and len(each) >= _SHORTEST_SYNONYM]
        for word in single[1:]:
            first.setdefault(stem(word), stem(single[0]))
    return first


# What it denies.


def _denials(text: str, matches: Sequence[re.Match[str]], found: Sequence[str]) -> tuple[frozenset[int], frozenset[int]]:
    """Return the words that deny the whole, and those that deny a part."""
    whole: set[int] = set()
    part: set[int] = set()
    for place, word in enumerate(found):
        if word not in _DENIALS and not word.endswith("n't"):
            continue
        if found[place + 1 : place + 2] and found[place + 1] in _NO_DENIAL.get(word, ()):
            continue
        if matches[place].group() == "NO" and not text.isupper():
            continue
        (part if word in _NEVER_OF_ALL or _is_aside(place, text, matches, found) else whole).add(place)
    return frozenset(whole), frozenset(part)


def _is_aside(place: int, text: str, matches: Sequence[re.Match[str]], found: Sequence[str]) -> bool:
    """Return True if a word is in a clause that only says of whom or what: behind "who", "than", "with" or right behind "that"."""
    first = place
    while first > 0 and place - first < _LONGEST_ASIDE and not _BREAK.search(text, matches[first - 1].end(), matches[first].start()):
        first -= 1
    before = found[first:place]
    return not _RELATIVE.isdisjoint(before) or before[-1:] == ("that",) or "with" in before[-2:]


# Directions.


def _poles(found: Sequence[str], stems: Sequence[str], denied: frozenset[int]) -> Iterator[Pole]:
    """Yield the directions of a sentence; of phrases that begin at one word, the longest."""
    known, longest = _directions()
    end = 0
    for first, begun in enumerate(stems):
        if begun not in longest or first < end:
            continue
        most = min(len(stems), first + longest[begun])
        end = next((last for last in range(most, first, -1) if tuple(stems[first:last]) in known), first)
        for axis, sign, turns in known[tuple(stems[first:end])] if end > first and not _bounds(found, end) else ():
            yield Pole(axis, -sign if turns and first in denied else sign, first, end)


def _bounds(found: Sequence[str], place: int) -> bool:
    """Return True for what only bounds a figure: more than 20."""
    return found[place : place + 1] == ("than",) and place + 1 < len(found) and _amount(found, place + 1)[1] > 0


@cache
def _directions() -> tuple[Mapping[tuple[str, ...], tuple[tuple[int, int, bool], ...]], Mapping[str, int]]:
    """Return the directions and ends of each phrase of ``lexicon/directions.json``, and how many words have the longest by their first."""
    known: dict[tuple[str, ...], list[tuple[int, int, bool]]] = {phrase: [] for phrase in _stems_of(listed("no direction"))}
    for axis, entry in enumerate(directions()):
        for sign, end in ((1, "one"), (-1, "other")):
            for phrase in dict.fromkeys(_stems_of(entry[end])):
                known.setdefault(phrase, []).append((axis, sign, entry.get("turns", True)))
    longest: dict[str, int] = {}
    for phrase in known:
        longest[phrase[0]] = max(longest.get(phrase[0], 0), len(phrase))
    return {phrase: tuple(its) for phrase, its in known.items()}, longest


@cache
def directions() -> tuple[dict[str, Any], ...]:
    """Return the entries of ``lexicon/directions.json``: a name, the words of one end and of the other, and examples.

    Where ``turns`` is false, a denial does not make the other end of it: "not for children" does not say "for adults". ``kind`` is
    "effect" for directions of an effect, and "relation" where the other end says that there is none.
    """
    return tuple(json.loads(get_data("attribution", "lexicon/directions.json") or b"[]"))


@cache
def _kinds() -> tuple[str, ...]:
    return tuple([entry.get("kind", "") for entry in directions()])


def kind_of(axis: int) -> str:
    """Return the kind of a direction, or nothing."""
    return _kinds()[axis]


@cache
def claim_words() -> tuple[dict[str, Any], ...]:
    """Return the entries of ``lexicon/claims.json``: a name, words, and examples."""
    return tuple(json.loads(get_data("attribution", "lexicon/claims.json") or b"[]"))


@cache
def listed(name: str) -> frozenset[str]:
    """Return the words of an entry of ``lexicon/claims.json``."""
    return frozenset(next(entry["words"] for entry in claim_words() if entry["name"] == name))


def _stems_of(phrases: Iterable[str]) -> Iterator[tuple[str, ...]]:
    return (tuple([_key(word) for word in phrase.split()]) for phrase in phrases)


_AHEAD, _BACK = 5, 4
"""Words between a change and the outcome that it changes: behind it, or before it."""


def _outcome(stems: Sequence[str], poles: Sequence[Pole]) -> int:
    """Return how many changes are for the better, less those for the worse: a lower risk, more survival, an improvement."""
    good, bad = _outcomes()
    total = 0
    for pole in poles:
        name = directions()[pole.axis]["name"]
        if name == "amount":
            around = [*stems[pole.last : pole.last + _AHEAD], *reversed(stems[max(0, pole.first - _BACK) : pole.first])]
            outcome = next((each for each in around if each in good or each in bad), "")
            total += pole.sign * ((outcome in good) - (outcome in bad))
        elif name == "effect for the better" and stems[pole.first] not in bad:
            total += pole.sign
    return total


@cache
def _outcomes() -> tuple[frozenset[str], frozenset[str]]:
    good, bad = ([_key(word) for word in listed(name)] for name in ("good outcome", "bad outcome"))
    return frozenset(good), frozenset(bad)


# Figures.


def _figures(found: Sequence[str], stems: Sequence[str]) -> Iterator[Amount]:
    end = 0
    for place in range(len(found)):
        amount, count = _amount(found, place) if place >= end and (found[place][0].isdigit() or found[place] in NUMBER_WORDS) else (0.0, 0)
        if count:
            end = place + count
            is_share = found[end - 1].endswith("%") or found[end : end + 1] in (("percent",), ("percentage",))
            if not is_share and found[end : end + 1] not in _PARTS_BEHIND:
                yield Amount(amount, stems[end] if end < len(stems) else "", " ".join(found[place : end + 1]))


def _amount(found: Sequence[str], place: int) -> tuple[float, int]:
    """Return the number that begins at a place, and of how many words it is; of none where no number begins."""
    word = found[place]
    if word in NUMBER_WORDS:
        written, count = number_in_words(found, place)
        return (float(written), count) if count else (0.0, 0)
    plain = word.rstrip("%").replace(",", "")
    if not plain.replace(".", "", 1).isdecimal():
        return 0.0, 0
    scale = AMOUNT_WORDS.get(found[place + 1], 0) if place + 1 < len(found) else 0
    return float(plain) * 10**scale, 2 if scale else 1


_PARTS = {"half": 50.0, "third": 100 / 3, "quarter": 25.0, "fifth": 20.0, "tenth": 10.0}
_PARTS |= {f"{part}s": share for part, share in _PARTS.items()}
_PARTS_BEHIND = tuple([(part,) for part in _PARTS])
_COUNTED = words("a one the two three four")
_QUANTIFIERS = {
    **dict.fromkeys(("majority", "mostly", "most"), (50.0, 100.0)),
    **dict.fromkeys(("all", "every", "everyone", "everybody"), (97.0, 100.0)),
    **dict.fromkeys(("none", "nobody"), (0.0, 0.0)),
    "minority": (0.0, 50.0),
}
_SHARE_WORDS = _PARTS.keys() | _QUANTIFIERS.keys()
_SUPERLATIVE = words("the is are was were be being a")
"""Words behind which "most" makes a superlative, and is no share."""


def _shares(found: Sequence[str]) -> Iterator[Share]:
    for place, word in enumerate(found):
        if word not in _SHARE_WORDS and not word[0].isdigit():
            continue
        before, behind = "".join(found[max(0, place - 1) : place]), "".join(found[place + 1 : place + 2])
        if word in _PARTS:
            times = NUMBER_WORDS.get(before, 1)
            if word.startswith("half") or before in _COUNTED:
                share = min(100.0, times * _PARTS[word])
                yield Share(share, share, f"{before} {word}" if before in NUMBER_WORDS else word)
        elif word in _QUANTIFIERS:
            if not (word == "most" and before in _SUPERLATIVE) and not (word == "all" and before in ("at", "after")):
                yield Share(*_QUANTIFIERS[word], word)
        elif word.endswith("%") or behind in ("percent", "percentage"):
            amount, count = _amount(found, place)
            if count:
                yield Share(amount, amount, word if word.endswith("%") else f"{word} {behind}")
