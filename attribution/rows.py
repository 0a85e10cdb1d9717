"""One row for each field of a context: what the answer reports and what a reader can see, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attribution.answer import Answer
from attribution.budget import cost_of_value
from attribution.comparison.long_texts import LONG_TYPES, SENTENCE_SIGNS, explained_words, find_long_texts, long_elements
from attribution.comparison.matchers import MATCHERS, combine
from attribution.comparison.rows import judge
from attribution.markers import Parsed
from attribution.mentions.date_values import day_of, has_its_own_date
from attribution.mentions.number_values import SIGN_NOT_COMPARED
from attribution.mentions.phrases import describe, describe_all
from attribution.model import Evidence, Field, FieldAttribution, FieldType, Marker, Source, Span, Track, contains, new
from attribution.profile import Profile
from attribution.remembering import remembered
from attribution.text import stem, words_of

_RULE = "unchecked_day"
_LABEL_REACH = 8
_AMOUNTS = frozenset({FieldType.NUMERIC, FieldType.MONEY})
_COMPARED = _AMOUNTS | {
    *(
        FieldType.BOOLEAN,
        FieldType.ENUM,
        FieldType.DATE,
        FieldType.TIME,
        FieldType.DURATION,
        FieldType.NAME,
        FieldType.IDENTIFIER,
        FieldType.FIELD_VALUE,
    )
}


def with_unchecked_days(rows: list[FieldAttribution], answer: Answer, profile: Profile) -> None:
    """Give a day that only the day of the message could tell to the one date of a section that the answer does not write otherwise.

    The day of the message is not known, so the date cannot be compared. What speaks for it is that the day is in one sentence
    with another field of the section, and that no other date of the section is left for it.
    """
    told = [span for spans in answer.relative_days.by_distance.values() for span in spans if not has_its_own_date(span, answer)]
    for number in _only_dates_left(rows) if told else ():
        answer.steps += len(rows) // 2
        if answer.is_spent:
            return
        found = _beside_another(rows[number], told, rows, answer)
        if found:
            score = profile.score(FieldType.DATE, _RULE)
            evidence = Evidence(FieldType.DATE, _RULE, score, (found[0],), _trace(*found, answer))
            rows[number] = rows[number]._replace(
                track=Track.FOUND_ONLY, method=FieldType.DATE, rule=_RULE, score=score, confidence=score, evidence=evidence
            )


def _only_dates_left(rows: Sequence[FieldAttribution]) -> Iterator[int]:
    """The dates that nothing shows and that are the only ones so in their section."""
    left: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        field = row.field
        if field.type is FieldType.DATE and row.track is Track.NEITHER and not field.is_hidden and day_of(str(field.value)):
            left.setdefault(field.section, []).append(number)
    return (numbers[0] for numbers in left.values() if len(numbers) == 1)


def _beside_another(
    row: FieldAttribution, told: Sequence[Span], rows: Sequence[FieldAttribution], answer: Answer
) -> tuple[Span, FieldAttribution] | None:
    """The first of these days that no field of the section has, and a field of the section in its sentence."""
    section = row.field.section
    others = [other for other in rows if other.field.section == section and other.evidence and not other.evidence.is_ambiguous]
    taken = {span for other in others for span in other.spans}
    for span in sorted(told):
        start, end = answer.sentence_at(span[0])
        beside = next((other for other in others if any(start <= each[0] < end for each in other.spans)), None)
        if beside and span not in taken:
            return span, beside
    return None


def _trace(span: Span, beside: FieldAttribution, answer: Answer) -> str:
    return (
        f"{describe(answer, span)}, in one sentence with {beside.field.section}.{beside.field.path}, and no other date of the section"
        " is left for it; the day of the message is not known"
    )


def tell_apart(rows: list[FieldAttribution], answer: Answer, profile: Profile) -> None:
    """Say of rows that are seen at one place that they are; of amounts there, which one the words around name.

    An amount that another field's name is beside, or that no name does, may as well be the other's: its score is capped. So
    may a yes or no that is said in a word of the other's name, and in none of its own.
    """
    for span, group in _shared(rows).items():
        first, second = (rows[number].field for number in group[:2])
        for number in group:
            row = rows[number]
            field = row.field
            other = second if field is first else first
            is_open = field.leaf != other.leaf and _may_be_of(other, row, span, answer, profile)
            rows[number] = _capped(row, other, profile) if is_open else _noted(row, other)


def _shared(rows: Sequence[FieldAttribution]) -> dict[Span, list[int]]:
    """The places at which several fields are seen that the model did not cite, with the numbers of their rows."""
    first: dict[Span, int] = {}
    shared: dict[Span, list[int]] = {}
    for number, row in enumerate(rows):
        evidence = row.evidence
        if evidence is not None and row.footnote is None and row.field.type in _COMPARED:
            span = evidence.spans[0]
            if span in first:
                shared.setdefault(span, [first[span]]).append(number)
            else:
                first[span] = number
    return shared


def _may_be_of(other: Field, row: FieldAttribution, span: Span, answer: Answer, profile: Profile) -> bool:
    """Return True if what stands at a place may as well be another field's.

    An amount is told by the words around it, a yes or no by the word itself.
    """
    if row.field.type is FieldType.BOOLEAN:
        said = frozenset(map(stem, words_of(answer.as_written(span))))
        return said.isdisjoint(_own_stems(row.field.leaf)) and not said.isdisjoint(_own_stems(other.leaf))
    return row.field.type in _AMOUNTS and not _is_named(row, span, answer, profile)


@remembered
def _own_stems(leaf: str) -> frozenset[str]:
    return frozenset(map(stem, words_of(leaf)))


def _is_named(row: FieldAttribution, span: Span, answer: Answer, profile: Profile) -> bool:
    """Return True if a name of the row's field is beside a place."""
    labels = profile.registry.leaf_name(row.field.leaf).label_stems
    return bool(answer.label_near(labels, answer.place_at(span[0]), len(answer.places_in(span)) or 1, _LABEL_REACH))


