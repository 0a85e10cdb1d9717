"""The places of labels in an answer, and how near those of a field stand to a mention."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from attribution.answer import Answer
from attribution.binding.line import Cell, Line
from attribution.mentions.mention import Mention, MentionKind
from attribution.model import new
from attribution.schema.names import ADDRESS, PARTIES, USERS, Item
from attribution.schema.target import Target
from attribution.schema.terms import Hit
from attribution.text import words

# Places of labels in an answer: phrases of the lexicon, and the words of fields' own names.

MOST_PLACES = 256
Place = tuple[int, int]
"""Words from the first up to the last, exclusive."""


def label_places(answer: Answer, hits: Sequence[Hit], wanted: Mapping[Item, frozenset[str]]) -> dict[Item, list[Place]]:
    """The places of each label that any field has, in order; of overlapping ones the longest.

    ``wanted`` are the labels of all fields, each with the words of the objects in which these fields stand.
    """
    places = _of_the_lexicon(answer, hits, wanted)
    for item in wanted:
        if type(item) is tuple:
            if found := answer.find_stems(item):
                places[item] = [(place, place + len(item)) for place in found]
        elif item == ADDRESS:
            places[item] = _of_address(answer)
        elif type(item) is str and item in answer.stems:
            places[item] = [(place, place + 1) for place in answer.stems[item][:MOST_PLACES]]
    return places


def _of_address(answer: Answer) -> list[Place]:
    """Return where the user is addressed, and not by what somebody else is to them."""
    places = sorted(place for word in ("you", "your", "yours", *USERS) for place in answer.places.get(word, ())[:MOST_PLACES])
    return [(place, place + 1) for place in places if PARTIES.isdisjoint(answer.words[place + 1 : place + 2])]


def _of_the_lexicon(answer: Answer, hits: Sequence[Hit], wanted: Mapping[Item, frozenset[str]]) -> dict[Item, list[Place]]:
    """The labels and synonyms of the lexicon that are asked for."""
    longest = _longest(hits)
    places: dict[Item, list[Place]] = {}
    for first, last, meaning in hits:
        for item in meaning.items:
            if item in wanted and (item < 0 or _is_whole(first, last, longest, wanted[item], answer)):
                _put(places.setdefault(item, []), first, last)
    return places


def _put(places: list[Place], first: int, last: int) -> None:
    """Add a place behind the others; of overlapping ones the longest stays."""
    if places and places[-1][0] <= first < places[-1][1]:
        if last > places[-1][1]:
            places[-1] = (places[-1][0], last)
    elif len(places) < MOST_PLACES:
        places.append((first, last))


def _longest(hits: Sequence[Hit]) -> dict[int, Place]:
    """The longest label over each word: a label inside a longer one says nothing of its own."""
    longest: dict[int, Place] = {}
    for first, last, meaning in hits:
        if last - first > 1 and meaning.is_label:
            for place in range(first, last):
                known = longest.get(place)
                if known is None or last - first > known[1] - known[0]:
                    longest[place] = (first, last)
    return longest


def _is_whole(first: int, last: int, longest: dict[int, Place], around: frozenset[str], answer: Answer) -> bool:
    """Return True if a label is in no longer one, or what is longer names the object too: "enrollment ends" in ``enrollment.ends``."""
    known = longest.get(first)
    if known is None or not (known[0] <= first and last <= known[1] and last - first < known[1] - known[0]):
        return True
    return not around.isdisjoint((*answer.stem_words[known[0] : first], *answer.stem_words[last : known[1]]))


HALF = 4.0
"""The distance at which a label has half its weight."""
_CROSSED = 4.0
_LINKED = -1.0
_TAKEN = 6.0
_LONGEST_LINK = 4
_LINKING = words("for on per a an each every as in of toward towards against")
_ENDING_LINK = words("and or but is are was while with")
_LINKS = _LINKING | words("the your her his their my our this that")
_BREAKING = words("and with but while whereas")
"""Words behind which something else is told."""
_DAYS = (MentionKind.DATE, MentionKind.WEEKDAY)
_TAKING_TURNS = {MentionKind.DATE: _DAYS, MentionKind.WEEKDAY: _DAYS, MentionKind.TIME: (MentionKind.TIME,)}
"""Kinds that a label behind one of them may lead to."""
_BEHIND = 0.4
_UNBROKEN = 2.0
"""The most distance between two words that no sign parts."""
_EARLIER = 2.0
_NEAR = 9.0
_TELLING = 0.3
_FARTHEST_SENTENCE = 2
_WITH_WORDS = frozenset({MentionKind.DATE, MentionKind.WEEKDAY})
"""Kinds whose own words do not name a field: "next Tuesday" is not the next opening."""


class Affinity(NamedTuple):
    """How much the labels around a mention are a field's, and whether one that tells stands near."""

    weight: float
    is_near: bool


