"""Contradiction: the answer states another value of a field near the field's own name or before its marker.

Compared are fields of the types enum, numeric, money, date, time and boolean. Names, identifiers, durations, lists, summaries,
questions and plain field values are not: what else the answer says there may as well be of something else.

A value that another field of the context explains is that field's, not a contradiction. Questions, conditions and denials state
nothing. What is left is the finding that a compliance reviewer most needs, so false alarms are kept few rather than recall high.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from attribution.answer import Answer
from attribution.figures import MOST_PLACES, Figure, FigureKind
from attribution.lexicon import CONNECTORS, CONTRACTED_BEFORE_NOT, NEGATIONS, REPLACED, SUPPOSITIONS
from attribution.matchers import boolean
from attribution.matchers.date import day_of
from attribution.matchers.money import amounts_of
from attribution.matchers.time import minutes_of
from attribution.model import Contradiction, Field, FieldAttribution, FieldType, Span, contains
from attribution.numbers import as_percentage, canonical_value
from attribution.profile import Profile
from attribution.text import words_of

_MOST_LABELS = 64
_SEVERAL = -1
_REACH_AFTER = 5
_DATE_REACH_AFTER = 6


class Rival(NamedTuple):
    """Another value of a field's kind, and why it is taken as the field's."""

    stated: str
    span: Span
    because: str


def mark_contradictions(rows: Sequence[FieldAttribution], answer: Answer, profile: Profile) -> tuple[FieldAttribution, ...]:
    """The rows, with a contradiction where the answer states another value."""
    stated = {
        number: rivals
        for number, row in enumerate(rows)
        if row[0][3] in _RIVALS and (row[7] or _is_named(row[0], answer, profile)) and (rivals := _rivals(row, answer, profile))
    }
    if not stated:
        return tuple(rows)
    explained = _explained(rows, answer)
    marked = list(rows)
    for number, rivals in stated.items():
        found = [rival for rival in rivals if _stands(rival, number, rows[number], answer, explained)]
        if found:
            marked[number] = rows[number]._replace(contradiction=_contradiction(rows[number].field, found, answer))
    return tuple(marked)


def _rivals(row: FieldAttribution, answer: Answer, profile: Profile) -> list[Rival]:
    return [] if row.field.is_hidden else list(_RIVALS[row.field.type](row, answer, profile))


def _is_named(field: Field, answer: Answer, profile: Profile) -> bool:
    """Whether the answer has any word that names the field."""
    name = profile.registry.leaf_name(field.leaf)
    if field.type is FieldType.BOOLEAN:
        return boolean.is_spoken_of(name.subject, answer)
    return not answer.stems.keys().isdisjoint(name.name_stems)


def _explained(rows: Sequence[FieldAttribution], answer: Answer) -> Mapping[int, int]:
    """For each word of the answer, the number of the row whose evidence covers it, or ``_SEVERAL``.

    Ambiguous evidence and the loose words of long texts explain nothing.
    """
    table: dict[int, int] = {}
    for number, row in enumerate(rows):
        if row.evidence and not row.evidence.is_ambiguous and row.field.type is not FieldType.SUMMARY:
            for span in row.evidence.spans:
                for place in answer.places_in(span):
                    table[place] = number if table.get(place, number) == number else _SEVERAL
    return table


def _stands(rival: Rival, number: int, row: FieldAttribution, answer: Answer, explained: Mapping[int, int]) -> bool:
    if any(explained.get(place, number) != number for place in answer.places_in(rival.span)):
        return False
    sentence = answer.sentence_at(rival.span[0])
    if _is_asked(sentence, row.field, answer) or _is_denied(rival, row.field, answer) or _is_conditional(rival.span, sentence, answer):
        return False
    return not any(sentence[0] <= span[0] < sentence[1] for span in (row.evidence.spans if row.evidence else ()))


def _is_asked(sentence: Span, field: Field, answer: Answer) -> bool:
    """Whether a sentence only asks; a yes-or-no question that is no more than asked is left out already."""
    return field.type is not FieldType.BOOLEAN and answer.is_question(sentence)


def _is_conditional(span: Span, sentence: Span, answer: Answer) -> bool:
    around = answer.places_around(answer.place_at(span[0]), sentence)
    return any(answer.words[place] in SUPPOSITIONS for place in around)


def _is_denied(rival: Rival, field: Field, answer: Answer) -> bool:
    """Whether a negation stands before another value; a yes-or-no statement has its negation read already."""
    place = answer.place_at(rival.span[0])
    return field.type is not FieldType.BOOLEAN and any(
        word in NEGATIONS or word in REPLACED or word in CONTRACTED_BEFORE_NOT for word in answer.words[max(0, place - 3) : place]
    )


def _contradiction(field: Field, rivals: Sequence[Rival], answer: Answer) -> Contradiction:
    first = rivals[0]
    spans = tuple(dict.fromkeys(rival.span for rival in rivals))
    recorded = str(field.value).lower() if isinstance(field.value, bool) else str(field.value)
    trace = (
        f"‘{answer.as_written(first.span)}’ at {first.span[0]}–{first.span[1]} gives another value ({first.because}): "
        f"record {recorded}, answer {first.stated}"
    )
    return Contradiction(recorded, first.stated, spans, trace)


def _enum_rivals(row: FieldAttribution, answer: Answer, profile: Profile) -> Iterator[Rival]:
    """Another of the field's known values beside the field's name, or in the clause before its marker."""
    own = words_of(str(row.field.value))
    name = profile.registry.leaf_name(row.field.leaf)
    names = name.name_stems
    for value in name.enum_values:
        words = words_of(value)
        for place in () if words == own else answer.find(words):
            label = answer.label_near(names, place, len(words), 2) or _label_behind_verb(names, place, answer)
            span = answer.span(place, len(words))
            if label:
                yield Rival(value, span, str(label))
            elif _in_claims(span, row):
                yield Rival(value, span, "before its marker")


def _label_behind_verb(names: frozenset[str], place: int, answer: Answer) -> str:
    """``risk level is currently low``: the name, then only connecting words."""
    labelled = _label_before(names, place, answer)
    return f"label ‘{answer.words[labelled]}’" if labelled is not None else ""


def _label_before(names: Collection[str], place: int, answer: Answer, reach: int = _REACH_AFTER) -> int | None:
    """The place of a name before ``place`` with only connecting words between, in the same clause."""
    clause = answer.naming_clause(place)[0]
    for candidate in range(place - 1, max(-1, place - 1 - reach), -1):
        if answer.starts[candidate] < clause:
            return None
        if answer.stem_words[candidate] in names:
            return candidate
        if not _connects(candidate, answer):
            return None
    return None


def _connects(place: int, answer: Answer) -> bool:
    """Whether a word only connects a name with its value, or is the number of a name, as in PHQ-9."""
    word = answer.words[place]
    return word in CONNECTORS or (word.isdecimal() and answer.text[answer.starts[place] - 1] == "-")


def _numeric_rivals(row: FieldAttribution, answer: Answer, profile: Profile) -> Iterator[Rival]:
    key = canonical_value(row.field.value)
    if key is None:
        return
    is_share = key.startswith("0.")
    own = {key, as_percentage(key)} if is_share else {key}
    yield from _figure_rivals(row, answer, profile, _is_share if is_share else _is_number, own, with_unit=not is_share)


def _is_number(figure: Figure) -> bool:
    return figure.kind is FigureKind.NUMBER


def _is_share(figure: Figure) -> bool:
    """A percentage or a number below 1; a whole number beside a share is the number of something else."""
    return figure.kind is FigureKind.PERCENT or (_is_number(figure) and str(figure.key).startswith("0."))


def _money_rivals(row: FieldAttribution, answer: Answer, profile: Profile) -> Iterator[Rival]:
    amounts = amounts_of(row.field.value)
    if not amounts:
        return
    low, high = min(map(float, amounts)), max(map(float, amounts))

    def is_outside(figure: Figure) -> bool:
        return figure.kind is FigureKind.MONEY and not low <= float(str(figure.key)) <= high

    yield from _figure_rivals(row, answer, profile, is_outside, set(amounts))


def _date_rivals(row: FieldAttribution, answer: Answer, profile: Profile) -> Iterator[Rival]:
    day = day_of(str(row.field.value))
    if day:
        own = {(0, day.month, day.day), (day.year, day.month, day.day)}
        yield from _figure_rivals(row, answer, profile, _is_date, own, reach=_DATE_REACH_AFTER)


def _is_date(figure: Figure) -> bool:
    return figure.kind is FigureKind.DATE


def _time_rivals(row: FieldAttribution, answer: Answer, profile: Profile) -> Iterator[Rival]:
    minutes = minutes_of(str(row.field.value))
    if minutes is not None:
        yield from _figure_rivals(row, answer, profile, _is_time, {minutes}, reach=_DATE_REACH_AFTER)


def _is_time(figure: Figure) -> bool:
    return figure.kind is FigureKind.TIME


def _figure_rivals(
    row: FieldAttribution,
    answer: Answer,
    profile: Profile,
    is_comparable: Callable[[Figure], bool],
    own: Collection[object],
    *,
    with_unit: bool = False,
    reach: int = _REACH_AFTER,
) -> Iterator[Rival]:
    """Comparable figures with another key, after the field's name, before its unit, or in the clause before its marker."""
    figures = answer.figures.all
    if len(figures) <= MOST_PLACES and not any(map(is_comparable, figures)):
        return
    names = profile.registry.leaf_name(row.field.leaf).name_stems
    for label in _places_of(names, answer):
        after = answer.figures_among(label + 1, label + reach)
        before = answer.figures_among(label - 1, label - 1) if with_unit and label else []
        for figure in after + before:
            if is_comparable(figure) and _belongs(label, figure, names, answer, reach):
                yield from _other(figure, own, answer, f"label ‘{answer.words[label]}’")
    for claim in row.claims if not row.evidence else ():
        for figure in answer.figures_in(*claim):
            if is_comparable(figure):
                yield from _other(figure, own, answer, "before its marker")


