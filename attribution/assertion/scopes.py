"""How far each trigger of a text reaches: one pass finds the triggers, one short walk each finds the ends of their scopes."""

from __future__ import annotations

import re
from typing import NamedTuple

from attribution.assertion.clauses import HARD, Clauses
from attribution.assertion.triggers import AssertionKind, Found, Grammar, Trigger, find_triggers
from attribution.model import Span

_BULLETS = re.compile(r"\s*\n(?:[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+[^\n]*(?:\n|\Z))+")
_LONGEST_ITEM = 12
"""Words of a list's item that are looked at to tell it from a clause of its own."""
_FIGURE_REACH = 3
"""Words that may stand between a denial and a figure that it denies."""
_NEEDED_WITHIN = 25
_FRONTED = 3
"""Words between a trigger and a comma that its scope passes: "Back in 2020, her plan was …"."""
_LONGEST_SUBJECT = 5
_SKIPS_COMMA = {AssertionKind.HISTORICAL, AssertionKind.OTHER_SUBJECT}
_WHOLE_CLAUSE = {AssertionKind.HYPOTHETICAL, AssertionKind.OTHER_SUBJECT, AssertionKind.ASKED}
"""Kinds whose scope is not ended by a verb behind "and" or "or"."""

_DENYING = frozenset({"no", "not", "without", "sin"})
_FIGURE_STOPS = HARD | {","}
_WITHOUT = frozenset({"without", "w/o", "sin"})
_BEFORE_WITHOUT = frozenset({"no", "not", "never", "nunca", "nobody", "nothing"})
_RELATIVE = frozenset({"which", "who", "que"})
_SUBJECTS = frozenset({"you", "we", "they", "i"})
_SAME_SUBJECT = frozenset({"but", "and", "pero", "y"})
"""Behind these a denial without a subject speaks of the subject before: "was considered but not found"."""
_ADDING = frozenset({"and", "&", "plus", "y", "e"})
"""Joiners behind which a verb opens a clause of its own; behind "or" it may be one more of what is denied."""

CORRECTED, QUOTED, ANSWERED, ASKED, SUPPOSED, OTHERS, DENIED_BEFORE, PLAIN = range(8)
_RANKS = {
    AssertionKind.CORRECTED: CORRECTED,
    AssertionKind.QUOTED: QUOTED,
    AssertionKind.ASKED: ASKED,
    AssertionKind.HYPOTHETICAL: SUPPOSED,
    AssertionKind.OTHER_SUBJECT: OTHERS,
}


class Scope(NamedTuple):
    """The scope of a trigger: mentions that begin from ``start`` up to ``end`` are meant as it says, figures up to ``figure_end``."""

    start: int
    end: int
    figure_end: int
    rank: int
    kind: AssertionKind
    trigger: Span


class Walk(NamedTuple):
    """A scope in tokens: from ``first`` up to ``end``, and the offset up to which bullets below belong to it, or 0."""

    first: int
    end: int
    bullets_end: int = 0