_NONE = Affinity(0.0, is_near=False)
_NOTHING: frozenset[Item] = frozenset()


class Labels:
    """The places of labels, and the mentions that stand between them and others."""

    __slots__ = ("_breaks", "_firsts", "_line", "_linked", "_near", "_of_kind", "_reached", "_spoken", "places")

    def __init__(self, places: Mapping[Item, Sequence[Place]], mentions: Sequence[Mention], line: Line, words: Sequence[str]) -> None:
        self.places = places
        self._line = line
        self._reached: dict[int, bool] = {}
        self._firsts = {item: [first for first, _ in its] for item, its in places.items()}
        self._spoken: dict[int, set[Item]] = {}
        self._near: dict[int, set[Item]] = {}
        for item, firsts in self._firsts.items():
            for sentence in {line.sentence[first] for first in firsts}:
                self._spoken.setdefault(sentence, set()).add(item)
        of_kind: dict[str, list[int]] = {}
        for mention in mentions:
            if mention.end != "high":
                of_kind.setdefault(mention.kind, []).append(mention.first)
        self._of_kind = of_kind
        self._breaks = [place for place, word in enumerate(words) if word in _BREAKING]
        self._linked: dict[int, int] = {}
        for mention in mentions:
            if mention.kind not in (MentionKind.TIME, MentionKind.WEEKDAY):
                self._link(mention, words, line)

    def _link(self, mention: Mention, words: Sequence[str], line: Line) -> None:
        """Note where a label may begin that says what the mention before it is of: "$180 for the first visit"."""
        place = mention.last
        if place < len(words) and line.at[place] - line.at[place - 1] > _UNBROKEN and words[place] not in _ENDING_LINK:
            return
        end = min(len(words), place + _LONGEST_LINK)
        while place < end and words[place] in _LINKS:
            place += 1
        if place < len(words) and place > mention.last and words[mention.last] in _LINKING:
            while place < end + 1 and place < len(words) and words[place] not in _LINKS and words[place] not in _ENDING_LINK:
                if line.at[place] - line.at[place - 1] > _UNBROKEN:
                    return
                self._linked.setdefault(place, mention.first)
                place += 1

    def affinity(self, mention: Mention, target: Target, *, inherits: bool = True) -> Affinity:
        """The weight of a field's labels around a mention, less with distance; what follows another mention takes over its labels."""
        if mention.follows is None and self.near(mention.first).isdisjoint(target.items):
            return _NONE
        score = total = 0.0
        is_near = False
        places = self.places
        for item, weight in target.labels.items():
            distance = self._nearest(mention, item) if item in places else None
            if target.name.parts and type(item) is int and (apart := self._apart(mention, item, target)) is not None:
                distance = apart if distance is None else min(distance, apart)
            if distance is not None:
                score += weight * HALF / (HALF + distance)
                is_near = is_near or (weight > _TELLING and distance < _NEAR)
            if distance is not None or (weight > _TELLING and (type(item) is not int or item >= 0)):
                total += weight
        result = new(Affinity, (score / (0.4 + 0.6 * total), is_near)) if score else _NONE
        if inherits and mention.follows is not None:
            other = self.affinity(mention.follows, target, inherits=False)
            if other.weight * 0.95 > result.weight:
                return Affinity(other.weight * 0.95, other.is_near)
        return result

    def near(self, place: int) -> AbstractSet[Item]:
        """The labels that stand near enough to a place to bind it: in its sentence or one of the two before; in a table, all."""
        if self._line.cells:
            return self.places.keys()
        sentence = self._line.sentence[place]
        near = self._near.get(sentence)
        if near is None:
            near = self._near[sentence] = set()
            for each in range(sentence - _FARTHEST_SENTENCE, sentence + 1):
                near |= self._spoken.get(each, _NOTHING)
        return near

    def reach(self, target: Target) -> bool:
        """Return True if any label of a field is in the answer at all."""
        known = self._reached.get(target.row)
        if known is None:
            known = self._reached[target.row] = not self.places.keys().isdisjoint(target.items)
        return known

    def names(self, target: Target, place: int) -> bool:
        """Return True if a label of a field begins at a place or at the word behind it."""
        for item in target.labels:
            firsts = self._firsts.get(item)
            if firsts:
                number = bisect_left(firsts, place)
                if number < len(firsts) and firsts[number] <= place + 1:
                    return True
        return False

    def _apart(self, mention: Mention, item: int, target: Target) -> float | None:
        """Return how far the words of a label of several words are that are said apart; a word that is missing counts as far."""
        words = next((words for whole, words in target.name.parts if whole == item), ())
        near = [
            HALF / (HALF + distance) for word in words if word in self.places and (distance := self._nearest(mention, word)) is not None
        ]
        if not near:
            return None
        share = sum(near) / len(words)
        return max(-1.0, HALF / share - HALF)

    def _nearest(self, mention: Mention, item: Item) -> float | None:
        places, firsts = self.places[item], self._firsts[item]
        number = bisect_right(firsts, mention.first)
        best: float | None = None
        for each in places[max(0, number - 2) : number + 2]:
            distance = self._distance(mention, each)
            if distance is not None and (best is None or distance < best):
                best = distance
        return best

    def _distance(self, mention: Mention, place: Place) -> float | None:
        line, (first, last) = self._line, place
        here, there = line.cells.get(mention.first), line.cells.get(first)
        if here or there:
            return _in_table(here, there)
        sentences = line.sentence[mention.first] - line.sentence[first]
        if sentences < 0 or sentences > _FARTHEST_SENTENCE:
            return None
        if last <= mention.first:
            crossed = self._between(mention, last, mention.first)
            taken = _TAKEN if self._linked.get(first, mention.first) != mention.first else 0.0
            return line.at[mention.first] - line.at[last - 1] - 1 + _CROSSED * crossed + _EARLIER * (sentences > 0) + taken
        if first >= mention.last:
            if self._linked.get(first) == mention.first:
                return _LINKED
            crossed = self._between(mention, mention.last, first)
            taken = _TAKEN if self._leads_on(mention, place) else 0.0
            return line.at[first] - line.at[mention.last - 1] - 1 + _BEHIND + _CROSSED * crossed + taken
        return None if mention.kind in _WITH_WORDS else 0.0

    def _leads_on(self, mention: Mention, place: Place) -> bool:
        """Return True if a label behind a day or an hour leads to the next: "at 5 with a return at 7", "Monday, returning on May 3"."""
        if mention.kind not in _TAKING_TURNS:
            return False
        first, last = place
        following = [self._next(kind, last) for kind in _TAKING_TURNS[mention.kind]]
        behind = min((each for each in following if each is not None), default=None)
        if behind is None or self._line.sentence[behind] != self._line.sentence[first]:
            return False
        number = bisect_left(self._breaks, mention.last)
        is_broken = number < len(self._breaks) and self._breaks[number] < first
        return is_broken or self._line.at[behind] - self._line.at[last - 1] <= _UNBROKEN

    def _next(self, kind: str, place: int) -> int | None:
        """Return where the next mention of a kind begins."""
        firsts = self._of_kind.get(kind, ())
        number = bisect_left(firsts, place)
        return firsts[number] if number < len(firsts) else None

    def _between(self, mention: Mention, start: int, end: int) -> int:
        firsts = self._of_kind.get(mention.kind, ())
        return bisect_left(firsts, end) - bisect_left(firsts, start)


def _in_table(here: Cell | None, there: Cell | None) -> float | None:
    """A label in a mention's own cell, at the head of its row or of its column."""
    if here is None or there is None or here.table != there.table:
        return None
    is_row_head = here.row == there.row and there.column in (0, here.column)
    return 1.0 if is_row_head or there.is_above(here) else None
