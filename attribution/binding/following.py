"""Figures that another one says what they are of: the hour beside a date, the right amount behind a wrong one, what has become of one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from attribution.answer import Answer
from attribution.assertion import AssertionKind, Assertions
from attribution.binding.line import Line
from attribution.mentions.mention import Mention, MentionKind
from attribution.model import Span
from attribution.text import words

_INTO = ("to", "into")
_MOVING = ("up", "down")
_WAS, _IS, _NOW = words("was were cost"), words("is are s re been costs"), words("now today currently since")
_CHANGES = words("""
    cut raised lowered reduced increased decreased changed moved went gone dropped fell fallen risen rose climbed tapered stepped switched
    improved worsened adjusted upped grew rescheduled postponed pushed shifted brought
""")
_COMPARED = words("less more fewer higher lower better worse heavier lighter")
_SOON = 4
_ASIDE = 9


class Following:
    """Which figures of an answer follow which; ``past`` are those of earlier, ``outdated`` those whose new value is told."""

    def __init__(self, answer: Answer, figures: Sequence[Mention], line: Line, assertions: Assertions) -> None:
        self._words, self._figures, self._line, self._assertions = answer.words, figures, line, assertions
        self.outdated: set[Span] = set()
        self.past: set[Span] = set()
        self._follow_dates()
        self._follow_withdrawn()

    def _follow_dates(self) -> None:
        """A time beside a date belongs to the date's field."""
        dates = [each for each in self._figures if each.kind is MentionKind.DATE]
        firsts = [each.first for each in dates]
        for mention in self._figures if dates else ():
            if mention.kind in (MentionKind.TIME, MentionKind.WEEKDAY):
                number = bisect_left(firsts, mention.first)
                near = [each for each in dates[max(0, number - 1) : number + 1] if self._are_together(each, mention)]
                mention.follows = min(near, key=lambda each: abs(each.first - mention.first), default=None)  # asked at once

    def _are_together(self, date: Mention, mention: Mention) -> bool:
        """Return True if a date is in a mention's sentence and near it."""
        is_here = self._line.sentence[date.first] == self._line.sentence[mention.first]
        return is_here and abs(self._line.at[date.first] - self._line.at[mention.first]) < _ASIDE

    def _follow_withdrawn(self) -> None:
        """Bind the figure that replaces one taken back to the same field."""
        figures = [each for each in self._figures if each.unit not in ("second", "hour")]
        for number, (mention, assertion) in enumerate(zip(figures, self._assertions.of([each.span for each in figures]), strict=True)):
            if assertion.kind in (AssertionKind.CORRECTED, AssertionKind.NEGATED):
                sentence = self._line.sentence[mention.first]
                heirs = [
                    each
                    for each in figures[number + 1 : number + 4]
                    if each.kind is mention.kind and each.follows is None and self._line.sentence[each.first] <= sentence + 2
                ]
                before = figures[number - 1] if number else None
                if heirs:
                    heirs[0].follows = mention
                elif before and before.kind is mention.kind and self._line.at[mention.first] - self._line.at[before.last - 1] < _ASIDE:
                    mention.follows = before
            elif assertion.kind is AssertionKind.HISTORICAL:
                self.past.add(mention.span)
                if number + 1 < len(figures):
                    self._follow_change(mention, figures[number + 1])
            if number:
                self._follow_old(figures[number - 1], mention)

    def _follow_change(self, old: Mention, new: Mention) -> None:
        """Bind what something has come to like what it was: "raised from 10 mg to 15 mg" is no range."""
        is_here = self._line.sentence[old.first] == self._line.sentence[new.first]
        if is_here and _are_of_one_kind(old, new) and self._words[new.first - 1] in _INTO:
            old.end = new.end = ""
            old.other_end = new.other_end = None
            new.follows = new.follows or old
            self.outdated.add(old.span)

    def _follow_old(self, one: Mention, other: Mention) -> None:
        """Bind what something has come to like what it was, where a sentence tells both in other words than "from" and "to"."""
        if self._line.sentence[one.first] != self._line.sentence[other.first] or not _are_of_one_kind(one, other):
            return
        if self.is_change(one) and not self.is_change(other):
            other.follows = other.follows or one
            return
        old, new = (other, one) if self._is_back_to(one, other) else (one, other)
        if old is other or self._is_was_and_is(one, other):
            self.past.add(old.span)
            self.outdated.add(old.span)
            new.follows = new.follows or old

    def is_change(self, mention: Mention) -> bool:
        """Return True if a figure is by how much something has changed or differs: "fell by 5 points", "2 points less than"."""
        before = self._words[max(0, mention.first - _SOON) : mention.first]
        behind = self._words[mention.last : mention.last + _SOON]
        is_compared = "than" in behind and not _COMPARED.isdisjoint(behind[: behind.index("than")])
        return is_compared or (before[-1:] == ["by"] and not _CHANGES.isdisjoint(before))

    def _is_back_to(self, new: Mention, old: Mention) -> bool:
        """Return True if words name what something has come to, and then what it was: "has risen to 8.1 from 6.9"."""
        words = self._words
        if not (new.first and 0 < old.first - new.last <= _SOON):
            return False
        source = old.first - 1 - (words[old.first - 1] == words[new.first - 1])
        return words[source] == "from" and (words[new.first - 1] in _INTO or words[source - 1] in _MOVING)

    def _is_was_and_is(self, old: Mention, new: Mention) -> bool:
        """Return True if a sentence tells what something was and then what it is: "was 15 last time and is 9 now", "cut from 40 to 20"."""
        words = self._words
        between, behind = words[old.last : new.first], words[new.last : new.last + _SOON]
        if words[old.first - 1] == "from" and words[new.first - 1] in _INTO:
            return not _CHANGES.isdisjoint(words[max(0, old.first - _SOON) : old.first])
        before = words[max(0, old.first - 3) : old.first]
        is_then = not _WAS.isdisjoint(before[-2:]) or before[-3:-1] == ["used", "to"] or before[:2] == ["used", "to"]
        return is_then and len(between) < _ASIDE and not _IS.isdisjoint(between) and not _NOW.isdisjoint((*between, *behind))


def _are_of_one_kind(old: Mention, new: Mention) -> bool:
    """Return True if two figures may be of one thing; of a measure the unit is often written once: "from 176 to 188 pounds"."""
    if old.kind is new.kind:
        return True
    return {old.kind, new.kind} == {MentionKind.NUMBER, MentionKind.DURATION}
