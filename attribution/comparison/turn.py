"""One turn when its mentions are bound: which field a place is about, and what its sentence does with it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

from attribution.answer import Answer
from attribution.assertion import Assertion, AssertionKind
from attribution.binding.assignment import Bond
from attribution.binding.values import Values
from attribution.comparison.figures import Relation, compare, fit
from attribution.figures import MOST_PLACES
from attribution.mentions.mention import Mention, MentionKind
from attribution.model import FieldAttribution, FieldType, Span, contains
from attribution.profile import Profile
from attribution.reading import Reading
from attribution.schema.target import NAMES, Target
from attribution.schema.terms import Hit, shipped_terms
from attribution.text import READ, words, words_of

ENOUGH = 0.36
"""The least binding with which a value is taken to be a field's: another than the record's then contradicts it."""
RIVAL = 0.3
"""The least binding with which a value counts as another field's, so that it is not evidence of the one whose value it equals."""
NAMED = 0.2
"""The least weight of a label that names a field at all; what lies below is a word that many fields' names have."""
SURE = 0.8
"""The least score of a row that counts as certainly shown: what stands beside it is then taken to be said of the same section or object."""
MOST_COMPARED = 300
_IN_A_STEP = 8
"""Fields that are compared with another one in the time of a step."""
"""The most fields compared with one mention, which bounds the cost of a large context."""
SILENT = frozenset(
    {AssertionKind.HYPOTHETICAL, AssertionKind.HISTORICAL, AssertionKind.ASKED, AssertionKind.OTHER_SUBJECT, AssertionKind.QUOTED}
)
"""Assertions that say nothing of the record."""
DENIED = frozenset({AssertionKind.NEGATED, AssertionKind.CORRECTED})
AFFIRMED = Assertion(AssertionKind.AFFIRMED, None, "")
OPEN = frozenset({AssertionKind.ASKED, AssertionKind.HYPOTHETICAL})
"""Assertions that ask or suppose something that is so."""
_MOST_WORDS_DENIED = 2
_ADJECTIVAL = ("not", "isn't", "is not", "non")
"""Denials of one quality, which end at a comma: "a cheap, not family-friendly, English pub"."""
_ENDED = words("stopped discontinued ended quit ceased negative nonreactive absent gone")
"""Words that deny a thing and no figure beside it: "stopped on December 1", "the test on May 3 was negative"."""
_LABEL_BEFORE = 2
_MOST_OF_A_WORD = 32
NEEDED = words("required needed necessary requires")
"""Behind a thing, what says that it is needed or not, and not that there is one."""
NO_WORDS = words("no none without not sin lacks any")
_NEVER = words("t never nothing")
UNLIMITED = words("unlimited uncapped")
"""Words that say of a thing that nothing limits how many there may be."""
_RELATIVES = words("""
    family mother father sister brother son daughter aunt uncle grandmother grandfather cousin niece nephew wife husband spouse partner
    parents siblings grandparents relatives children maternal paternal grandson granddaughter child baby mom dad
""")
_NONE_OF = words("no nobody none nor neither not")
DEGREES = words("very slightly somewhat much highly quite fairly rather extremely really")
_YOURS = words("you your yours su sus usted")


