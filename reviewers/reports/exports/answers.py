"""Build an answer of a report from what was loaded: its fields, its documents and their citations, and its findings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from attribution import Attribution, CitableSource, DocumentAttribution, Reference, Span, Track
from reviewers.reports.exports.events import AnswerEvent, Logs
from reviewers.reports.exports.loading import LoadedAnswer, decisions_of
from reviewers.reports.exports.report import Answer, Note, OnHold, ReportedEvent, ReportedRedaction, Reviewed, Sampled, Signed, written
from reviewers.reports.exports.schema import (
    Contradicted,
    Document,
    Excerpt,
    FieldRow,
    Grounds,
    Remark,
    ReportedCitation,
    ReportedClaim,
    ReportedFinding,
    ReportedJudgement,
    ReportedLabel,
)
from reviewers.review.items import ReviewItem, field_key, finding_message, finding_name, issue_name
from reviewers.review.judged_support import ShownJudgement, shown_judgements
from reviewers.review.labels.queries import AnyLabel, ClaimKey, FieldKey, ReviewLabels, together
from reviewers.review.models import FlagKind
from reviewers.review.page.sources import SourceNote, checks_of, source_notes
from reviewers.review.plans.queries import draw_in_words
from reviewers.review.redaction.queries import ShownRedaction, redactions_of
from reviewers.review.signing.queries import SignatureRow
from reviewers.review.talk.flags import ShownFlag, place_in_shown
from reviewers.review.wording import level_of_trust, origin_of_trust, value_in_words
from reviewers.snapshots.citations import Citation, CitationKey, failures_of
from reviewers.snapshots.models import storable
from reviewers.snapshots.queries import named


class CitationOpinions(NamedTuple):
    """The labels of people on citations, and a model's judgements."""

    by_people: Sequence[ReviewLabels]
    by_model: Mapping[CitationKey, ShownJudgement]


def documents_of(item: ReviewItem, reviews: Sequence[ReviewLabels]) -> tuple[Document, ...]:
    """Return the cited sources in the order of their footnotes, followed by those without a place in the answer."""
    grounds = item.grounds
    if grounds is None:
        return ()
    by_source: dict[str, list[Citation]] = {}
    for citation in item.citations:
        by_source.setdefault(citation.source, []).append(citation)
    numbers, last = item.shown.numbers, len(grounds.sources) + len(item.attribution.markers)
    cited = sorted((each for each in grounds.sources if each.id in by_source), key=lambda each: numbers.get(each.id, last))
    judged = shown_judgements(item)
    return tuple(
        [_document(source, grounds, numbers.get(source.id), by_source[source.id], CitationOpinions(reviews, judged)) for source in cited]
    )


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
    said: CitationOpinions,
) -> Document:
    trust = grounds.trust[source.id]
    return Document(
        footnote=number,
        id=source.id,
        title=source.title or source.path or source.uri or source.source_id or source.id,
        address=source.uri,
        kind=source.kind.value,
        published_at=source.published_at,
        tier=f"{level_of_trust(trust)} ({origin_of_trust(trust, 'the')})",
        trust=trust.score,
        citations=tuple([_cited(each, grounds.clean_text, said) for each in citations]),
    )


def _cited(citation: Citation, text: str, said: CitationOpinions) -> ReportedCitation:
    reference = citation.reference
    return ReportedCitation(
        status=reference.status.value,
        written=reference.text,
        claim=_claim(reference, text),
        quote=reference.quote,
        failures=tuple(failures_of(reference.check)) if reference.check else (),
        checks=tuple([f"{badge.title}: {trace}" for badge, trace in checks_of(reference.check)]),
        judged=_judged(said.by_model.get(citation.key)),
        said=tuple(_reported_labels(citation, said.by_people)),
    )


def _reported_labels(citation: Citation, reviews: Iterable[ReviewLabels]) -> Iterable[ReportedLabel]:
    for each in reviews:
        label = each.citations.get(citation.key)
        if label and label.says_anything:
            yield _reported(each, label)


def _judged(judgement: ShownJudgement | None) -> ReportedJudgement | None:
    if judgement is None:
        return None
    told = (judgement.verdict, judgement.sentence, judgement.refusal, judgement.model, written(judgement.judged_at))
    return ReportedJudgement(*told, words=judgement.words)


