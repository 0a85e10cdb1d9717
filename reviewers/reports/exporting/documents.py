"""The sources of an answer that it cites or that were attached to it, with every citation and what was checked of it."""

from __future__ import annotations

from collections.abc import Sequence

from attribution import CitableSource, DocumentAttribution, Reference
from reviewers.reports.exporting.submitted import Submitted, said_of_citation
from reviewers.reports.exporting.told import Cited, Document, Excerpt, Grounds
from reviewers.review.citations import Citation, failures_of
from reviewers.review.items import Item
from reviewers.review.source_checks import checks_of


def documents_of(item: Item, reviews: Sequence[Submitted]) -> tuple[Document, ...]:
    """The cited sources in the order of their footnotes, those without a place in the answer behind them."""
    grounds = item.grounds
    if grounds is None:
        return ()
    by_source: dict[str, list[Citation]] = {}
    for citation in item.citations:
        by_source.setdefault(citation.source, []).append(citation)
    numbers, last = item.shown.numbers, len(grounds.sources) + len(item.attribution.markers)
    cited = sorted((each for each in grounds.sources if each.id in by_source), key=lambda each: numbers.get(each.id, last))
    return tuple([_document(source, grounds, numbers.get(source.id), by_source[source.id], reviews) for source in cited])


def grounds_of(item: Item) -> Grounds | None:
    """What is said of all of them together; nothing where the record has no documents."""
    grounds = item.grounds
    if grounds is None:
        return None
    return Grounds(
        validity=grounds.validity.colour.value,
        validity_reason=grounds.validity.reason,
        trust=grounds.answer_trust.level.value,
        trust_reason=grounds.answer_trust.trace,
        abstention_reason=grounds.abstention_reason,
        source_count=len(grounds.sources),
    )


def _document(
    source: CitableSource, grounds: DocumentAttribution, number: int | None, citations: Sequence[Citation], reviews: Sequence[Submitted]
) -> Document:
    trust = grounds.trust[source.id]
    return Document(
        footnote=number,
        id=source.id,
        title=source.title or source.path or source.uri or source.source_id or source.id,
        address=source.uri,
        kind=source.kind.value,
        published_at=source.published_at,
        tier=f"tier {trust.tier}, {trust.name}" if trust.tier else "tier unknown",
        trust=trust.score,
        citations=tuple([_cited(each, grounds.clean_text, reviews) for each in citations]),
    )


def _cited(citation: Citation, text: str, reviews: Sequence[Submitted]) -> Cited:
    reference = citation.reference
    return Cited(
        status=reference.status.value,
        written=reference.text,
        claim=_claim(reference, text),
        quote=reference.quote,
        failures=tuple(failures_of(reference.check)) if reference.check else (),
        checks=tuple([f"{badge.title}: {trace}" for badge, trace in checks_of(reference.check)]),
        said=said_of_citation(reviews, citation.key),
    )


def _claim(reference: Reference, text: str) -> Excerpt | None:
    if reference.span is None:
        return None
    start, end = reference.span
    return Excerpt(start, end, text[start:end])