class Turn:
    """The rows as their values were seen, the mentions, and what the sentences say of them."""

    def __init__(self, rows: Sequence[FieldAttribution], answer: Answer, profile: Profile) -> None:
        self.answer, self.profile, self.given = answer, profile, rows
        self.reading = Reading(answer, rows, profile.registry.spoken)
        self.is_read = self.reading.language in READ
        self.values = Values(self.reading, rows)
        self.by_row: dict[int, list[Bond]] = {}
        self.owner: dict[int, Bond] = {}
        for bond in (*self.reading.bonds, *self.values.bonds):
            self.by_row.setdefault(bond.target.row, []).append(bond)
            self.owner[id(bond.mention)] = bond
        self.cited = [number for number, row in enumerate(rows) if row.claims]
        self.yes_no = self._yes_no()
        self._asserted = self._assertions()
        self._shown: list[Span] | None = None
        self.codes: dict[re.Pattern[str], Sequence[Span]] = {}
        self.exchanged: dict[int, Mention] | None = None
        self._holders: dict[tuple[Mention, str], list[Target]] = {}
        self._labels: dict[int, list[Hit]] | None = None
        self._of_entity: dict[str, list[Mention]] | None = None
        self._names: dict[tuple[str, str], set[str]] | None = None

    def others(self, target: Target, kind: str = "") -> list[Target]:
        """Return the first fields beside one, of a kind if it is named, with which it is compared; none where too few steps are left."""
        compared = self._of_kind.get(kind, ()) if kind else self.reading.targets[:MOST_COMPARED]
        if not self.answer.affords(1 + len(compared) // _IN_A_STEP):
            return []
        return [each for each in compared if each is not target]

    def holders_of(self, mention: Mention, kind: str) -> list[Target]:
        """Return the first fields of a kind whose value a figure of that kind is, asked once; none where too few steps are left."""
        found = self._holders.get((mention, kind))
        if found is None:
            compared = self._of_kind.get(kind, ())
            is_afforded = self.answer.affords(1 + len(compared) // _IN_A_STEP)
            found = [each for each in compared if fit(mention, each) and compare(mention, each) is Relation.EQUAL] if is_afforded else []
            self._holders[mention, kind] = found
        return found if self.answer.affords(1 + len(found) // _IN_A_STEP) else []

    @cached_property
    def codes_by_length(self) -> Counter[int]:
        """Return how many fields hold a code of so many characters."""
        return Counter(len(str(each.values[0])) for each in self.reading.targets if each.kind == "code" and each.values)

    @cached_property
    def _of_kind(self) -> dict[str, list[Target]]:
        found: dict[str, list[Target]] = {}
        for target in self.reading.targets[:MOST_COMPARED]:
            found.setdefault(target.kind, []).append(target)
        return found

    @cached_property
    def names_shown(self) -> Sequence[Span]:
        """The places at which names on record stand in full."""
        shown = [row.evidence for row in self.given if row.evidence is not None and row.field.type is FieldType.NAME]
        return [span for evidence in shown for span in evidence.spans]

    @cached_property
    def denies(self) -> bool:
        """True if the answer has a word that may deny a field's name."""
        return not self.answer.places.keys().isdisjoint(NO_WORDS | UNLIMITED | _NEVER)

    def _yes_no(self) -> dict[int, list[Hit]]:
        """The first phrases that say yes or no, by their entry in the lexicon, as far as any field asks for them."""
        asked = {target.name.yes_no for target in self.reading.targets if target.answer is not None}
        found: dict[int, list[Hit]] = {}
        for hit in self.reading.hits if asked - {None} else ():
            for entry in {entry for entry, _ in hit.meaning.answers if entry in asked}:
                found.setdefault(entry, []).append(hit)
        return {entry: sorted(hits, key=lambda hit: (hit.first, -hit.last))[:MOST_PLACES] for entry, hits in found.items()}

    def _assertions(self) -> dict[Span, Assertion]:
        """Return what is said of every mention and of every place at which a value is seen, asked once."""
        spans = {mention.span for mention in (*self.reading.figures, *self.values.all)}
        spans |= {self.answer.span(first, last - first) for hits in self.yes_no.values() for first, last, _ in hits}
        for row in self.given:
            if row.evidence is not None and row.field.type is not FieldType.BOOLEAN:
                spans.update(row.evidence.spans)
        ordered = sorted(spans)
        return dict(zip(ordered, self.reading.assertions.of(ordered), strict=True))

    def assertion(self, span: Span, *, is_figure: bool = False) -> Assertion:
        """Return what the sentence does with a place. A figure is denied by what stands right before it only."""
        found = self._asserted.get(span)
        if found is None:
            found = self._asserted[span] = self.reading.assertions.of([span])[0]
        if found.trigger is None:
            return found
        if span[0] <= found.trigger[0] < span[1] or self._is_of_another_cell(span, found.trigger):
            return AFFIRMED
        if is_figure and found.kind is AssertionKind.NEGATED and not _ENDED.isdisjoint(found.trigger_text.lower().split()):
            return AFFIRMED
        if found.kind is AssertionKind.NEGATED and found.trigger_text.lower() in _ADJECTIVAL:
            return AFFIRMED if "," in self.answer.text[found.trigger[1] : span[0]] else found
        if is_figure and found.kind is AssertionKind.NEGATED and found.trigger[1] <= span[0]:
            words = self.answer.text[found.trigger[1] : span[0]].split()
            return AFFIRMED if len(words) > _MOST_WORDS_DENIED else found
        return found

    def _is_of_another_cell(self, span: Span, trigger: Span) -> bool:
        """Return True if a place is in a cell of a table, and what denies it in another one, whose row is not named by the place."""
        cell, other = (self.reading.line.cells.get(self.answer.place_at(end - 1)) for end in (span[1], trigger[1]))
        return cell is not None and other is not None and cell != other and 0 not in cell[1:]

    def kind_for(self, span: Span, target: Target, *, is_figure: bool = False) -> AssertionKind:
        """Return what the sentence does with a place, for a field: what is said of relatives is said of the field that is about them."""
        return self.of_whom(self.assertion(span, is_figure=is_figure), target)

    def is_told_by_its_label(self, span: Span, target: Target) -> bool:
        """Return True if what seems to tell of the past only names the field: "coverage started on"."""
        trigger = self.assertion(span).trigger
        if trigger is None:
            return False
        place = self.answer.place_at(trigger[0])
        places = (each for item, weight in target.labels.items() if weight > NAMED for each in self.reading.labels.places.get(item, ()))
        return any(first <= place < last for first, last in places)

    def of_whom(self, assertion: Assertion, target: Target) -> AssertionKind:
        """Return what an assertion does for a field: of relatives it is said where the field is about them."""
        if assertion.kind is not AssertionKind.OTHER_SUBJECT or not target.is_of_others:
            return assertion.kind
        said = [word.removesuffix("'s").removesuffix("’s") for word in assertion.trigger_text.lower().split()]
        if _RELATIVES.isdisjoint(said):
            return assertion.kind
        return AssertionKind.AFFIRMED if _NONE_OF.isdisjoint(said) else AssertionKind.NEGATED

    def is_shown(self, target: Target) -> bool:
        """Return True if a value is seen anywhere, asserted or not: where a field may hold several values, one more is no other."""
        return self.given[target.row].evidence is not None

    def is_its_name(self, place: int, target: Target) -> bool:
        """Return True if a word ends the name of the person or place that a field is about: "Marin" of its provider Lucia Marin."""
        if self._names is None:
            self._names = {}
            for each in self.reading.targets:
                if each.field.leaf in NAMES and type(each.field.value) is str and (name := words_of(each.field.value)):
                    self._names.setdefault(_object_of(each), set()).update(name[:1], name[-1:])
        return place >= 0 and self.answer.words[place] in (self._names.get(_object_of(target)) or ())

    def is_affirmed(self, span: Span) -> bool:
        """Return True if a place is asserted of the record's subject."""
        return self.assertion(span).kind is AssertionKind.AFFIRMED

    def words_at(self, span: Span) -> tuple[int, int]:
        """The first word of a place, and the one behind it."""
        first, last = self.answer.place_at(span[0]), self.answer.place_at(span[1] - 1) + 1
        return (first + 1 if first + 1 < last and self.answer.word_end(first) <= span[0] else first), last

    def are_common(self, first: int, last: int) -> bool:
        """Return True if words are so common that they mean a field only where something names it."""
        return self.profile.vocabulary.common.issuperset(self.answer.words[first:last])

    def is_in_compound(self, first: int, last: int, target: Target) -> bool:
        """Return True if a word for a step of a scale is a part of another word, which names no field: "low-cost" is no low risk."""
        if not target.is_ordered or last - first > 1:
            return False
        text, start, end = self.answer.text, self.answer.starts[first], self.answer.word_end(first)
        other = last if text[end : end + 1] == "-" else first - 1 if start and text[start - 1] == "-" else -1
        if not 0 <= other < len(self.answer.words) or not self.answer.words[other].isalpha():
            return False
        return self.answer.stem_words[other] not in target.items and not self.reading.labels.names(target, other)

    def is_part_of_other(self, place: int, last: int, target: Target) -> bool:
        """Return True if words are a piece of another value of the field's class: "home" in "nursing home", not "good" in "very good"."""
        for mention in self.mentions_at(place, last):
            if mention.kind is not MentionKind.VALUE or mention.values[0] in target.steps.get(mention.unit, (mention.values[0],)):
                continue
            around = [*self.answer.words[mention.first : place], *self.answer.words[last : mention.last]]
            is_within = mention.first <= place and last <= mention.last and not DEGREES.issuperset(around) and NO_WORDS.isdisjoint(around)
            if is_within and shipped_terms().classes[int(mention.unit)].is_exclusive:
                return True
        return False

    @cached_property
    def _at(self) -> dict[int, list[Mention]]:
        """The mentions over each word, the first few: without spaces between words a whole answer is one."""
        found: dict[int, list[Mention]] = {}
        for mention in (*self.reading.figures, *self.values.all):
            for place in range(mention.first, mention.last):
                others = found.setdefault(place, [])
                if len(others) < _MOST_OF_A_WORD:
                    others.append(mention)
        return found

    def mentions_at(self, place: int, last: int) -> Iterator[Mention]:
        """The mentions that overlap some words."""
        for each in range(place, last):
            for mention in self._at.get(each, ()):
                if each in (place, mention.first):
                    yield mention

    def labels_before(self, mention: Mention) -> list[Hit]:
        """The names of fields that the lexicon knows and that end right before a figure."""
        if self._labels is None:
            self._labels = {}
            for hit in self.reading.hits:
                if hit.meaning.is_label:
                    self._labels.setdefault(hit.last, []).append(hit)
        places = range(max(0, mention.first - _LABEL_BEFORE), mention.first + 1)
        return [hit for place in places for hit in self._labels.get(place, ())]

    def figures_of(self, entity: str) -> Sequence[Mention]:
        """The figures that stand where one of several entities is in focus."""
        if self._of_entity is None:
            self._of_entity = {}
            for mention in self.reading.figures:
                self._of_entity.setdefault(self.reading.focus.at(mention.first, mention.last) or "", []).append(mention)
        return self._of_entity.get(entity, ())

    def is_cited_for_another(self, span: Span, target: Target) -> bool:
        """Return True if markers behind a place name other fields and not this one."""
        claims = [row for row in self.cited if any(contains(claim, span) for claim in self.given[row].claims)]
        return bool(claims) and target.row not in claims

    def is_known(self, span: Span) -> bool:
        """Return True if a row's evidence covers a place."""
        if self._shown is None:
            self._shown = sorted({each for row in self.given if row.evidence is not None for each in row.evidence.spans})
        number = bisect_left(self._shown, (span[1], 0))
        return any(start < span[1] and span[0] < end for start, end in self._shown[max(0, number - 8) : number])

    def is_of_the_user(self, first: int, sentence: Span) -> bool:
        """Return True if a sentence around a word speaks to the user."""
        return not _YOURS.isdisjoint([self.answer.words[place] for place in self.answer.places_around(first, sentence)])

    def is_of_the_record(self, first: int, span: Span, target: Target, *, or_before: bool = False) -> bool:
        """Return True if a sentence, or also the one before it, speaks to the user or of the field's section."""
        start, end = self.answer.sentence_at(span[0])
        if or_before and start:
            start = self.answer.sentence_at(start - 1)[0]
        if self.is_of_the_user(first, (start, end)):
            return True
        return self.shows_section((start, end), target)

    def shows_section(self, span: Span, target: Target) -> bool:
        """Return True if a part of the answer shows a field of the target's section."""
        starts = self._shown_of_section.get(target.field.section, ())
        place = bisect_left(starts, span[0])
        return place < len(starts) and starts[place] < span[1]

    @cached_property
    def _shown_of_section(self) -> dict[str, list[int]]:
        """Return the places at which fields are surely shown, in order, by section."""
        found: dict[str, list[int]] = {}
        for row in self.given[:MOST_COMPARED]:
            if row.evidence is not None and row.score >= SURE:
                found.setdefault(row.field.section, []).extend(start for start, _ in row.evidence.spans)
        return {section: sorted(starts) for section, starts in found.items()}

    def shows_object(self, span: Span, target: Target, apart: Span) -> bool:
        """Return True if a part of the answer tells, beside a place, another field of the object in which a field stands."""
        return self.count_of_object(span, target, apart) > 0

    def count_of_object(self, span: Span, target: Target, apart: Span) -> int:
        """Count the fields of the object in which a field stands that a part of the answer tells beside a place."""
        start, end = span
        its, count = _object_of(target), 0
        for other in self.others(target):
            row = self.given[other.row]
            if row.evidence is None or row.score < SURE or _object_of(other) != its:
                continue
            count += any(start <= each[0] < end and not contains(each, apart) for each in row.evidence.spans)
        return count

    def is_in_the_question(self, span: Span) -> bool:
        """Return True if the user has written what stands at a place, or the sentence there asks."""
        answer = self.answer
        is_the_users = bool(answer.asked) and answer.as_written(span).lower() in answer.asked.lower()
        return is_the_users or answer.is_question(answer.sentence_at(span[0]))


def _object_of(target: Target) -> tuple[str, str]:
    return target.field.section, target.field.path.rpartition(".")[0]