def _claim(reference: Reference, text: str) -> Excerpt | None:
    if reference.span is None:
        return None
    start, end = reference.span
    return Excerpt(start, end, text[start:end])


def is_told(labelled: Collection[FieldKey], row: Mapping[str, Any]) -> bool:
    """Return True for a stored field that a report shows: the answer draws on or contradicts it, or it was labelled or seeded."""
    return row["track"] != Track.NEITHER or "contradiction" in row or (storable(row["section"]), storable(row["path"])) in labelled


def rows_of(loaded: LoadedAnswer, *, all_fields: bool) -> tuple[FieldRow, ...]:
    """Return the fields that a report shows, in the order of the context."""
    item, said = loaded.item, _said_of_fields(loaded.reviews)
    text = item.shown.attribution.clean_text
    rows = []
    for row in item.shown.attribution.fields:
        key = field_key(row)
        if not (all_fields or row.is_used or row.contradiction or key in loaded.labelled):
            continue
        field, against, estimate = row.field, row.contradiction, row.estimate
        rows.append(
            FieldRow(
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
                contradiction=Contradicted(against.recorded, against.stated, against.trace, excerpts(text, against.spans))
                if against
                else None,
                is_hidden=field.is_hidden,
                is_seeded=key in item.planted and not row.is_used,
                said=tuple(said.get(key, ())),
            )
        )
    return tuple(rows)


def excerpts(text: str, spans: Iterable[Span]) -> tuple[Excerpt, ...]:
    """Return spans with their words."""
    return tuple([Excerpt(start, end, text[start:end]) for start, end in spans])


def _said_of_fields(reviews: Iterable[ReviewLabels]) -> Mapping[FieldKey, Sequence[ReportedLabel]]:
    """Return the labels of each field that any reviewer has labelled."""
    told: dict[FieldKey, list[ReportedLabel]] = {}
    for review in reviews:
        for key, label in review.fields.items():
            if label.says_anything:
                told.setdefault(key, []).append(_reported(review, label))
    return told


def _reported(review: ReviewLabels, label: AnyLabel) -> ReportedLabel:
    return ReportedLabel(str(label.id), review.name, label.verdict.value, label.note, written(label.created_at), label.reason)


def notes_of(item: ReviewItem) -> tuple[Note, ...]:
    """Return the footnotes of fields and sources in the order in which the review page shows them."""
    markers = item.shown.attribution.markers
    placed = [
        (each.position, each.raw[0], Note(each.position, each.footnote, is_found_afterwards=False))
        for each in markers
        if each.footnote and each.position is not None
    ]
    for position, order, note in source_notes(item.grounds, item.shown.numbers, len(markers)) if item.grounds else ():
        if isinstance(note, SourceNote):
            placed.append((position, order, Note(position, note.number, is_found_afterwards=note.is_found_afterwards)))
    return tuple([note for _, _, note in sorted(placed, key=lambda each: each[:2])])


def build_answer(number: int, loaded: LoadedAnswer, logs: Logs, *, all_fields: bool) -> Answer:
    """Return an answer, and note the places of its events.

    It has only the user's message and the answer's text while the reader may not know what the engine says.
    """
    item = loaded.item
    row, record, document = item.row, item.record, item.shown.attribution
    snapshot, attribution = row.snapshot, row.attribution
    text = item.unmarked.text if loaded.is_withheld else document.clean_text
    about: dict[str, Any] = _withheld(attribution.field_count) if loaded.is_withheld else _told(loaded, all_fields=all_fields)
    return Answer(
        number=number,
        id=str(item.id),
        external_id=snapshot.external_id,
        conversation=snapshot.conversation_id,
        turn=snapshot.turn_index,
        client=snapshot.client_reference,
        provider=snapshot.provider,
        model=snapshot.model,
        prompt=snapshot.prompt_version,
        schema=snapshot.schema_version,
        answered_at=written(snapshot.answered_at),
        frozen_at=written(snapshot.frozen_at),
        digest="" if loaded.is_withheld or loaded.repeats_hidden else named(snapshot.digest),
        question=str(record.get("user_text") or ""),
        response=text if loaded.is_withheld else str(record.get("response") or ""),
        text=text,
        state=row.state,
        profile=attribution.profile_id,
        engine=attribution.engine_version,
        is_calibrated=document.is_calibrated,
        attribution="" if loaded.is_withheld else named(attribution.digest),
        hidden_sections=tuple(snapshot.hidden_sections),
        redactions=tuple([_taken(each) for each in redactions_of(item)]),
        holds=tuple([OnHold(each.words, written(each.placed_at), each.placed_by) for each in item.holds]),
        sampled=None if loaded.is_withheld else _sampled(loaded),
        events=tuple([_event(loaded, each, logs) for each in loaded.events if loaded.tells(each.action, each.actor_id)]),
        **about,
    )


