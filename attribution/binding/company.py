"""Words that bind a figure to a field without its name: the day beside an hour, the period by which a thing is counted, whose age it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from attribution.answer import Answer
from attribution.binding.line import Line
from attribution.comparison.figures import Relation, compare, fit, recurs
from attribution.lexicon.words import FREQUENCIES
from attribution.mentions.measures import FREE
from attribution.mentions.mention import Mention, MentionKind
from attribution.model import FieldAttribution
from attribution.schema.names import BOUNDS, PARTIES
from attribution.schema.target import LINES, NAMES, Target
from attribution.text import words, words_of

_MOST_BESIDE = 12
"""The most fields of an object, and the most fields of a kind, that are looked at for one mention."""
_COUNTED_WITHIN = 3
_SURE = 0.7
_EQUAL = 0.02
_BY_ITS_DAY, _BY_ITS_PERIOD, _BY_ITS_LENGTH, _BY_ITS_PAIR = 0.6, 0.5, 0.4, 0.7
_WITH_ITS_DAY = 0.8
LEFT, _LEAVING = words("remaining left unused available balance"), words("leaves leaving leave left remain remains")
"""Words of names of what is left of an amount, and words right before an amount that is."""
_BEING, _PERSONS = words("is was turned turns s am are"), words("he she i you client patient child kid member")
_LENGTHS, _HOW_LONG = words("length duration lasts"), words("for lasts last lasting takes took runs")
"""Words of names that tell how long something takes, and words right before a time that do."""
_DIALLING = (["call"], ["dial"], ["text"], ["phone"])
_CUTOFFS = words("cutoff threshold")
_OR_MORE = (["or", "more"], ["or", "higher"], ["or", "above"], ["and", "above"], ["and", "higher"], ["and", "over"])
_HAVING, _LONGEST_CLAUSE = words("have has ve had"), 12
_PRESSURES = frozenset({"systolic", "diastolic"})
_LEAST_PRESSURE = 35


class Company:
    """The figures of an answer and the fields of its context, as far as other words than labels tell which is which."""

    def __init__(self, answer: Answer, line: Line, targets: Sequence[Target], rows: Sequence[FieldAttribution]) -> None:
        self._answer, self._line, self._targets, self._rows = answer, line, targets, rows
        self._objects: dict[tuple[str, str], list[Target]] = {}
        for each in targets:
            self._objects.setdefault((each.field.section, each.field.path.rpartition(".")[0]), []).append(each)
        self._counted: dict[int, bool] = {}
        self._named: dict[int, frozenset[int]] = {}
        self._by_kind: Mapping[MentionKind, Callable[[Mention, Target], float]] = {
            MentionKind.NUMBER: self._of_number,
            MentionKind.RATIO: self._of_ratio,
            MentionKind.MONEY: self._of_money,
            MentionKind.RATE: self._by_its_thing,
            MentionKind.DURATION: self._by_how_long,
        }

    def strength(self, mention: Mention, target: Target) -> float:
        """Return how strongly a mention is bound to a field by what stands around it, but for labels."""
        follows = mention.follows
        if follows is not None and follows.kind is mention.kind is MentionKind.TIME:
            follows = follows.follows
        if follows is not None and follows.kind is MentionKind.DATE and target.kind in ("date", "time"):
            return self._beside_a_day(mention, follows, target)
        if mention.period and mention.period == target.period and self._is_counted_in(mention, target):
            return _BY_ITS_PERIOD
        if mention.other_end is not None and self._is_of_its_range(mention, target):
            return _BY_ITS_DAY
        by_kind = self._by_kind.get(mention.kind)
        return by_kind(mention, target) if by_kind else 0.0

    def _beside_a_day(self, mention: Mention, day: Mention, target: Target) -> float:
        if target.kind == "date":
            return _WITH_ITS_DAY if compare(day, target) is Relation.EQUAL else 0.0
        return self._beside_its_day(mention, day, target)

    def _of_number(self, mention: Mention, target: Target) -> float:
        if not LINES.isdisjoint(target.name.words):
            return _BY_ITS_DAY if self._is_called(mention) else 0.0
        if not _CUTOFFS.isdisjoint(target.name.words):
            return _BY_ITS_PERIOD if self._answer.words[mention.last : mention.last + 2] in _OR_MORE else 0.0
        return _BY_ITS_LENGTH if target.name.is_age and self._is_how_old(mention, target) else 0.0

    def _is_called(self, mention: Mention) -> bool:
        """Return True if a number is one to call: "dial 988", "the 988 line"."""
        words = self._answer.words
        return words[max(0, mention.first - 1) : mention.first] in _DIALLING or not LINES.isdisjoint(words[mention.last : mention.last + 1])

    def _of_ratio(self, mention: Mention, target: Target) -> float:
        return _BY_ITS_PAIR if not _PRESSURES.isdisjoint(target.name.words) and mention.values[0] >= _LEAST_PRESSURE else 0.0

    def _of_money(self, mention: Mention, target: Target) -> float:
        if target.kind != "money":
            return 0.0
        if not _LEAVING.isdisjoint(self._answer.words[max(0, mention.first - 2) : mention.first]):
            return _BY_ITS_PERIOD if not LEFT.isdisjoint(target.name.words) else 0.0
        if mention.unit == FREE:
            return _BY_ITS_LENGTH if len(self._prices) == 1 and compare(mention, target) is Relation.EQUAL else 0.0
        is_paid = bool(mention.period) and any(FREQUENCIES.get(word) == mention.period for word in target.name.words)
        return _BY_ITS_PERIOD if is_paid else 0.0

    @cached_property
    def _prices(self) -> Sequence[Target]:
        return [each for each in self._targets if each.kind == "money"]

    @cached_property
    def _recurring(self) -> Sequence[Target]:
        return [each for each in self._targets if recurs(each)]

    @cached_property
    def _periodical(self) -> Sequence[Target]:
        return [each for each in self._targets if each.period][:_MOST_BESIDE]

    @cached_property
    def _lengths(self) -> Sequence[Target]:
        return [each for each in self._targets if each.kind == "duration"]

    def is_counted_by_period(self, mention: Mention) -> bool:
        """Return True if a field counts what a number counts, by the same period."""
        known = self._counted.get(id(mention))
        if known is None:
            known = any(each.period == mention.period and self._is_counted_in(mention, each) for each in self._periodical)
            self._counted[id(mention)] = known
        return known

    def _is_counted_in(self, mention: Mention, target: Target) -> bool:
        """Return True if a field's name has what is counted in a period: the hours of "12 hours a day", the puffs of "8 puffs a day"."""
        if mention.kind is MentionKind.MONEY:
            return False
        counted = self._answer.stem_words[mention.last - 1 : mention.last + _COUNTED_WITHIN]
        return not set(target.name.stems).isdisjoint(counted)

    def _by_how_long(self, mention: Mention, target: Target) -> float:
        """Return the strength with which the only field that tells how long something takes is meant by "for two weeks"."""
        if target.kind != "duration":
            return 0.0
        is_length = not _LENGTHS.isdisjoint(target.name.words) or len(target.name.stems) == 1
        if not (is_length and mention.first and self._answer.words[mention.first - 1] in _HOW_LONG):
            return 0.0
        if len(self._lengths) > _MOST_BESIDE or any(each is not target and fit(mention, each) for each in self._lengths):
            return 0.0
        is_told = self._shows_its_thing(mention, target) or self._has_lasted(mention)
        return _BY_ITS_LENGTH if is_told or compare(mention, target) is Relation.EQUAL else 0.0

    def _has_lasted(self, mention: Mention) -> bool:
        """Return True if a sentence says for how long something has been so: "you have felt low for two weeks"."""
        said, place = self._answer.words, mention.first - 1
        start = place
        while start and self._line.sentence[start - 1] == self._line.sentence[place] and place - start < _LONGEST_CLAUSE:
            start -= 1
        return said[place] == "for" and not _HAVING.isdisjoint(said[start:place])

    def _is_how_old(self, mention: Mention, target: Target) -> bool:
        """Return True if a plain number is said of a person: "your daughter is 9", "Noah, who is 4,"; of a relative only what agrees."""
        place, said = mention.first - 1, self._answer.words
        if mention.unit or mention.counted or place < 1 or said[place] not in _BEING:
            return False
        who = said[place - 2 if said[place - 1] == "who" else place - 1]
        if who in PARTIES and not target.is_of_others:
            return compare(mention, target) is Relation.EQUAL
        return who in PARTIES or who in _PERSONS or who in self._given_names

    @cached_property
    def _given_names(self) -> frozenset[str]:
        """The first and last words of the names on record."""
        names = [words_of(each.field.value) for each in self._targets if each.field.leaf in NAMES and type(each.field.value) is str]
        return frozenset(word for name in names for word in (name[:1] + name[-1:]))

    def _shows_its_thing(self, mention: Mention, target: Target) -> bool:
        """Return True if the sentence of a mention shows another field of the same thing."""
        sentence = self._line.sentence[mention.first]
        for other in self._beside(target):
            evidence = self._rows[other.row].evidence
            for span in evidence.spans[:_MOST_BESIDE] if other is not target and evidence is not None and evidence.score >= _SURE else ():
                if self._line.sentence[self._answer.place_at(span[0])] == sentence:
                    return True
        return False

    def _by_its_thing(self, mention: Mention, target: Target) -> float:
        """Return the strength with which the only field that tells how often is meant, where the sentence shows what it is of."""
        if mention.last - mention.first == 1 or list(self._recurring) != [target]:
            return 0.0
        is_named = self._line.sentence[mention.first] in self._sentences_of(target)
        return _BY_ITS_PERIOD if is_named or self._shows_its_thing(mention, target) else 0.0

    def _sentences_of(self, target: Target) -> frozenset[int]:
        """Return the sentences that have a word of a field's name."""
        known = self._named.get(target.row)
        if known is None:
            places = [place for each in target.name.stems for place in self._answer.stems.get(each, ())]
            known = self._named[target.row] = frozenset([self._line.sentence[place] for place in places])
        return known

    def _beside_its_day(self, mention: Mention, day: Mention, target: Target) -> float:
        """Bind an hour to the only time of an object whose day is beside it; of equals, to the one that agrees."""
        members = self._beside(target)
        if sum(each.kind == "time" for each in members) > 1 or mention.unit == "hour":
            return 0.0
        if not any(each.kind == "date" and compare(day, each) is Relation.EQUAL for each in members):
            return 0.0
        return _BY_ITS_DAY + (_EQUAL if compare(mention, target) is Relation.EQUAL else 0.0)

    def _is_of_its_range(self, mention: Mention, target: Target) -> bool:
        """Return True if the other end of a range is what the field of that end holds: "good from January 15 until June 30"."""
        other = mention.other_end
        if other is None or not target.end or mention.end != target.end or not other.end:
            return False
        about = frozenset(target.name.stems) - BOUNDS
        ends = [each for each in self._beside(target) if each.kind == target.kind and each.end == other.end]
        return any(
            compare(other, each) is Relation.EQUAL for each in ends if len(ends) == 1 or frozenset(each.name.stems) - BOUNDS == about
        )

    def _beside(self, target: Target) -> Sequence[Target]:
        """The first fields of the object that a field is in."""
        return self._objects[target.field.section, target.field.path.rpartition(".")[0]][:_MOST_BESIDE]