class Reader:
    """Finds the scopes of one text in one language."""

    __slots__ = ("_clauses", "_grammar", "_listed", "found", "scopes", "stops")

    def __init__(self, clauses: Clauses, grammar: Grammar) -> None:
        self._clauses = clauses
        self._grammar = grammar
        self.found, self.stops = find_triggers(clauses, grammar)
        self.scopes: list[Scope] = []
        self._listed = 0
        for found in self.found:
            self._open(found)

    def _open(self, found: Found) -> None:
        place, end, trigger = found
        if trigger.assertion in {"any", "negated"}:
            self._deny_inside(found)
        is_read_elsewhere = self._clauses.words[place] == "?" or (trigger.assertion == "corrected" and not trigger.after)
        if trigger.kind != "trigger" or trigger.assertion == "affirmed" or is_read_elsewhere:
            return
        if self._is_doubly_denied(place) or (trigger.plural_subject and not self._has_bare_plural_before(place)):
            return
        kind = AssertionKind(trigger.assertion)
        if trigger.after:
            is_copular = place > 0 and self._clauses.words[place - 1] in self._grammar.copulas
            walk = self._forward(end, trigger, kind, is_copular=is_copular)
            if self._has_needed(trigger, walk.first, walk.end):
                self._add_forward(found, walk, kind)
        if trigger.before:
            walk = self._backward(place, trigger, kind)
            if self._has_needed(trigger, max(self._clauses.sentence(place)[0], place - _NEEDED_WITHIN), place):
                self._add_backward(found, walk, kind)

    def _deny_inside(self, found: Found) -> None:
        """Deny the trigger's own words behind its "no": "no change in" affirms what follows but denies the change."""
        clauses, (place, end, trigger) = self._clauses, found
        for denying in range(place, end - 1):
            if clauses.words[denying] in _DENYING and (denying == place or trigger.kind == "trigger"):
                start, trigger_span = clauses.ends[denying], clauses.span(place, denying + 1)
                self.scopes.append(Scope(start, clauses.ends[end - 1], start, PLAIN, AssertionKind.NEGATED, trigger_span))
                return

    def _has_needed(self, trigger: Trigger, first: int, end: int) -> bool:
        return not trigger.needs or not trigger.needs.isdisjoint(self._clauses.words[first:end])

    def _add_forward(self, found: Found, walk: Walk, kind: AssertionKind) -> None:
        if walk.end <= walk.first and not walk.bullets_end:
            return
        kind = AssertionKind.CORRECTED if kind is AssertionKind.NEGATED and self._is_replaced(found, walk) else kind
        trigger_span = self._clauses.span(found.place, found.end)
        start = trigger_span[1]
        end = walk.bullets_end or self._clauses.ends[walk.end - 1]
        is_denial = kind in {AssertionKind.NEGATED, AssertionKind.CORRECTED}
        figure_end = self._figure_end(walk) if is_denial else end
        self.scopes.append(Scope(start, end, figure_end, _RANKS.get(kind, PLAIN), kind, trigger_span))
        if kind is AssertionKind.HYPOTHETICAL:
            self._suppose(found, walk, trigger_span)

    def _add_backward(self, found: Found, walk: Walk, kind: AssertionKind) -> None:
        if walk.end <= walk.first:
            return
        start, end = self._clauses.ends[walk.first - 1] if walk.first else 0, self._clauses.starts[found.place]
        rank = DENIED_BEFORE if kind in {AssertionKind.NEGATED, AssertionKind.POSSIBLE} else _RANKS.get(kind, PLAIN)
        span = self._clauses.span(found.place, found.end)
        self.scopes.append(Scope(start, end, end, rank, kind, span))

    def _is_replaced(self, found: Found, walk: Walk) -> bool:
        """True for "not X but Y", where "but" opens no clause of its own."""
        stop = self.stops.get(walk.end)
        if stop is None or stop.assertion != "corrected" or self._clauses.words[found.end - 1] not in {"not", "no"}:
            return False
        return not self._opens(walk.end + 1)

    def _figure_end(self, walk: Walk) -> int:
        """Return the offset up to which a denial reaches figures: right behind it only, and not past "until" or "more than"."""
        clauses, place = self._clauses, walk.first
        last = min(walk.end, walk.first + _FIGURE_REACH + 1)
        while place < last and clauses.words[place] not in self._grammar.figure_bounds and clauses.words[place] not in _FIGURE_STOPS:
            place += 1
        return clauses.ends[place - 1] if place > walk.first else clauses.ends[max(walk.first - 1, 0)]

    def _opens(self, place: int) -> bool:
        """True if a clause of its own begins at token ``place``: with a subject or a verb."""
        words = self._clauses.words
        return place < len(words) and (words[place] in self._grammar.openers or words[place] in self._grammar.verbs)

    def _is_doubly_denied(self, place: int) -> bool:
        """True for the "without" of "can't sleep without", which denies nothing."""
        words = self._clauses.words
        if words[place] not in _WITHOUT:
            return False
        for earlier in range(place - 1, max(-1, place - 1 - _LONGEST_ITEM), -1):
            if words[earlier] in HARD or words[earlier] == ",":
                return False
            if words[earlier] in _BEFORE_WITHOUT:
                return True
        return False

    def _has_bare_plural_before(self, place: int) -> bool:
        """True for the subject of a general statement: "High-deductible plans often …", but not "her sessions usually …"."""
        words, first = self._clauses.words, place
        while first and place - first < _LONGEST_SUBJECT and words[first - 1] not in HARD and words[first - 1] != ",":
            first -= 1
        is_plural = first < place and len(words[place - 1]) > 3 and words[place - 1].endswith("s")
        return is_plural and self._grammar.definite.isdisjoint(words[first:place]) and not self._has_verb_before(place)

    def _forward(self, first: int, trigger: Trigger, kind: AssertionKind, *, is_copular: bool) -> Walk:
        words, count = self._clauses.words, len(self._clauses.words)
        if first < count and ((words[first] == "," and kind in _SKIPS_COMMA) or (words[first] == ":" and trigger.lists)):
            first += 1
        place, last = first, min(count, first + trigger.reach)
        while place < last:
            self._clauses.steps += 1
            word = words[place]
            if word in HARD:
                bullets = self._bullets_end(place) if word in ":\n" and kind is AssertionKind.NEGATED else 0
                if bullets:
                    return Walk(first, place, bullets)
                if not (word == ":" and place > first and kind is AssertionKind.NEGATED and self._list_goes_on(place, kind)):
                    break
            is_fronted = word == "," and trigger.before and place - first <= _FRONTED and kind in _SKIPS_COMMA
            if is_copular and (self._stops_predicate(place) or (place > first and word in self._grammar.copulas)):
                break
            if (not is_fronted and self._ends_at(place, trigger, kind)) or (place == first and word == "," and kind not in _SKIPS_COMMA):
                break
            place += 1
        return Walk(first, place)

    def _ends_at(self, place: int, trigger: Trigger, kind: AssertionKind) -> bool:
        word = self._clauses.words[place]
        if word in trigger.ends:
            return True
        if self._stops(place, kind):
            return True
        if word == ",":
            return not self._list_goes_on(place, kind)
        if word not in self._grammar.joiners or kind in _WHOLE_CLAUSE or place + 1 >= len(self._clauses.words):
            return False
        return self._clauses.words[place + 1] in self._grammar.openers or (word in _ADDING and self._opens_behind_and(place + 1))

    def _opens_behind_and(self, place: int) -> bool:
        """True for a verb, for a verb by its look ("carries a …"), and for a subject with its verb behind "and"."""
        words, grammar = self._clauses.words, self._grammar
        if self._opens(place):
            return True
        follows = words[place + 1] if place + 1 < len(words) else ""
        if words[place].endswith("s") and len(words[place]) > 3 and follows in grammar.determiners:
            return True
        return words[place] in grammar.determiners and not grammar.verbs.isdisjoint(words[place : place + _LONGEST_SUBJECT])

    def _stops_predicate(self, place: int) -> bool:
        """True where what "is not …" denies ends: "is not family-friendly with a low rating"."""
        stop = self.stops.get(place + 1) or self.stops.get(place)
        return stop is not None and stop.assertion == "copular"

    def _stops(self, place: int, kind: AssertionKind | None) -> bool:
        """True if a terminator of this kind, or of any, stands at token ``place``."""
        stop = self.stops.get(place)
        return stop is not None and (stop.assertion in {"any", "corrected"} or stop.assertion == kind)

    def _bullets_end(self, place: int) -> int:
        """Return the offset behind the bullets that follow token ``place``, or 0 where none do, or an earlier denial has them."""
        offset = self._clauses.starts[place]
        if offset < self._listed:
            return 0
        match = _BULLETS.match(self._clauses.text, offset + (self._clauses.text[offset] == ":"))
        self._listed = match.end() if match else 0
        return self._listed

    def _list_goes_on(self, comma: int, kind: AssertionKind) -> bool:
        """True if what follows a comma is one more item of a list, not a clause of its own."""
        words, grammar = self._clauses.words, self._grammar
        place = comma + 1
        while place < len(words) and words[place] in grammar.joiners:
            place += 1
        if kind is AssertionKind.OTHER_SUBJECT and words[place : place + 1] and words[place] in _RELATIVE:
            return True
        if self._opens(place) or self._other_trigger_at(place, kind):
            return False
        for word in words[place : place + _LONGEST_ITEM]:
            self._clauses.steps += 1
            if word == "," or word in HARD or word in grammar.joiners:
                break
            if word in grammar.verbs:
                return False
        return True

    def _other_trigger_at(self, place: int, kind: AssertionKind) -> bool:
        words = self._clauses.words
        node = self._grammar.triggers.get(words[place]) if place < len(words) else None
        found = self._grammar.match(node, self._clauses, place) if node else None
        return found is not None and found.trigger.kind == "trigger" and found.trigger.assertion != kind

    def _backward(self, end: int, trigger: Trigger, kind: AssertionKind) -> Walk:
        place = end
        words = self._clauses.words
        is_label = words[end] == ":"
        if place and words[place - 1] in _SAME_SUBJECT and not trigger.after:
            return self._subject_before(place - 1)
        place -= place > 0 and words[place - 1] == ","
        least = max(0, end - min(trigger.reach, _NEEDED_WITHIN))
        while place > least and not (words[place - 1] in HARD if is_label else self._begins_at(place - 1, kind)):
            self._clauses.steps += 1
            place -= 1
        while place < end and words[place] == ",":
            place += 1
        return Walk(place, end)

    def _subject_before(self, end: int) -> Walk:
        """Return the clause before "but not found" if it only says that its subject is or was something, else nothing."""
        words, grammar = self._clauses.words, self._grammar
        place, least = end, max(0, end - _LONGEST_ITEM)
        while place > least and words[place - 1] not in HARD and words[place - 1] != ",":
            place -= 1
            self._clauses.steps += 1
            if words[place] in grammar.verbs and words[place] not in grammar.copulas:
                return Walk(end, end)
        return Walk(place, end) if not grammar.copulas.isdisjoint(words[place:end]) else Walk(end, end)

    def _begins_at(self, place: int, kind: AssertionKind) -> bool:
        """True if a scope that reaches backwards does not reach token ``place``."""
        word = self._clauses.words[place]
        if word in HARD or word in self._grammar.verbs:
            return True
        if self._stops(place, kind):
            return True
        return (word == "," or word in self._grammar.joiners) and self._has_verb_before(place)

    def _has_verb_before(self, place: int) -> bool:
        """True if the words before a comma or "and" are a clause of their own."""
        words = self._clauses.words
        for earlier in range(place - 1, max(-1, place - 1 - _LONGEST_ITEM), -1):
            self._clauses.steps += 1
            if words[earlier] in HARD or words[earlier] == ",":
                return False
            if words[earlier] in self._grammar.verbs or (words[earlier] in _SUBJECTS and earlier < place - 1):
                return True
        return False

    def _suppose(self, found: Found, walk: Walk, trigger_span: Span) -> None:
        """The main clause is supposed as well where it says "would": "If you had it, you would pay $40"."""
        clauses = self._clauses
        first, end = self._main_clause(found.place, walk.end)
        if not self._supposes(first, found.place) and not self._supposes(walk.end, end):
            return
        stop = clauses.ends[end - 1]
        self.scopes.append(Scope(clauses.ends[first - 1] if first else 0, stop, stop, SUPPOSED, AssertionKind.HYPOTHETICAL, trigger_span))

    def _supposes(self, first: int, end: int) -> bool:
        """True if a verb among these tokens says "would", other than to be polite: "I would recommend"."""
        words, grammar = self._clauses.words, self._grammar
        for place in range(first, end):
            if words[place] in grammar.supposing and not (words[place - 1] == "i" and words[min(place + 1, end)] in grammar.polite):
                return True
        return False

    def _main_clause(self, place: int, end: int) -> tuple[int, int]:
        """Return the tokens around a condition, up to a mark that ends a clause or a word such as "but"."""
        words, first = self._clauses.words, place
        while first > max(0, place - _NEEDED_WITHIN) and words[first - 1] not in HARD and not self._stops(first - 1, None):
            first -= 1
        last = end
        while last < min(len(words), end + _NEEDED_WITHIN) and words[last] not in HARD and not self._stops(last, None):
            last += 1
        self._clauses.steps += last - first
        return first, last
