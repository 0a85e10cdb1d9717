"""A report as W3C Web Annotations: each place of an answer where a field or a source is found, and each label.

Positions are code points of the answer's clean text, as the standard counts them, with the quoted words beside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attribution import canonical_bytes
from reviewers.reports.exports.formats.json_documents import ALL, Element, JSONFormat, derived, urn
from reviewers.reports.exports.report import Answer, Header
from reviewers.reports.exports.schema import Excerpt, FieldRow, ReportedLabel

CONTEXT = "http://www.w3.org/ns/anno.jsonld"
_BESIDE = 32
"""The number of characters given before and after a quote, by which it can be found again."""


def _begin(header: Header) -> bytes:
    """Return the collection up to its items."""
    page = {"id": urn(derived(header.title, "page")), "items": list[Any]()}
    return canonical_bytes({"@context": CONTEXT, "first": page}).removesuffix(b"]}}")


def _elements(_: Header, answer: Answer) -> Iterator[Element]:
    return (Element(ALL, canonical_bytes(each)) for each in annotations_of(answer))


def _end(header: Header, count: int) -> bytes:
    page = canonical_bytes({"startIndex": 0, "type": "AnnotationPage"})[1:]
    collection = {"id": urn(derived(header.title, "collection")), "label": header.title, "total": count, "type": "AnnotationCollection"}
    return b"]," + page + b"," + canonical_bytes(collection)[1:] + b"\n"


ANNOTATIONS = JSONFormat(_begin, _elements, _end, {ALL: (b"", b"")})
"""One collection with one page. The whole is canonical JSON."""


def annotations_of(answer: Answer) -> Iterator[dict[str, Any]]:
    """Yield the annotations of an answer."""
    for row in answer.rows:
        name = f"{row.section}.{row.path}"
        body = [{"type": "TextualBody", "format": "text/plain", "value": f"{name}: {row.value_text}", "purpose": "identifying"}]
        yield from _seen(answer, ("row", name), body, [*row.spans, *(each for each in row.claims if each not in row.spans)])
        yield from (_label(answer, name, row, said) for said in row.said)
    for document in answer.documents:
        body = [{"type": "SpecificResource", "source": document.address or urn(derived(answer.id, document.id)), "purpose": "linking"}]
        claims = [each.claim for each in document.citations if each.claim]
        yield from _seen(answer, ("source", document.id), body, list(dict.fromkeys(claims)))


def _seen(answer: Answer, about: tuple[str, str], body: list[dict[str, Any]], excerpts: list[Excerpt]) -> Iterator[dict[str, Any]]:
    for excerpt in excerpts:
        yield {
            "id": urn(derived(answer.id, *about, excerpt.start, excerpt.end)),
            "type": "Annotation",
            "motivation": "identifying" if about[0] == "row" else "linking",
            "created": answer.frozen_at,
            "creator": {"type": "Software", "name": f"Footnote engine {answer.engine}"},
            "body": body,
            "target": _target(answer, excerpt),
        }


def _label(answer: Answer, name: str, row: FieldRow, said: ReportedLabel) -> dict[str, Any]:
    place = next(iter((*row.spans, *row.claims)), None)
    words = f"{name}: {said.verdict}" + (f". {said.note}" if said.note else "")
    return {
        "id": urn(said.label),
        "type": "Annotation",
        "motivation": "assessing",
        "created": said.said_at,
        "creator": {"type": "Person", "name": said.reviewer},
        "body": [{"type": "TextualBody", "format": "text/plain", "value": words, "purpose": "assessing"}],
        "target": _target(answer, place) if place else {"source": urn(answer.id)},
    }


def _target(answer: Answer, excerpt: Excerpt) -> dict[str, Any]:
    before, behind = answer.text[max(0, excerpt.start - _BESIDE) : excerpt.start], answer.text[excerpt.end : excerpt.end + _BESIDE]
    return {
        "source": urn(answer.id),
        "selector": [
            {"type": "TextPositionSelector", "start": excerpt.start, "end": excerpt.end},
            {"type": "TextQuoteSelector", "exact": excerpt.text, "prefix": before, "suffix": behind},
        ],
    }