def _event(loaded: LoadedAnswer, event: AnswerEvent, logs: Logs) -> ReportedEvent:
    told = (str(event.id), event.action, written(event.at), event.by, logs.meet(event), event.index)
    return ReportedEvent(*told, **loaded.judgement_of(event)._asdict())


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


def _told(loaded: LoadedAnswer, *, all_fields: bool) -> dict[str, Any]:
    item, reviews, rows = loaded.item, loaded.reviews, rows_of(loaded, all_fields=all_fields)
    return {
        "is_withheld": False,
        "source": item.attribution.source.value,
        "notes": notes_of(item),
        "left_out": item.row.attribution.field_count - len(rows),
        "rows": rows,
        "documents": documents_of(item, reviews),
        "grounds": grounds_of(item),
        "findings": tuple(_found(item.attribution, item.grounds, loaded.flags)),
        "reviews": tuple([Reviewed(str(each.id), each.name, written(each.submitted_at), each.label_count) for each in reviews]),
        "signatures": tuple([_signed(each) for each in loaded.signatures]),
        "decisions": decisions_of(loaded),
        "unsupported": claims_of(item, reviews),
        "flags": tuple([_flag(each) for each in loaded.flags if each.kind != FlagKind.FINDING]),
        "comments": tuple([Remark(each.name, each.text, written(each.at)) for each in loaded.comments]),
    }


def claims_of(item: ReviewItem, reviews: Sequence[ReviewLabels]) -> tuple[ReportedClaim, ...]:
    """Return the words of the answer that reviewers say are not in the record."""
    given = [(key, _reported(review, label)) for review in reviews for key, label in review.claims.items() if label.is_verdict]
    return tuple([ReportedClaim(_place_of(item, span), tuple(said)) for span, said in together(given)])


def _place_of(item: ReviewItem, span: ClaimKey) -> Excerpt | None:
    place = place_in_shown(item, span)
    return next(iter(excerpts(item.shown.attribution.clean_text, [place]))) if place else None


def _found(attribution: Attribution, grounds: DocumentAttribution | None, flags: Iterable[ShownFlag]) -> Iterable[ReportedFinding]:
    remarks: dict[str, list[Remark]] = {}
    for flag in flags:
        remarks.setdefault(flag.finding, []).append(_flag(flag))
    for finding in attribution.guardrails:
        about = f"{finding.section}.{finding.path}" if finding.path is not None else ""
        told = tuple(remarks.get(finding_name(finding), ()))
        message = finding_message(finding, attribution.markers)
        yield ReportedFinding(finding.code.value, message, about, told, finding.section or "", finding.path or "")
    for issue in grounds.issues if grounds else ():
        yield ReportedFinding(issue.code.value, issue.message, issue.source or "", tuple(remarks.get(issue_name(issue), ())))


def _flag(flag: ShownFlag) -> Remark:
    about = "" if flag.kind == FlagKind.FINDING else flag.about
    if (ended := flag.resolution) is None:
        return Remark(flag.name, flag.note, written(flag.at), about)
    return Remark(flag.name, flag.note, written(flag.at), about, ended.name, written(ended.at), ended.note)


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
    stratum, trigger = (drawn.stratum, drawn.trigger) if loaded.tells_stratum else ("", "")
    return Sampled(str(drawn.plan_id), drawn.plan.name, draw_in_words(drawn.plan), stratum, drawn.probability, trigger)
