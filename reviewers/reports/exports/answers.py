"""Build an answer of a report from what was loaded: its fields, its documents and their citations, and its findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attribution import CitableSource, DocumentAttribution, Finding, Reference, Span, context_value
from reviewers.reports.exports.loading import LoadedAnswer, decisions_of
from reviewers.reports.exports.report import Answer, OnHold, ReportedEvent, ReportedRedaction, Reviewed, Sampled, Signed
from reviewers.reports.exports.reviews import ReportedReview, said_of_citation, said_of_fields, written
from reviewers.reports.exports.schema import Contradicted, Document, Excerpt, FieldRow, Grounds, Remark, ReportedCitation, ReportedFinding
from reviewers.reports.exports.stored_attribution import (
    ShownAttribution,
    StoredAttribution,
    StoredContradiction,
    StoredField,
    key_of,
    notes_of,
)
from reviewers.review.citations import Citation, failures_of
from reviewers.review.items import ReviewItem, finding_name, issue_name
from reviewers.review.models import Flag
from reviewers.review.page.answer import MergedText
from reviewers.review.page.sources import checks_of
from reviewers.review.plans.queries import draw_in_words
from reviewers.review.redaction.queries import ShownRedaction, redactions_of
from reviewers.review.signing.queries import SignatureRow
from reviewers.review.wording import value_in_words

_NO_INTERVAL = (None, None)


def documents_of(item: ReviewItem, reviews: Sequence[ReportedReview]) -> tuple[Document, ...]:
    """Return the cited sources in the order of their footnotes, followed by those without a place in the answer."""
    grounds = item.grounds
    if grounds is None:
        return ()
    by_source: dict[str, list[Citation]] = {}
    for citation in item.citations:
        by_source.setdefault(citation.source, []).append(citation)
    numbers, last = item.shown.numbers, len(grounds.sources) + len(item.attribution.markers)
    cited = sorted((each for each in grounds.sources if each.id in by_source), key=lambda each: numbers.get(each.id, last))
    return tuple([_document(source, grounds, numbers.get(source.id), by_source[source.id], reviews) for source in cited])


def grounds_of(item: ReviewItem) -> Grounds | None:
    """Return the statements about all sources together, or None if the turn has no documents."""
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
    source: CitableSource,
    grounds: DocumentAttribution,
    number: int | None,
    citations: Sequence[Citation],
    reviews: Sequence[ReportedReview],
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


def _cited(citation: Citation, text: str, reviews: Sequence[ReportedReview]) -> ReportedCitation:
    reference = citation.reference
    return ReportedCitation(
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


def rows_of(item: ReviewItem, text: str, stored: Sequence[StoredField], reviews: Sequence[ReportedReview]) -> tuple[FieldRow, ...]:
    """Return the rows that a report shows, from the stored fields and the shown ``text``.

    If there are no documents, spans and footnotes are those that are stored.
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
            FieldRow(
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
    """Return spans with their words."""
    if len(spans) == 1:  # as most have
        start, end = spans[0]
        return (Excerpt(start, end, text[start:end]),)
    return tuple([Excerpt(start, end, text[start:end]) for start, end in spans])


def _value(context: Mapping[str, Any], section: str, path: str) -> Any:
    """Return the value of a field. Most are found directly in their section."""
    content = context.get(section)
    if type(content) is dict and path in content and "." not in path and "\\" not in path:
        return content[path]
    return context_value(context, section, path)


def _contradicted(text: str, against: StoredContradiction, shown: MergedText | None) -> Contradicted:
    spans = tuple(shown.places(against.spans)) if shown else against.spans
    return Contradicted(against.recorded, against.stated, against.trace, excerpts(text, spans))


def build_answer(number: int, loaded: LoadedAnswer, trimmed: ShownAttribution, events: tuple[ReportedEvent, ...]) -> Answer:
    """Return an answer, with only the user's message and the answer's text while the reader may not know what the engine says."""
    item, row = loaded.item, loaded.row
    snapshot, attribution, record, document = row.snapshot, row.attribution, item.record, trimmed.document
    text = item.shown.attribution.clean_text if attribution.documents else document.clean_text
    about: dict[str, Any] = _withheld(attribution.field_count) if item.is_blind else _told(loaded, trimmed, text)
    return Answer(
        number=number,
        id=str(row.snapshot_id),
        external_id=snapshot.external_id,
        conversation=snapshot.conversation_id,
        turn=snapshot.turn_index,
        client=snapshot.client_reference,
        provider=snapshot.provider,
        model=snapshot.model,
        prompt=snapshot.prompt_version,
        schema=snapshot.schema_version,
        answered_at=snapshot.answered_at,
        frozen_at=snapshot.frozen_at,
        digest="" if item.is_blind else "sha256:" + snapshot.digest.hex(),
        question=str(record.get("user_text") or ""),
        response=text if item.is_blind else str(record.get("response") or ""),
        text=text,
        state=row.state,
        profile=attribution.profile_id,
        engine=attribution.engine_version,
        is_calibrated=document.calibrated,
        attribution="" if item.is_blind else "sha256:" + attribution.digest.hex(),
        hidden_sections=tuple(snapshot.hidden_sections),
        redactions=tuple([_taken(each) for each in redactions_of(item)]) if item.redacted else (),
        holds=tuple([OnHold(each.words, written(each.placed_at), each.placed_by) for each in item.holds]),
        sampled=None if item.is_blind else _sampled(loaded),
        events=events,
        **about,
    )


def _withheld(field_count: int) -> dict[str, Any]:
    return {
        "is_withheld": True,
        "source": "",
        "notes": (),
        "left_out": field_count,
        "rows": (),
        "documents": (),
        "grounds": None,
        "findings": (),
        "reviews": (),
        "signatures": (),
        "decisions": (),
    }


def _told(loaded: LoadedAnswer, trimmed: ShownAttribution, text: str) -> dict[str, Any]:
    item, document, reviews = loaded.item, trimmed.document, loaded.reviews
    return {
        "is_withheld": False,
        "source": document.source,
        "notes": notes_of(item, document),
        "left_out": loaded.row.attribution.field_count - len(trimmed.rows),
        "rows": rows_of(item, text, trimmed.rows, reviews),
        "documents": documents_of(item, reviews),
        "grounds": grounds_of(item),
        "findings": _findings(loaded, document) if document.guardrails or item.grounds else (),
        "reviews": tuple([Reviewed(each.id, each.name, each.at, each.label_count) for each in reviews]),
        "signatures": tuple([_signed(each) for each in loaded.signatures]),
        "decisions": decisions_of(loaded),
    }


def _findings(loaded: LoadedAnswer, document: StoredAttribution) -> tuple[ReportedFinding, ...]:
    guardrails = document.without_rows().guardrails if document.guardrails else ()
    return tuple(_found(guardrails, loaded.item.grounds, loaded.flags))


def _found(guardrails: Iterable[Finding], grounds: DocumentAttribution | None, flags: Iterable[Flag]) -> Iterable[ReportedFinding]:
    remarks: dict[str, list[Remark]] = {}
    for flag in flags:
        remarks.setdefault(flag.finding, []).append(Remark(flag.reviewer.name, flag.note, written(flag.created_at)))
    for finding in guardrails:
        about = f"{finding.section}.{finding.path}" if finding.path is not None else ""
        yield ReportedFinding(finding.code.value, finding.message, about, tuple(remarks.get(finding_name(finding), ())))
    for issue in grounds.issues if grounds else ():
        yield ReportedFinding(issue.code.value, issue.message, issue.source or "", tuple(remarks.get(issue_name(issue), ())))


def _signed(row: SignatureRow) -> Signed:
    return Signed(
        id=str(row.id),
        review=str(row.review_id),
        printed_name=row.printed_name,
        meaning=row.meaning.value,
        meaning_words=str(row.meaning.label),
        signed_at=written(row.signed_at),
        moment=row.moment,
        digest=row.digest,
        standing=row.standing.value,
        changes=tuple(row.changes),
        is_replaced=row.is_replaced,
    )


def _taken(gone: ShownRedaction) -> ReportedRedaction:
    found = gone.redacted
    return ReportedRedaction(tuple(gone.words), str(found.basis.label), written(found.at), found.who)


def _sampled(loaded: LoadedAnswer) -> Sampled | None:
    drawn = loaded.drawn
    if drawn is None:
        return None
    return Sampled(str(drawn.plan_id), drawn.plan.name, draw_in_words(drawn.plan), drawn.stratum, drawn.probability, drawn.trigger)