def _belongs(label: int, figure: Figure, names: Collection[str], answer: Answer, reach: int) -> bool:
    place = answer.place_at(figure.span[0])
    if place < label:
        return figure.span[0] >= answer.clause_at(answer.starts[label])[0]
    return _label_before(names, place, answer, reach) == label


def _other(figure: Figure, own: Collection[object], answer: Answer, because: str) -> Iterator[Rival]:
    readings = {each.key for each in answer.figures_in(figure.span[0], figure.span[0] + 1)}
    if not readings & set(own) and not figure.detail.startswith("day"):
        sign = "%" if figure.kind is FigureKind.PERCENT else ""
        yield Rival(answer.as_written(figure.span) + sign, figure.span, because)


def _places_of(stems: Collection[str], answer: Answer) -> list[int]:
    return sorted(place for each in stems for place in answer.stems.get(each, ())[:_MOST_LABELS])[:_MOST_LABELS]


def _in_claims(span: Span, row: FieldAttribution) -> bool:
    return any(contains(claim, span) for claim in row.claims)


def _boolean_rivals(row: FieldAttribution, answer: Answer, profile: Profile) -> Iterator[Rival]:
    """The opposite stated, and the field's own polarity nowhere."""
    found = [] if row.evidence else boolean.statements(row.field, answer, profile)
    for each in found:
        if each.is_affirmed is not row.field.value:
            word = each.reply or each.negation
            yield Rival(str(each.is_affirmed).lower(), each.span, f"‘{word}’" if word else "said without a negation")


_RIVALS: dict[FieldType, Callable[[FieldAttribution, Answer, Profile], Iterator[Rival]]] = {
    FieldType.ENUM: _enum_rivals,
    FieldType.NUMERIC: _numeric_rivals,
    FieldType.MONEY: _money_rivals,
    FieldType.DATE: _date_rivals,
    FieldType.TIME: _time_rivals,
    FieldType.BOOLEAN: _boolean_rivals,
}
