"""The rows of an answer: fields of its record, with what was found of them and what was said of that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attribution import Span, context_value
from reviewers.reports.exporting.stored import Against, Stored, key_of
from reviewers.reports.exporting.submitted import Submitted, said_of_fields
from reviewers.reports.exporting.told import Contradicted, Excerpt, Row
from reviewers.review.items import Item
from reviewers.review.one_text import OneText
from reviewers.review.value_words import value_in_words

_NO_INTERVAL = (None, None)


def rows_of(item: Item, text: str, stored: Sequence[Stored], reviews: Sequence[Submitted]) -> tuple[Row, ...]:
    """The rows that a report shows, out of what is stored of them and the ``text`` that it shows.

    Where there are no documents, the spans and footnotes of fields stand in it as they are stored.
    """
    context, shown = item.record["context"], item.shown if item.grounds else None
    said, planted = said_of_fields(reviews), item.planted
    rows = []
    for row in stored:
        section, path, against = row.section, row.path, row.contradiction
        footnote, spans, claims = row.footnote, row.spans if row.evidence else (), row.claims
        if shown:
            footnote, spans, claims = shown.number(footnote), tuple(shown.places(spans)), tuple(shown.places(claims))
        value = _value(context, section, path)
        low, high = row.estimate.interval if row.estimate else _NO_INTERVAL
        key = key_of(section, path)
        rows.append(
            Row(
                footnote,
                section,
                path,
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
                excerpts(text, spans) if spans else (),
                excerpts(text, claims) if claims else (),
                _contradicted(text, against, shown) if against else None,
                row.hidden,
                key in planted and not row.is_used,
                said.get(key, ()),
            )
        )
    return tuple(rows)


def excerpts(text: str, spans: Sequence[Span]) -> tuple[Excerpt, ...]:
    """Spans with their words."""
    if len(spans) == 1:  # as most have
        start, end = spans[0]
        return (Excerpt(start, end, text[start:end]),)
    return tuple([Excerpt(start, end, text[start:end]) for start, end in spans])


def _value(context: Mapping[str, Any], section: str, path: str) -> Any:
    """The value of a field, most of which lie right in their section."""
    content = context.get(section)
    if type(content) is dict and path in content and "." not in path and "\\" not in path:
        return content[path]
    return context_value(context, section, path)


def _contradicted(text: str, against: Against, shown: OneText | None) -> Contradicted:
    spans = tuple(shown.places(against.spans)) if shown else against.spans
    return Contradicted(against.recorded, against.stated, against.trace, excerpts(text, spans))
