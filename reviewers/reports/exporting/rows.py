"""The rows of an answer: fields of its record, with what was found of them and what was said of that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attribution import Contradiction, FieldAttribution, Span
from reviewers.reports.exporting.moments import written
from reviewers.reports.exporting.told import Contradicted, Excerpt, Row, Said
from reviewers.review.given_labels import GivenCitationLabel, GivenLabel
from reviewers.review.items import Item, field_key
from reviewers.review.page import value_in_words
from reviewers.review.plans.labels import Reviewed


def rows_of(item: Item, reviews: Sequence[Reviewed], *, all_fields: bool) -> tuple[tuple[Row, ...], int]:
    """The rows that a report shows, in the order of the record, and how many it leaves out.

    Shown are fields that the answer draws on or contradicts, that were seeded, and that somebody has labelled; others if asked for.
    """
    text = item.shown.attribution.clean_text
    spoken_of = {key for review in reviews for key in review.fields}
    rows = [
        _row(item, row, text, reviews)
        for row in item.shown.attribution.fields
        if all_fields or row.is_used or row.contradiction or field_key(row) in spoken_of or field_key(row) in item.planted
    ]
    return tuple(rows), item.row.attribution.field_count - len(rows)


def excerpts(text: str, spans: Iterable[Span]) -> tuple[Excerpt, ...]:
    """Spans with their words."""
    return tuple([Excerpt(start, end, text[start:end]) for start, end in spans])


def said_of(name: str, label: GivenLabel | GivenCitationLabel | None) -> tuple[Said, ...]:
    """What one reviewer said; nothing where there is no label or it was taken back."""
    if label is None or not (label.is_verdict or label.note):
        return ()
    return (Said(str(label.id), name, label.verdict.value, label.note, written(label.created_at), label.reason),)


def _row(item: Item, row: FieldAttribution, text: str, reviews: Sequence[Reviewed]) -> Row:
    key, field, estimate = field_key(row), row.field, row.estimate
    return Row(
        footnote=row.footnote,
        section=field.section,
        path=field.path,
        value=field.value,
        value_text=value_in_words(field.value),
        type=field.type.value,
        track=row.track.value,
        method=row.method,
        rule=row.rule,
        score=row.score,
        confidence=row.confidence,
        low=estimate.low if estimate else None,
        high=estimate.high if estimate else None,
        trace=row.trace,
        spans=excerpts(text, row.evidence.spans) if row.evidence else (),
        claims=excerpts(text, row.claims),
        contradiction=_contradicted(text, row.contradiction) if row.contradiction else None,
        is_hidden=field.is_hidden,
        is_seeded=key in item.planted and not row.is_used,
        said=tuple([said for review in reviews for said in said_of(review.name, review.fields.get(key))]),
    )


def _contradicted(text: str, contradiction: Contradiction) -> Contradicted:
    spans = excerpts(text, contradiction.spans)
    return Contradicted(contradiction.recorded, contradiction.stated, contradiction.trace, spans)
