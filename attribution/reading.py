"""Read an answer: mentions, what the sentences do with them, which field they speak of, and only then how they compare."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise

from attribution.answer import Answer
from attribution.assertion import Assertions
from attribution.binding.affinity import Labels, label_places
from attribution.binding.assignment import Bond, Counted, assign
from attribution.binding.company import Company
from attribution.binding.following import Following
from attribution.binding.line import Focus, Line
from attribution.comparison.figures import Relation, compare, fit
from attribution.lexicon.words import FREQUENCIES, TITLES
from attribution.mentions.figures import find_figure_mentions
from attribution.mentions.foreign import find_foreign
from attribution.mentions.mention import Mention, MentionKind
from attribution.mentions.names import NameRun
from attribution.model import FieldAttribution, FieldType, Span, contains
from attribution.schema.names import CHANGE, UNITS
from attribution.schema.registry import Spoken
from attribution.schema.target import NAMES, Target
from attribution.schema.targets import targets_of
from attribution.schema.terms import roots_of, shipped_terms
from attribution.text import words_of

FIGURES = frozenset({"number", "money", "percent", "duration", "rate", "date", "time", "weekday", "code", "dose", "pair"})
_FOCUSED = 0.3
_CITED = 0.8
_EQUAL, _OF_ONE_FORM = 0.02, 0.01
_SURE = 0.7
_OF_A_THING = frozenset(("value", "result", "score", "total", "amount", "level", "reading", "dose", "dosage", "strength"))
_OF_ITS_OWN = 0.2
"""Names that say nothing themselves: the name of the thing that has them is their label."""
_TEXT_TYPES = frozenset({FieldType.FIELD_VALUE, FieldType.NAME, FieldType.LIST, FieldType.ENUM})


class Reading:
    """One answer beside one context."""

    def __init__(self, answer: Answer, rows: Sequence[FieldAttribution], spoken: Mapping[str, Spoken]) -> None:
        self.answer = answer
        self.rows = rows
        self.targets, shape = targets_of([row.field for row in rows], spoken)
        for target in self.targets:
            evidence = rows[target.row].evidence
            is_amount = target.kind == "number" and evidence is not None and evidence.rule == "amount"
            if is_amount and not target.name.is_weight:
                target.kind = "money"
        self.counts = Counter(target.kind for target in self.targets)
        self._numbered = {target.name.stems[-1] for target in self.targets if target.kind == "number" and target.name.stems}
        self.names: dict[str, list[NameRun]] | None = None
        self._long_words: dict[str, list[str]] | None = None
        self._siblings: dict[tuple[str, str], list[Target]] | None = None
        self._best: dict[Span, float] = {}
        self.line = Line(answer)
        self.language = answer.language
        self.assertions = Assertions(answer.text, self.language)
        self.hits = shipped_terms().find(roots_of(answer.words, answer.stem_words, answer.places), self.line.sentence)
        self.figures = find_figure_mentions(answer, self._masked())
        if self.language != "en":
            self.figures = self._with_foreign()
        self._following = Following(answer, self.figures, self.line, self.assertions)
        self.past, self.outdated = self._following.past, self._following.outdated
        self.labels = Labels(label_places(answer, self.hits, shape.items), self.figures, self.line, answer.words)
        named = list(self._named())
        self._named_in = {self.line.sentence[place] for place, _ in named}
        self.focus = Focus(named, self.line)
        self._company = Company(answer, self.line, self.targets, rows)
        self.shown = Counter(row.field.section for row in rows if row.evidence is not None)
        self.bonds = self._bind_figures()

    def _with_foreign(self) -> list[Mention]:
        """Replace mentions that were read as English by those that another language's writing shows."""
        found = find_foreign(self.answer)
        spans = sorted([each.span for each in found if each.kind is not MentionKind.NUMBER])
        starts, ends = [start for start, _ in spans], [0, *accumulate([end for _, end in spans], max)]
        kept = [each for each in self.figures if ends[bisect_left(starts, each.span[1])] <= each.span[0]]
        known = {each.span for each in kept}
        kept += [each for each in found if each.span not in known]
        return sorted(kept, key=lambda each: each.span)

    def _masked(self) -> set[int]:
        """The words of names that hold digits: PHQ-9, an address, a plan."""
        masked: set[int] = set()
        words = self.answer.words
        for first, last, meaning in self.hits if self.answer.digit_words else ():
            if (
                last - first > 1
                and (meaning.is_label or meaning.values)
                and words[first].isalpha()
                and len(words[first]) > 1
                and any(map(str.isdigit, words[first:last]))
                and (last - first > len(("stage", "3")) or self.answer.stem_words[first] not in self._numbered)
            ):
                masked.update(range(first, last))
        for row in self.rows:
            if row.evidence is not None and row.field.type in _TEXT_TYPES:
                for span in row.evidence.spans:
                    places = self.answer.places_in(span)
                    if len(places) > 1:
                        masked.update(places)
        return masked

    def _named(self) -> Iterable[tuple[int, str]]:
        """Return the places where entities that have siblings are named."""
        named = {target.entity for target in self.targets if target.entity and target.field.leaf in NAMES}
        for target in self.targets:
            if not target.entity or (target.field.leaf not in NAMES and (target.entity in named or target.kind != "date")):
                continue
            evidence = self.rows[target.row].evidence
            if evidence is not None and evidence.score >= _SURE:
                for span in evidence.spans:
                    yield self.answer.place_at(span[0]), target.entity

    @cached_property
    def synonyms(self) -> dict[int, list[tuple[int, int]]]:
        """The places of each group of synonyms."""
        found: dict[int, list[tuple[int, int]]] = {}
        for first, last, meaning in self.hits:
            for group in meaning.synonyms if not self.is_in_relative(first, last) else ():
                found.setdefault(group, []).append((first, last))
        return found

    def is_in_relative(self, first: int, last: int) -> bool:
        """Return True if words are a piece of a phrase that means another thing: "hypertension" in "portal hypertension"."""
        size = last - first
        return any(start <= first and last <= end and end - start > size for start, end in self._relatives)

    @cached_property
    def _relatives(self) -> Sequence[tuple[int, int]]:
        return [(first, last) for first, last, meaning in self.hits if meaning.is_relative]

    @cached_property
    def titled(self) -> set[str]:
        """The names on record that have a title."""
        names = {str(each.field.value) for each in self.targets if each.field.type is FieldType.NAME}
        return {name for name in names if not set(words_of(name)[:1]).isdisjoint(TITLES)}

    def siblings(self, target: Target) -> list[Target]:
        """Return the like fields of the entities beside a field's own."""
        return [each for each in self._alike(target) if each.entity != target.entity]

    def size_of_group(self, target: Target) -> int:
        """Return how many entities have a field, its own among them."""
        return len(self._alike(target))

    def _alike(self, target: Target) -> Sequence[Target]:
        if self._siblings is None:
            self._siblings = {}
            for each in self.targets:
                if each.group:
                    self._siblings.setdefault((each.group, each.field.leaf), []).append(each)
        return self._siblings.get((target.group, target.field.leaf), ())

    def long_words(self, fewest: int) -> dict[str, list[str]]:
        """The long words of the answer by their first three letters."""
        if self._long_words is None:
            self._long_words = {}
            for word in self.answer.places:
                if len(word) >= fewest:
                    self._long_words.setdefault(word[:3], []).append(word)
        return self._long_words

    def is_stray(self, place: int, last: int, target: Target) -> bool:
        """Return True if a place speaks of a sibling of the field's entity."""
        if not target.entity:
            return False
        entity = self.focus.at(place, last)
        return entity is not None and entity != target.entity

    def _bind_figures(self) -> list[Bond]:
        targets = [target for target in self.targets if target.kind in FIGURES]
        if not targets or not self.figures:
            return []
        groups: dict[int, list[Mention]] = {}
        for mention in self.figures:
            groups.setdefault(self.line.sentence[mention.first], []).append(mention)
        general = [target for target in targets if not target.entity and self._may_be_meant(target)]
        of_entity: dict[str, list[Target]] = {}
        for target in targets:
            if target.entity:
                of_entity.setdefault(target.entity, []).append(target)
        cited, counted = self._cited(targets), Counted.among(targets)
        bonds: list[Bond] = []
        for sentence, group in groups.items():
            meant = self._meant(group, general, of_entity, cited.get(sentence, ()))
            if not self.answer.affords(_STEPS_OF_WEIGHING * len(group) * len(meant)):
                break
            of_all = counted.bind(group, self.answer) if counted else []
            bonds += of_all or self._respective(group, meant) or assign(group, meant, self._weigh, self.shown)
        return bonds

    def _cited(self, targets: Sequence[Target]) -> dict[int, list[Target]]:
        """The fields that a marker cites, by the sentence that it follows."""
        cited: dict[int, list[Target]] = {}
        for target in targets:
            for start, _ in self.rows[target.row].claims:
                sentence = self.line.sentence[self.answer.place_at(start)] if self.line.sentence else 0
                cited.setdefault(sentence, []).append(target)
        return cited

    def _meant(
        self, group: Sequence[Mention], general: list[Target], of_entity: dict[str, list[Target]], cited: Sequence[Target]
    ) -> list[Target]:
        """The fields that the figures of a sentence may be of: of entities only those in focus, or the first few where none is."""
        found = {target.row: target for target in (*general, *cited)}
        entities = {self.focus.at(mention.first, mention.last) for mention in group} if of_entity else set()
        names = [each for each in of_entity if each in entities] if None not in entities else list(of_entity)[:_MOST_ENTITIES]
        for name in names:
            found |= {target.row: target for target in of_entity[name]}
        return [found[row] for row in sorted(found)]

    def _may_be_meant(self, target: Target) -> bool:
        """Return True if anything in the answer could bind a figure to a field."""
        is_periodical = target.kind == "money" and not FREQUENCIES.keys().isdisjoint(target.name.words)
        is_nothing = target.kind == "money" and target.values[:1] == (0,)
        return is_periodical or is_nothing or target.kind in _BOUND_OTHERWISE or self.labels.reach(target)

    def _respective(self, group: Sequence[Mention], targets: Sequence[Target]) -> list[Bond]:
        """The figures go to the names in their order: "PHQ-9 and GAD-7 were 13 and 10, respectively"."""
        sentence = self.line.sentence[group[0].first]
        said = [mention for mention in group if not mention.follows and mention.unit != "th"]
        if len(said) < len(("one", "other")):
            return []
        named = sorted(
            (*place, target.row, target)
            for target in targets
            if any(fit(mention, target) for mention in said) and (place := self._first_label(target, sentence)) is not None
        )
        if len(said) != len(named) or any(mention.other_end for mention in said):
            return []
        rows = [(first, last) for first, last, _, _ in named]
        if not (self._is_in_turn(sentence) or self._are_in_rows(rows, [(mention.first, mention.last) for mention in said])):
            return []
        return [Bond(mention, target, 2.0, is_near=True) for mention, (*_, target) in zip(said, named, strict=True)]

    def _is_in_turn(self, sentence: int) -> bool:
        """Return True if a sentence says that its figures come in the order of their names."""
        places = [place for word in _IN_TURN for place in self.answer.places.get(word, ())]
        places += [place for place in self.answer.places.get("order", ()) if self.answer.words[place - 1] in ("that", "this")]
        return any(self.line.sentence[place] == sentence for place in places)

    def _are_in_rows(self, names: Sequence[tuple[int, int]], figures: Sequence[tuple[int, int]]) -> bool:
        """Return True if names are in one row and figures in another, soon behind: "LDL and HDL were 131 and 48"."""
        if any(other[0] < one[1] for one, other in pairwise(names)) or not 0 < figures[0][0] - names[-1][1] < _LONGEST_COPULA:
            return False
        return all(_JOINING.issuperset(self.answer.words[one[1] : other[0]]) for row in (names, figures) for one, other in pairwise(row))

    def _first_label(self, target: Target, sentence: int) -> tuple[int, int] | None:
        places = [
            place
            for item, weight in target.labels.items()
            if weight > 0.4
            for place in self.labels.places.get(item, ())
            if self.line.sentence[place[0]] == sentence
        ]
        return min(places, default=None)

    def _weigh(self, mention: Mention, target: Target) -> Bond | None:
        fits = fit(mention, target)
        if not fits or self._is_of_other_time(mention, target) or self.is_stray(mention.first, mention.last, target):
            return None
        weight, is_near = self._by_words(mention, target)
        claims = self.rows[target.row].claims
        least = self._company.strength(mention, target)
        if mention.period and not (target.period or mention.kind is MentionKind.MONEY) and self._company.is_counted_by_period(mention):
            return None
        if not (weight or least or claims or target.entity):
            return None
        weight *= 1.0 if fits == 1 else 0.75
        if mention.counted:
            weight *= 0.9 if self.labels.names(target, mention.last) or self._is_counted_by(mention, target) else 0.5
        if target.entity and self.focus.at(mention.first, mention.last) == target.entity:
            weight += _FOCUSED
            if target.field.leaf in _OF_A_THING and self.line.sentence[mention.first] in self._named_in:
                weight, is_near = weight + _OF_ITS_OWN, True
        is_equal = compare(mention, target) is Relation.EQUAL
        if mention.is_loose and self.answer.words[mention.first] in target.name.words:
            return None
        is_cited = bool(claims) and any(contains(claim, mention.span) for claim in claims)
        if is_cited and (is_equal or any(map(str.isdigit, self.answer.as_written(mention.span)))):
            return Bond(mention, target, max(weight, least) + (_CITED if is_equal else _CITED / 2), is_near=True)
        if weight:
            weight += _EQUAL if is_equal else _OF_ONE_FORM if _are_of_one_form(mention, target) else 0.0
        return Bond(mention, target, max(weight, least), is_near or least > 0)

    def _is_of_other_time(self, mention: Mention, target: Target) -> bool:
        """Return True if a number counts other units of time than the field's: the weeks of "every two weeks" are no minutes.

        So does a year, and by how much something has changed.
        """
        if self._is_year(mention, target) or self._is_change(mention, target):
            return True
        if mention.kind is not MentionKind.NUMBER or target.kind != "duration" or target.name.unit is None:
            return False
        behind = UNITS.get(self.answer.words[mention.last]) if mention.last < len(self.answer.words) else None
        return behind is not None and behind != target.name.unit and behind[0] in ("time", "months")

    def _is_year(self, mention: Mention, target: Target) -> bool:
        """Return True if a number is the year in which something was, and the field holds no number of that size: "in 2018"."""
        is_led = mention.kind is MentionKind.NUMBER and mention.first > 0 and self.answer.words[mention.first - 1] in _BEFORE_YEARS
        if not (is_led and target.kind == "number") or mention.values[0] not in _YEARS:
            return False
        return not any(_YEARS.start <= each for each in target.values)

    def _is_change(self, mention: Mention, target: Target) -> bool:
        """Return True if a number is by how much something has changed, and the field is no change: "fell by 5 points"."""
        return self._following.is_change(mention) and CHANGE.isdisjoint(target.name.words)

    def _is_counted_by(self, mention: Mention, target: Target) -> bool:
        """Return True if what a number counts, words for its sort left out, is in a field's name: "20 physical therapy visits"."""
        counted = self.answer.stem_words[mention.last : mention.last + _COUNTED_WITHIN]
        return target.name.is_count and not set(target.name.stems).isdisjoint(counted)

    def _by_words(self, mention: Mention, target: Target) -> tuple[float, bool]:
        """The labels around a mention; an end of a range goes with the field of that end."""
        weight, is_near = self.labels.affinity(mention, target)
        if self.past and weight and target.name.is_past != (mention.span in self.past):
            weight -= _EARLIER
        if self.outdated and weight:
            is_old = mention.span in self.outdated
            old = mention.follows
            is_new = old is not None and old.span in self.outdated and self._may_be_of(old, target)
            if (is_old and target.name.is_past) or (is_new and not target.name.is_past):
                weight, is_near = weight + _CHANGED, True
        if weight and self.answer.words[max(0, mention.first - 2) : mention.first] == ["out", "of"]:
            weight += _OF_AN_END if target.name.is_second else -_OF_AN_END
        if target.end and mention.end:
            weight += _OF_AN_END if target.end == mention.end else -_OF_AN_END
        return weight, is_near

    def _may_be_of(self, mention: Mention, target: Target) -> bool:
        """Return True if a field's labels stand near a mention, or the labels around it name no field better."""
        affinity = self.labels.affinity(mention, target)
        if affinity.is_near:
            return True
        best = self._best.get(mention.span)
        if best is None:
            best = max((self.labels.affinity(mention, each).weight for each in self.targets if fit(mention, each)), default=0.0)
            self._best[mention.span] = best
        return affinity.weight >= best


_MOST_ENTITIES = 12
_STEPS_OF_WEIGHING = 2
_BEFORE_YEARS, _YEARS = ("in", "since", "until", "en", "desde"), range(1900, 2100)
_COUNTED_WITHIN = 3
_OF_AN_END = 0.4
"""Words that the end of a range and the field of that end have in common, beside their own."""
_EARLIER = 0.2
_CHANGED = 0.4
"""How much better a figure goes with a field of what was, or of what is, where a sentence tells both."""
_BOUND_OTHERWISE = frozenset({"number", "date", "time", "weekday", "rate"})
"""Kinds that may be bound by their writing, by a date beside them, or by what they put right."""


def _are_of_one_form(mention: Mention, target: Target) -> bool:
    """Return True if both are whole numbers, or neither."""
    said, recorded = mention.values[0], target.values[0] if target.values else None
    return isinstance(said, Fraction) and isinstance(recorded, Fraction) and (said.denominator == 1) == (recorded.denominator == 1)


_LONGEST_COPULA = 4
_JOINING = frozenset(("and", "&", "the", "your", "her", "his", "my", ""))
_IN_TURN = ("respectively", "respectivamente")
