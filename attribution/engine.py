"""The whole pipeline: parse the markers, walk the context, match each field, set both tracks side by side, look for trouble."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any

from attribution.answer import Answer
from attribution.context import walk
from attribution.contradiction import mark_contradictions
from attribution.errors import InputError
from attribution.guardrails import find_guardrails
from attribution.markers import Parsed, parse_markers
from attribution.matchers import match_fields
from attribution.matchers.base import describe_all
from attribution.matchers.numeric import SIGN_NOT_COMPARED
from attribution.model import Attribution, Evidence, Field, FieldAttribution, Marker, Source, Span, Track, contains, new
from attribution.profile import Profile, default_profile
from attribution.version import ENGINE_VERSION

DEFAULT_PROFILE = default_profile()
CITATION = "citation"

_UNUSED = tuple(FieldAttribution._field_defaults.values())
"""What a row says of a field that is neither cited nor found."""


def attribute(
    *,
    response: str,
    context: Mapping[str, Any],
    user_text: str | None = None,
    hidden_sections: Collection[str] = (),
    documents: Sequence[Any] = (),
    profile: Profile = DEFAULT_PROFILE,
    answered_on: date | None = None,
) -> Attribution:
    """Say for every field of ``context`` whether ``response`` draws on it, how strongly, by which rule and where.

    ``response`` is the raw answer, markers included; ``context`` maps sections to objects. ``hidden_sections`` were withheld from
    the prompt: they are not matched, and a marker into them does not count. ``user_text`` and ``documents`` are only searched for
    markers that the answer may be echoing. ``answered_on`` is the day of the message, which gives "tomorrow" a date.
    The same arguments give the same result. Raises ``InputError`` for a response that is no text, a context that is no object or
    holds what is no JSON value, and ``hidden_sections`` that are one text.
    """
    if not isinstance(response, str):
        raise InputError("response", "must be text")
    if isinstance(hidden_sections, str):
        raise InputError("hidden_sections", "must be several section names, not one text")
    hidden = frozenset(hidden_sections)
    fields = walk(context, profile.registry, hidden, profile.thresholds.summary_length)
    parsed = parse_markers(response, fields, profile.registry, hidden, (user_text, *documents), answered_on, asked=user_text or "")
    rows = _rows(fields, parsed, profile)
    return Attribution(
        clean_text=parsed.answer.text,
        source=_source(rows),
        fields=rows,
        markers=parsed.markers,
        guardrails=find_guardrails(parsed, rows, profile.thresholds.tokens_per_marker),
        hidden_sections=tuple(section for section in context if section in hidden),
        profile=profile.id,
        is_calibrated=profile.is_calibrated,
        engine_version=ENGINE_VERSION,
    )


def _rows(fields: Sequence[Field], parsed: Parsed, profile: Profile) -> tuple[FieldAttribution, ...]:
    answer = parsed.answer
    cited = _cited(parsed.markers)
    cited_paths = {path for _, path in cited}
    rows: list[FieldAttribution] = []
    for field, evidence in zip(fields, match_fields(fields, answer, profile), strict=True):
        section, path = field.section, field.path
        markers = cited.get((section, path)) if path in cited_paths else None
        if markers:
            rows.append(_cited_row(field, markers, evidence, answer, profile))
        elif evidence and evidence.score:
            rows.append(_found_row(field, evidence, profile))
        else:
            rows.append(new(FieldAttribution, (field,) + _UNUSED))  # noqa: RUF005  # unpacking goes by way of a list
    return mark_contradictions(rows, answer, profile)


def _cited(markers: Sequence[Marker]) -> dict[tuple[str, str], list[Marker]]:
    """The markers with a footnote, by the field they mean."""
    cited: dict[tuple[str, str], list[Marker]] = {}
    for marker in markers:
        if marker.footnote is not None and marker.section is not None and marker.path is not None:
            cited.setdefault((marker.section, marker.path), []).append(marker)
    return cited


def _found_row(field: Field, evidence: Evidence, profile: Profile) -> FieldAttribution:
    method, rule, score = evidence.method, evidence.rule, evidence.score
    confidence = profile.confidence(method, rule, score)
    return new(FieldAttribution, (field, Track.FOUND_ONLY, method, rule, score, confidence, None, (), evidence, None))


def _cited_row(field: Field, markers: Sequence[Marker], evidence: Evidence | None, answer: Answer, profile: Profile) -> FieldAttribution:
    """A citation is the row's method; what matching found stands beside it."""
    claims = tuple([marker.claim for marker in markers if marker.claim])
    if evidence and evidence.is_ambiguous:
        evidence = _settled(evidence, claims, answer)
    track = Track.CITED_AND_FOUND if evidence else Track.CITED_ONLY
    score = profile.cited_score
    confidence = profile.confidence(CITATION, track, score)
    return new(FieldAttribution, (field, track, CITATION, track, score, confidence, markers[0].footnote, claims, evidence, None))


def _settled(evidence: Evidence, claims: Sequence[Span], answer: Answer) -> Evidence | None:
    """Ambiguous evidence of a cited field: the marker tells that this field is meant. A lone digit counts in its claims only."""
    is_digit = not evidence.score
    spans = tuple([span for span in evidence.spans if not is_digit or any(contains(claim, span) for claim in claims)])
    if not spans:
        return None
    on_sign = SIGN_NOT_COMPARED if evidence.trace.endswith(SIGN_NOT_COMPARED) else ""
    trace = f"{describe_all(answer, spans)}; the marker names the field{on_sign}"
    return evidence._replace(score=evidence.uncapped_score, spans=spans, trace=trace, uncapped_score=0.0)


def _source(rows: Sequence[FieldAttribution]) -> Source:
    is_cited = any(row.footnote is not None for row in rows)
    is_matched = any(row.track is Track.FOUND_ONLY for row in rows)
    if is_cited:
        return Source.MIXED if is_matched else Source.CITATION
    return Source.HEURISTIC if is_matched else Source.NONE