def _noted(row: FieldAttribution, other: Field) -> FieldAttribution:
    if row.evidence is None:
        return row
    trace = f"{row.evidence.trace}; {other.section}.{other.path} shows there as well"
    return row._replace(evidence=row.evidence._replace(trace=trace))


def _capped(row: FieldAttribution, other: Field, profile: Profile) -> FieldAttribution:
    cap, evidence = profile.thresholds.common_word_cap, row.evidence
    if evidence is None or evidence.score <= cap:
        return row
    trace = f"{evidence.trace}; it may as well be {other.section}.{other.path}"
    evidence = evidence._replace(score=cap, uncapped_score=evidence.score, trace=trace)
    return row._replace(score=cap, confidence=cap, evidence=evidence)


_CITATION = "citation"

_UNUSED = tuple(FieldAttribution._field_defaults.values())
"""The values of a row for a field that is neither cited nor found."""


def rows_of(fields: Sequence[Field], parsed: Parsed, profile: Profile) -> tuple[FieldAttribution, ...]:
    """Match each field and set it beside its markers; look for other values stated; calibrate. The rows keep the order of ``fields``."""
    answer = parsed.answer
    cited = _cited(parsed.markers)
    cited_paths = {path for _, path in cited}
    make, unused, matchers = new, _UNUSED, MATCHERS  # looked up once: the loop is the engine's longest
    found_only = Track.FOUND_ONLY
    rows: list[FieldAttribution] = []
    seen: list[Span] = []
    texts: list[tuple[int, str]] = []
    for field in fields:
        section, path, _, kind, value, is_hidden = field
        matcher = None if is_hidden else matchers.get(kind)
        matcher = matcher if matcher and answer.affords(cost_of_value(value)) else None
        evidence = matcher(value, field, answer, profile) if matcher else None
        if evidence is None and kind in LONG_TYPES and matcher:
            if type(value) is not str:
                texts += [(len(rows), text) for text in long_elements(value, profile.thresholds.summary_length)]
            elif kind is FieldType.SUMMARY or value[-1] in SENTENCE_SIGNS:
                texts.append((len(rows), value))
        markers = cited.get((section, path)) if path in cited_paths else None
        if markers:
            rows.append(_cited_row(field, markers, evidence, answer, profile))
        elif evidence is not None and evidence.score:
            method, rule, score, spans, _, _, _, _ = evidence
            seen.append(spans[0])
            rows.append(make(FieldAttribution, (field, found_only, method, rule, score, score, None, (), evidence, None, None, None)))
        else:
            rows.append(make(FieldAttribution, (field,) + unused))  # noqa: RUF005  # unpacking goes by way of a list
    if len(seen) > len(set(seen)):
        tell_apart(rows, answer, profile)
    if answer.tells_days and answer.answered_on is None:
        with_unchecked_days(rows, answer, profile)
    if texts:
        _read_long_texts(texts, rows, cited, answer, profile)
    marked = tuple(judge(rows, answer, profile))
    return profile.calibration.calibrate(marked) if profile.is_calibrated else marked


