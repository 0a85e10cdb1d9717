"""Values of closed classes in an answer, and the fields that they are bound to by the same assignment as figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attribution.answer import Answer
from attribution.assertion import AssertionKind
from attribution.binding.assignment import LEAST, Bond, assign
from attribution.figures import MOST_PLACES
from attribution.mentions.mention import Mention, MentionKind
from attribution.model import FieldAttribution, FieldType, Span, new
from attribution.reading import Reading
from attribution.schema.target import Target
from attribution.schema.terms import Hit, stems_of
from attribution.text import spaced, words

_FOCUSED = 0.2
_LEADING = words("is are was were be been has have had a an the in gets got still")
"""At the start of a phrase, words that are no part of a value."""
_SIDES = words("right left")
_NO_SIDE_BEHIND = words("before after now away there here about over until to at out off as through")
_NO_SIDE_BEFORE = words("you re s all that visits sessions refills doses days weeks months minutes has have had and")
"""Words behind or before "right" or "left" that show that no side is meant."""
_NAMED = (FieldType.NAME, FieldType.FIELD_VALUE)


class Values:
    """The mentions of values by their class, and what binds them. A class is known by its number in the lexicon, as text."""

    def __init__(self, reading: Reading, rows: Sequence[FieldAttribution]) -> None:
        self._reading = reading
        self._answer = reading.answer
        self._targets: dict[str, list[Target]] = {}
        for target in reading.targets:
            for entry in target.steps:
                self._targets.setdefault(entry, []).append(target)
        self._names = _names_shown(rows, reading.answer) if self._targets else {}
        self._measured = {
            place: (each.first, each.last)
            for each in (reading.figures if self._targets else ())
            if each.kind is MentionKind.DURATION
            for place in range(each.first, each.last)
        }
        self.of_class: dict[str, list[Mention]] = {}
        for mention in self._mentions() if self._targets else ():
            its = self.of_class.setdefault(mention.unit, [])
            if len(its) < MOST_PLACES:
                its.append(mention)
        self.all = [mention for mentions in self.of_class.values() for mention in mentions]
        self.bonds = self._bind()

    def with_class(self, entry: str) -> Sequence[Target]:
        """The fields whose value is of a class."""
        return self._targets.get(entry, ())

    def _mentions(self) -> Iterator[Mention]:
        """The longest phrase at each place, where it is no piece of a name."""
        reach = 0
        for first, last, meaning in sorted([hit for hit in self._reading.hits if hit[2].values], key=_longest_first):
            if last <= reach or (last - first > 2 and self._is_way_between(first, last)):
                continue
            wanted = [each for each in meaning.values if each[0] in self._targets] if not self._is_adverb(first, last) else []
            reach = last if wanted or not self._is_of_several(first, last) else reach
            if wanted and not self._is_part_of_more(first, last):
                span = self._answer.span(first, last - first)
                yield from [Mention(MentionKind.VALUE, (step,), first, last, span, entry) for entry, step in wanted]

    def _is_part_of_more(self, first: int, last: int) -> bool:
        """Return True if a phrase is a piece of a name, of a figure, or of a phrase that means another thing."""
        is_named = self._is_part_of_name(first, last) or self._is_part_of_figure(first, last)
        return is_named or self._reading.is_in_relative(first, last)

    def _is_way_between(self, first: int, last: int) -> bool:
        """Return True if words name where a change begins and where it ends, and no value between: "from moderate to severe"."""
        said = self._answer.words
        return first > 0 and said[first - 1] == "from" and "to" in said[first + 1 : last - 1]

    def _is_adverb(self, first: int, last: int) -> bool:
        """Return True if "right" or "left" is not meant as a side: "right before the visit", "you were right to ask", "18 visits left"."""
        said = self._answer.words
        if last - first > 1 or said[first] not in _SIDES:
            return False
        behind = said[last] if last < len(said) else ""
        return behind in _NO_SIDE_BEHIND or (first > 0 and (said[first - 1] in _NO_SIDE_BEFORE or said[first - 1].isdigit()))

    def _is_of_several(self, first: int, last: int) -> bool:
        """Return True if a phrase holds words besides a value: "only" behind it, "was" before it, "to" between two of them."""
        said = self._answer.words
        return last - first > 1 and (said[last - 1] == "only" or said[first] in _LEADING or "to" in said[first + 1 : last - 1])

    def _is_part_of_figure(self, first: int, last: int) -> bool:
        """Return True if a phrase is a piece of a longer figure: the month of "6-month"."""
        known = self._measured.get(first)
        return known is not None and known[0] <= first and last <= known[1] and last - first < known[1] - known[0]

    def _is_part_of_name(self, first: int, last: int) -> bool:
        """Return True if a phrase is a piece of a name: inside what shows another field, or in capitals beside other capitals."""
        answer = self._answer
        start, end = answer.starts[first], answer.word_end(last - 1)
        is_upper = answer.text[start].isupper()
        if end - start == 1 and not is_upper:
            return True
        if first in self._names and end <= self._names[first][1] and self._names[first][1] - self._names[first][0] > end - start + 1:
            return True
        if not is_upper or not all(answer.text[answer.starts[place]].isupper() for place in range(first, last)):
            return False
        return self._is_capital(first - 1, first) or self._is_capital(last, last)

    def _is_capital(self, place: int, boundary: int) -> bool:
        """Return True if a neighbour is written in capitals too, with nothing but a space between, and is not what begins a sentence."""
        answer = self._answer
        if not 0 < place < len(answer.words) or not answer.text[answer.starts[place]].isupper():
            return False
        if answer.text[answer.word_end(boundary - 1) : answer.starts[boundary]] != " ":
            return False
        sentence = self._reading.line.sentence
        return sentence[place - 1] == sentence[place] and not answer.words[place].isdigit()

    def _bind(self) -> list[Bond]:
        groups: dict[tuple[int, str, bool], list[Mention]] = {}
        sentence = self._reading.line.sentence
        asserted = self._reading.assertions.of([mention.span for mention in self.all])
        for mention, assertion in zip(self.all, asserted, strict=True):
            is_affirmed = assertion.kind is AssertionKind.AFFIRMED
            groups.setdefault((sentence[mention.first], mention.unit, is_affirmed), []).append(mention)
        bonds: list[Bond] = []
        for (_, entry, _), group in groups.items():
            near = self._reading.labels.near(group[0].first)
            reached = [target for target in self._targets[entry] if target.entity or not near.isdisjoint(target.items)]
            if reached and self._answer.affords(len(group) * len(reached)):
                bonds += assign(group, reached, self._weigh, self._reading.shown)
        return bonds

    def _weigh(self, mention: Mention, target: Target) -> Bond | None:
        if names_the_field(mention, target, self._answer):
            return None
        weight, is_near = self._reading.labels.affinity(mention, target)
        if target.entity:
            focus = self._reading.focus.at(mention.first, mention.last)
            if focus is not None and focus != target.entity:
                return None
            weight += _FOCUSED if focus else 0.0
        return new(Bond, (mention, target, weight, is_near)) if weight > LEAST else None


def names_the_field(mention: Mention, target: Target, answer: Answer) -> bool:
    """Return True if a word is that of the field's own name or of its section's, and no value: the "appeal" of an appeal's status."""
    written = answer.stem_words[mention.first] if mention.last - mention.first == 1 else ""
    return written in target.name.stems or written in stems_of(spaced(target.field.section))


def _longest_first(hit: Hit) -> tuple[int, int]:
    return hit[0], -hit[1]


def _names_shown(rows: Sequence[FieldAttribution], answer: Answer) -> dict[int, Span]:
    """The names and phrases of several words that are shown, by each of their words; the longest where several are."""
    shown: dict[int, Span] = {}
    for row in rows:
        if row.evidence is not None and row.field.type in _NAMED:
            for span in row.evidence.spans:
                for place in answer.places_in(span) if " " in answer.text[span[0] : span[1]] else ():
                    if place not in shown or span[1] - span[0] > shown[place][1] - shown[place][0]:
                        shown[place] = span
    return shown
