"""Makes an answer of a report out of what was loaded of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attribution import DocumentAttribution, Finding
from reviewers.reports.exporting.deciding import decisions_of
from reviewers.reports.exporting.documents import documents_of, grounds_of
from reviewers.reports.exporting.loading import Loaded
from reviewers.reports.exporting.model import Answer, OnHold, Recorded, Reviewed, Sampled, Signed, Taken
from reviewers.reports.exporting.moments import written
from reviewers.reports.exporting.notes import notes_of
from reviewers.reports.exporting.rows import rows_of
from reviewers.reports.exporting.stored import Document
from reviewers.reports.exporting.told import Found, Remark
from reviewers.reports.exporting.trimming import Trimmed
from reviewers.review.items import finding_name, issue_name
from reviewers.review.models import Flag
from reviewers.review.plans.queries import draw_in_words
from reviewers.review.redacting.shown import Gone, redactions_of
from reviewers.review.signing.queries import SignatureRow


def build_answer(number: int, loaded: Loaded, trimmed: Trimmed, events: tuple[Recorded, ...]) -> Answer:
    """All of it; question and answer alone where its reader may not know yet what the engine says."""
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


def _told(loaded: Loaded, trimmed: Trimmed, text: str) -> dict[str, Any]:
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


def _findings(loaded: Loaded, document: Document) -> tuple[Found, ...]:
    guardrails = document.without_rows().guardrails if document.guardrails else ()
    return tuple(_found(guardrails, loaded.item.grounds, loaded.flags))


def _found(guardrails: Iterable[Finding], grounds: DocumentAttribution | None, flags: Iterable[Flag]) -> Iterable[Found]:
    remarks: dict[str, list[Remark]] = {}
    for flag in flags:
        remarks.setdefault(flag.finding, []).append(Remark(flag.reviewer.name, flag.note, written(flag.created_at)))
    for finding in guardrails:
        about = f"{finding.section}.{finding.path}" if finding.path is not None else ""
        yield Found(finding.code.value, finding.message, about, tuple(remarks.get(finding_name(finding), ())))
    for issue in grounds.issues if grounds else ():
        yield Found(issue.code.value, issue.message, issue.source or "", tuple(remarks.get(issue_name(issue), ())))


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


def _taken(gone: Gone) -> Taken:
    found = gone.redacted
    return Taken(tuple(gone.words), str(found.basis.label), written(found.at), found.who)


def _sampled(loaded: Loaded) -> Sampled | None:
    drawn = loaded.drawn
    if drawn is None:
        return None
    return Sampled(str(drawn.plan_id), drawn.plan.name, draw_in_words(drawn.plan), drawn.stratum, drawn.probability, drawn.trigger)
