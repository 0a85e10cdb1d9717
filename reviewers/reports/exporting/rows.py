"""The rows of an answer: fields of its record, with what was found of them and what was said of that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attribution import Span, context_value
from reviewers.reports.exporting.stored import Against, Stored
from reviewers.reports.exporting.submitted import Submitted, said_of
from reviewers.reports.exporting.told import Contradicted, Excerpt, Row
from reviewers.review.items import Item
from reviewers.review.one_text import OneText
from reviewers.review.page import value_in_words


def rows_of(item: Item, stored: Sequence[Stored], reviews: Sequence[Submitted]) -> tuple[Row, ...]:
    """The rows that a report shows, out of what is stored of them."""
    shown, context = item.shown, item.record["context"]
    return tuple([_row(item, row, shown, context, reviews) for row in stored])


def excerpts(text: str, spans: Iterable[Span]) -> tuple[Excerpt, ...]:
    """Spans with their words."""
    return tuple([Excerpt(start, end, text[start:end]) for start, end in spans])


def _row(item: Item, row: Stored, shown: OneText, context: Mapping[str, Any], reviews: Sequence[Submitted]) -> Row:
    text, against = shown.attribution.clean_text, row.contradiction
    value = _value(context, row.section, row.path)
    low, high = row.estimate.interval if row.estimate else (None, None)
    key = row.key if reviews or item.planted else ("", "")
    return Row(
        shown.number(row.footnote),
        row.section,
        row.path,
        value,
        value if type(value) is str else value_in_words(value),
        row.field_type,
        row.track,
        row.method,
        row.rule,
        row.score,
        row.confidence,
        low,
        high,
        row.trace,
        excerpts(text, shown.places(row.spans)) if row.spans and row.is_found else (),
        excerpts(text, shown.places(row.claims)) if row.claims else (),
        _contradicted(text, against, shown) if against else None,
        row.hidden,
        key in item.planted and not row.is_used,
        said_of(reviews, key) if reviews else (),
    )


def _value(context: Mapping[str, Any], section: str, path: str) -> Any:
    """The value of a field, most of which lie right in their section."""
    content = context.get(section)
    if type(content) is dict and path in content and "." not in path and "\\" not in path:
        return content[path]
    return context_value(context, section, path)


def _contradicted(text: str, against: Against, shown: OneText) -> Contradicted:
    return Contradicted(against.recorded, against.stated, against.trace, excerpts(text, shown.places(against.spans)))
