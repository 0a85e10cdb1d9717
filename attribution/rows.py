"""One row for each field of a context: what the answer reports and what a reader can see, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attribution.answer import Answer
from attribution.budget import cost_of_value
from attribution.company import tell_apart, with_unchecked_days
from attribution.comparison.long_texts import LONG_TYPES, SENTENCE_SIGNS, explained_words, find_long_texts, long_elements
from attribution.comparison.matchers import MATCHERS, combine
from attribution.comparison.rows import judge
from attribution.markers import Parsed
from attribution.mentions.number_values import SIGN_NOT_COMPARED
from attribution.mentions.phrases import describe_all
from attribution.model import Evidence, Field, FieldAttribution, FieldType, Marker, Source, Span, Track, contains, new
from attribution.profile import Profile

_CITATION = "citation"

_UNUSED = tuple(FieldAttribution._field_defaults.values())
"""What a row says of a field that is neither cited nor found."""


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
        elif evidence is not None and evidence[2]:
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
    """A citation is the row's method; what matching found stands beside it."""
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