def _cited(markers: Sequence[Marker]) -> dict[tuple[str, str], list[Marker]]:
    """The markers with a footnote, by the field they mean."""
    cited: dict[tuple[str, str], list[Marker]] = {}
    for marker in markers:
        if marker.footnote is not None and marker.section is not None and marker.path is not None:
            cited.setdefault((marker.section, marker.path), []).append(marker)
    return cited


def _read_long_texts(
    texts: Sequence[tuple[int, str]],
    rows: list[FieldAttribution],
    cited: Mapping[tuple[str, str], Sequence[Marker]],
    answer: Answer,
    profile: Profile,
) -> None:
    """Long texts are read together, when it is known which words of the answer state the values of other fields."""
    explained = explained_words([row.evidence for row in rows if row.evidence], answer)
    read = find_long_texts([text for _, text in texts], explained, answer, profile)
    found: dict[int, list[Evidence]] = {}
    for (number, _), evidence in zip(texts, read, strict=True):
        if evidence:
            found.setdefault(number, []).append(evidence)
    for number, its in found.items():
        field = rows[number].field
        evidence = combine(its, len(field.value)) if isinstance(field.value, list) else its[0]
        markers = cited.get((field.section, field.path))
        rows[number] = _cited_row(field, markers, evidence, answer, profile) if markers else _found_row(field, evidence)


def _found_row(field: Field, evidence: Evidence) -> FieldAttribution:
    method, rule, score = evidence.method, evidence.rule, evidence.score
    return new(FieldAttribution, (field, Track.FOUND_ONLY, method, rule, score, score, None, (), evidence, None, None, None))


def _cited_row(field: Field, markers: Sequence[Marker], evidence: Evidence | None, answer: Answer, profile: Profile) -> FieldAttribution:
    """A citation is the row's method; what matching found is beside it."""
    claims = tuple([marker.claim for marker in markers if marker.claim])
    if evidence and evidence.is_ambiguous:
        evidence = _settled(evidence, claims, answer)
    track = Track.CITED_AND_FOUND if evidence else Track.CITED_ONLY
    score = profile.cited_score
    footnote = markers[0].footnote
    return new(FieldAttribution, (field, track, _CITATION, track, score, score, footnote, claims, evidence, None, None, None))


def _settled(evidence: Evidence, claims: Sequence[Span], answer: Answer) -> Evidence | None:
    """Ambiguous evidence of a cited field: the marker tells that this field is meant. A lone digit counts in its claims only."""
    is_digit = not evidence.score
    spans = tuple([span for span in evidence.spans if not is_digit or any(contains(claim, span) for claim in claims)])
    if not spans:
        return None
    on_sign = SIGN_NOT_COMPARED if evidence.trace.endswith(SIGN_NOT_COMPARED) else ""
    trace = f"{describe_all(answer, spans)}; the marker names the field{on_sign}"
    return evidence._replace(score=evidence.uncapped_score, spans=spans, trace=trace, uncapped_score=0.0)


def source_of(rows: Sequence[FieldAttribution]) -> Source:
    """Return the source of what the rows claim."""
    is_cited = any(row.footnote is not None for row in rows)
    is_matched = any(row.track is Track.FOUND_ONLY for row in rows)
    if is_cited:
        return Source.MIXED if is_matched else Source.CITATION
    return Source.HEURISTIC if is_matched else Source.NONE
