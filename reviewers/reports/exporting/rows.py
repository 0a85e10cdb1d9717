"""The rows of an answer: fields of its record, with what was found of them and what was said of that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attribution import Span, context_value
from reviewers.reports.exporting.moments import written
from reviewers.reports.exporting.told import Contradicted, Excerpt, Row, Said
from reviewers.reports.exporting.trimming import Stored, is_used, key_of
from reviewers.review.given_labels import GivenCitationLabel, GivenLabel
from reviewers.review.items import Item
from reviewers.review.one_text import OneText
from reviewers.review.page import value_in_words
from reviewers.review.plans.labels import Reviewed


def rows_of(item: Item, stored: Sequence[Stored], reviews: Sequence[Reviewed]) -> tuple[Row, ...]:
    """The rows that a report shows, out of what is stored of them."""
    shown, context = item.shown, item.record["context"]
    return tuple([_row(item, row, shown, context, reviews) for row in stored])


def excerpts(text: str, spans: Iterable[Span]) -> tuple[Excerpt, ...]:
    """Spans with their words."""
    return tuple([Excerpt(start, end, text[start:end]) for start, end in spans])


def said_of(name: str, label: GivenLabel | GivenCitationLabel | None) -> tuple[Said, ...]:
    """What one reviewer said; nothing where there is no label or it was taken back."""
    if label is None or not (label.is_verdict or label.note):
        return ()
    return (Said(str(label.id), name, label.verdict.value, label.note, written(label.created_at), label.reason),)


def _row(item: Item, row: Stored, shown: OneText, context: Mapping[str, Any], reviews: Sequence[Reviewed]) -> Row:
    text, get = shown.attribution.clean_text, row.get
    section, path = row["section"], row["path"]
    value = context_value(context, section, path)
    low, high = row["estimate"]["interval"] if "estimate" in row else (None, None)
    key = key_of(row) if reviews or item.planted else ("", "")
    return Row(
        footnote=shown.number(get("footnote")),
        section=section,
        path=path,
        value=value,
        value_text=value_in_words(value),
        type=row["field_type"],
        track=row["track"],
        method=get("method", "none"),
        rule=get("rule", "none"),
        score=float(get("score", 0)),
        confidence=float(get("confidence", 0)),
        low=None if low is None else float(low),
        high=None if high is None else float(high),
        trace=get("trace", ""),
        spans=excerpts(text, shown.places(row["spans"])) if "evidence" in row else (),
        claims=excerpts(text, shown.places(row["claims"])) if "claims" in row else (),
        contradiction=_contradicted(text, row["contradiction"], shown) if "contradiction" in row else None,
        is_hidden=get("hidden", False),
        is_seeded=key in item.planted and not is_used(row),
        said=tuple([said for review in reviews for said in said_of(review.name, review.fields.get(key))]),
    )


def _contradicted(text: str, stored: Mapping[str, Any], shown: OneText) -> Contradicted:
    return Contradicted(stored["recorded"], stored["stated"], stored["trace"], excerpts(text, shown.places(stored["spans"])))
